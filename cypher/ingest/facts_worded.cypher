// Facts of some entities that share words with a new one: what it may repeat, or contradict.
//
// Used by   Candidates.edge_fulltext_search, for a language model that resolves facts
// $group_id  string   the namespace
// $lucene    string   the new fact's words as a Lucene query bound to the namespace
// $ends      list     uuids of the new fact's entities
// $between   boolean  only facts between these entities
// $depth     integer  looked at in the index
// $limit     integer  at most this many
// Returns   uuid, source, target, name, fact, created_at, valid_at, stated_invalid_at; best first
CYPHER 25
CALL db.index.fulltext.queryRelationships('edge_name_and_fact', $lucene, {limit: $depth})
YIELD relationship AS fact, score
WHERE fact.group_id = $group_id
  AND (fact.source_node_uuid IN $ends OR fact.target_node_uuid IN $ends)
  AND (NOT $between OR (fact.source_node_uuid IN $ends AND fact.target_node_uuid IN $ends))
RETURN fact.uuid AS uuid,
       fact.source_node_uuid AS source,
       fact.target_node_uuid AS target,
       fact.name AS name,
       fact.fact AS fact,
       fact.created_at AS created_at,
       fact.valid_at AS valid_at,
       fact.gm_stated_invalid_at AS stated_invalid_at
ORDER BY score DESC, fact.uuid
LIMIT $limit
