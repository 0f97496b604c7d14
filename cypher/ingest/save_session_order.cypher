// Links episodes to what was said next in their sessions, in Graphiti's shape, in place of the links they had.
//
// Used by   GraphStore.save_session_order, by the projection
// $group_id  string  the namespace
// $rows      list    maps of source, target (null where nothing follows), uuid, created_at
// Returns   saved
CYPHER 25
UNWIND $rows AS row
MATCH (episode:Episodic {uuid: row.source})
CALL (episode, row) {
  MATCH (episode)-[old:NEXT_EPISODE]->(other:Episodic)
  WHERE row.target IS NULL OR other.uuid <> row.target
  DELETE old
}
MATCH (next:Episodic {uuid: row.target})
MERGE (episode)-[link:NEXT_EPISODE]->(next)
SET link.uuid = row.uuid,
    link.group_id = $group_id,
    link.created_at = row.created_at
RETURN count(*) AS saved
