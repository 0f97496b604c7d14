// Writes episodes as Graphiti's Episodic nodes; again with the same uuid changes nothing.
//
// Used by   GraphStore.save_episodes, by the worker
// $group_id  string  the namespace
// $rows      list    maps of uuid, name, source, source_description, content, valid_at, created_at
// Returns   saved
CYPHER 25
UNWIND $rows AS row
MERGE (episode:Episodic {uuid: row.uuid})
ON CREATE SET episode.entity_edges = []
SET episode.group_id = $group_id,
    episode.name = row.name,
    episode.source = row.source,
    episode.source_description = row.source_description,
    episode.content = row.content,
    episode.valid_at = row.valid_at,
    episode.created_at = row.created_at
RETURN count(*) AS saved
