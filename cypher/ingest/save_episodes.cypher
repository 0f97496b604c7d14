// Writes episodes as Graphiti's Episodic nodes, with what each mentions; again with the same uuid changes nothing.
//
// Used by   GraphStore.save_episodes, by the projection
// $group_id  string  the namespace
// $rows      list    maps of uuid, id, name, source, source_description, content, valid_at, created_at, entity_edges, mentions
// Returns   saved
CYPHER 25
UNWIND $rows AS row
MERGE (episode:Episodic {uuid: row.uuid})
SET episode.group_id = $group_id,
    episode.name = row.name,
    episode.gm_id = row.id,
    episode.source = row.source,
    episode.source_description = row.source_description,
    episode.content = row.content,
    episode.valid_at = row.valid_at,
    episode.created_at = row.created_at,
    episode.entity_edges = row.entity_edges
WITH episode, row
CALL (episode, row) {
  MATCH (episode)-[old:MENTIONS]->(entity:Entity)
  WHERE NOT entity.uuid IN row.mentions
  DELETE old
}
CALL (episode, row) {
  UNWIND row.mentions AS mentioned
  MATCH (entity:Entity {uuid: mentioned})
  MERGE (episode)-[mention:MENTIONS]->(entity)
  SET mention.uuid = row.uuid + ':' + mentioned,
      mention.group_id = $group_id,
      mention.created_at = row.created_at
}
RETURN count(*) AS saved
