// Facts near a question that are true on both clocks: by its words, by its meaning, of the entities it names, and one
// hop further; and the episodes that mention those entities.
//
// Used by   FactSearch.near, for the graph leg
// $group_id   string    the namespace
// $lucene     string    the question's words as a Lucene query bound to the namespace; matches nothing when there are none
// $vector     vector    the question's vector, or null
// $end_after  integer   facts that ended before this moment (epoch milliseconds) are not looked for in the vector index
// $named      list      uuids of the entities that the question names
// $known      datetime  what was known then
// $valid      datetime  what was true then, or null
// $limit      integer   at most this many by words, and this many by meaning
// $depth      integer   looked at in each index before the clocks are checked
// $fan_out    integer   at most this many facts, and this many episodes, of an entity that is named: the newest
// $hop        integer   at most this many facts of an entity that was touched: the newest
// $walked     integer   of an entity with more facts, or mentions, than this only so many are looked at
// $touched    integer   the hop is made from the ends of this many facts of each way
// Returns   words, meaning, named, hop: lists of [uuid, source, relation, valid_at (epoch milliseconds)], best first;
//           mentioned: for each episode [id, uuids of the named entities it mentions], newest first
CYPHER 25
CALL () {
  CALL db.index.fulltext.queryRelationships('edge_name_and_fact', $lucene, {limit: $depth})
  YIELD relationship AS fact, score
  WHERE fact.group_id = $group_id
  WITH fact, score,
       CASE WHEN fact.expired_at IS NULL OR fact.expired_at <= $known
            THEN fact.invalid_at ELSE fact.gm_stated_invalid_at END AS end
  WHERE fact.created_at <= $known
    AND CASE WHEN $valid IS NULL THEN end IS NULL OR end > $known
             ELSE (fact.valid_at IS NULL OR fact.valid_at <= $valid) AND (end IS NULL OR $valid < end) END
  WITH fact, score
  LIMIT $limit
  RETURN collect(fact) AS words
}
CALL () {
  MATCH ()-[fact:RELATES_TO]->()
  SEARCH fact IN (
    VECTOR INDEX gm_fact_vector
    FOR $vector
    WHERE fact.group_id = $group_id AND fact.gm_end > $end_after
    LIMIT $depth
  ) SCORE AS score
  WITH fact, score,
       CASE WHEN fact.expired_at IS NULL OR fact.expired_at <= $known
            THEN fact.invalid_at ELSE fact.gm_stated_invalid_at END AS end
  WHERE fact.created_at <= $known
    AND CASE WHEN $valid IS NULL THEN end IS NULL OR end > $known
             ELSE (fact.valid_at IS NULL OR fact.valid_at <= $valid) AND (end IS NULL OR $valid < end) END
  WITH fact, score
  LIMIT $limit
  RETURN collect(fact) AS meaning
}
CALL () {
  MATCH (entity:Entity)
  WHERE entity.uuid IN $named AND entity.group_id = $group_id
  CALL (entity) {
    MATCH (entity)-[fact:RELATES_TO]-(other:Entity)
    WHERE fact.group_id = $group_id AND other.group_id = $group_id
    WITH fact
    LIMIT $walked
    WITH fact,
         CASE WHEN fact.expired_at IS NULL OR fact.expired_at <= $known
              THEN fact.invalid_at ELSE fact.gm_stated_invalid_at END AS end
    WHERE fact.created_at <= $known
      AND CASE WHEN $valid IS NULL THEN end IS NULL OR end > $known
               ELSE (fact.valid_at IS NULL OR fact.valid_at <= $valid) AND (end IS NULL OR $valid < end) END
    RETURN fact
    ORDER BY fact.gm_confirmed DESC, fact.uuid
    LIMIT $fan_out
  }
  WITH fact, count(*) AS ends
  ORDER BY ends DESC, fact.gm_confirmed DESC, fact.uuid
  RETURN collect(fact) AS named
}
CALL (words, meaning, named) {
  UNWIND words[..$touched] + meaning[..$touched] + named[..$touched] AS near
  UNWIND [startNode(near), endNode(near)] AS entity
  WITH DISTINCT entity
  CALL (entity) {
    MATCH (entity)-[fact:RELATES_TO]-(other:Entity)
    WHERE fact.group_id = $group_id AND other.group_id = $group_id
    WITH fact
    LIMIT $walked
    WITH fact,
         CASE WHEN fact.expired_at IS NULL OR fact.expired_at <= $known
              THEN fact.invalid_at ELSE fact.gm_stated_invalid_at END AS end
    WHERE fact.created_at <= $known
      AND CASE WHEN $valid IS NULL THEN end IS NULL OR end > $known
               ELSE (fact.valid_at IS NULL OR fact.valid_at <= $valid) AND (end IS NULL OR $valid < end) END
    RETURN fact
    ORDER BY fact.gm_confirmed DESC, fact.uuid
    LIMIT $hop
  }
  WITH DISTINCT fact
  RETURN collect(fact) AS hop
}
CALL () {
  MATCH (entity:Entity)
  WHERE entity.uuid IN $named AND entity.group_id = $group_id
  CALL (entity) {
    MATCH (entity)<-[:MENTIONS]-(episode:Episodic)
    WHERE episode.group_id = $group_id AND episode.created_at <= $known
      AND ($valid IS NULL OR episode.valid_at <= $valid)
    WITH episode
    LIMIT $walked
    RETURN episode
    ORDER BY episode.valid_at DESC, episode.uuid
    LIMIT $fan_out
  }
  WITH episode, collect(entity.uuid) AS entities
  ORDER BY episode.valid_at DESC, episode.uuid
  RETURN collect([episode.gm_id, entities]) AS mentioned
}
RETURN [fact IN words | [fact.uuid, fact.source_node_uuid, fact.name, fact.valid_at.epochMillis]] AS words,
       [fact IN meaning | [fact.uuid, fact.source_node_uuid, fact.name, fact.valid_at.epochMillis]] AS meaning,
       [fact IN named | [fact.uuid, fact.source_node_uuid, fact.name, fact.valid_at.epochMillis]] AS named,
       [fact IN hop | [fact.uuid, fact.source_node_uuid, fact.name, fact.valid_at.epochMillis]] AS hop,
       mentioned
LIMIT 1
