// Facts of some entities that are nearest to a new one: what it may repeat, or contradict.
//
// Used by   Candidates.edge_similarity_search, for a language model that resolves facts
// $group_id  string   the namespace
// $ends      list     uuids of the new fact's entities
// $between   boolean  only facts between these entities
// $vector    list     the new fact's vector
// $limit     integer  at most this many
// Returns   uuid, source, target, name, fact, created_at, valid_at, stated_invalid_at; nearest first
CYPHER 25
MATCH (entity:Entity)
WHERE entity.uuid IN $ends AND entity.group_id = $group_id
MATCH (entity)-[fact:RELATES_TO]-(other:Entity)
WHERE fact.group_id = $group_id AND (NOT $between OR other.uuid IN $ends)
  AND size(fact.fact_embedding) = size($vector)
WITH DISTINCT fact
WITH fact, vector.similarity.cosine(fact.fact_embedding, $vector) AS score
ORDER BY score DESC, fact.uuid
LIMIT $limit
RETURN fact.uuid AS uuid,
       fact.source_node_uuid AS source,
       fact.target_node_uuid AS target,
       fact.name AS name,
       fact.fact AS fact,
       fact.created_at AS created_at,
       fact.valid_at AS valid_at,
       fact.gm_stated_invalid_at AS stated_invalid_at
