// What a namespace has in the graph, by uuid.
//
// Used by   GraphCheck.listed, by the night
// $group_id  string  the namespace
// $after     string  the uuid after which the list goes on
// $limit     integer at most this many
// Returns   kind, uuid, id: an episode's own id, otherwise the uuid
CYPHER 25
CALL () {
  MATCH (entity:Entity {group_id: $group_id})
  WHERE entity.uuid > $after
  RETURN 'entity' AS kind, entity.uuid AS uuid, entity.uuid AS id
  UNION ALL
  MATCH (:Entity {group_id: $group_id})-[fact:RELATES_TO]->(:Entity)
  WHERE fact.uuid > $after
  RETURN 'fact' AS kind, fact.uuid AS uuid, fact.uuid AS id
  UNION ALL
  MATCH (episode:Episodic {group_id: $group_id})
  WHERE episode.uuid > $after AND episode.gm_id IS NOT NULL
  RETURN 'episode' AS kind, episode.uuid AS uuid, episode.gm_id AS id
}
RETURN kind, uuid, id
ORDER BY uuid
LIMIT $limit
