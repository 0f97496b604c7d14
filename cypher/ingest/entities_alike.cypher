// Entities whose names are alike in meaning, most alike first.
//
// Used by   Candidates.node_similarity_search, for a language model that resolves names
// $group_id  string   the namespace
// $vector    vector   the name's vector
// $least     float    how alike they must be, 0 to 1
// $limit     integer  at most this many
// Returns   uuid, name, labels, summary, created_at
CYPHER 25
MATCH (entity:Entity)
SEARCH entity IN (
  VECTOR INDEX gm_entity_vector
  FOR $vector
  WHERE entity.group_id = $group_id
  LIMIT $limit
) SCORE AS score
WHERE score >= $least
RETURN entity.uuid AS uuid,
       entity.name AS name,
       labels(entity) AS labels,
       entity.summary AS summary,
       entity.created_at AS created_at
ORDER BY score DESC, entity.uuid
LIMIT $limit
