// Facts whose words or meaning match the question and that are true on both clocks, best first for each way of looking.
//
// Used by   FactSearch.near, for the graph leg
// $group_id   string    the namespace
// $lucene     string    the question's words as a Lucene query bound to the namespace; matches nothing when there are none
// $vector     vector    the question's vector, or null
// $end_after  integer   facts that ended before this moment (epoch milliseconds) are not looked for in the vector index
// $known      datetime  what was known then
// $valid      datetime  what was true then, or null
// $limit      integer   at most this many a way
// $depth      integer   looked at in each index before the clocks are checked
// Returns   words, meaning: lists of [uuid, score]
CYPHER 25
CALL () {
  CALL db.index.fulltext.queryRelationships('edge_name_and_fact', $lucene, {limit: $depth})
  YIELD relationship AS fact, score
  WHERE fact.group_id = $group_id AND fact.created_at <= $known
  WITH fact, score,
       CASE WHEN fact.expired_at IS NULL OR fact.expired_at <= $known
            THEN fact.invalid_at ELSE fact.gm_stated_invalid_at END AS end
  WHERE CASE WHEN $valid IS NULL THEN end IS NULL OR end > $known
             ELSE (fact.valid_at IS NULL OR fact.valid_at <= $valid) AND (end IS NULL OR $valid < end) END
  WITH fact, score
  LIMIT $limit
  RETURN collect([fact.uuid, score]) AS words
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
  RETURN collect([fact.uuid, score]) AS meaning
}
RETURN words, meaning
LIMIT 1
