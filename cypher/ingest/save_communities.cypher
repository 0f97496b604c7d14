// Writes communities in Graphiti's shape, and lets go of those that are no longer members.
//
// Used by   GraphStore.save_communities, by the projection
// $group_id  string  the namespace
// $rows      list    maps of uuid, name, summary, created_at, vector (or null), members (uuids of entities)
// Returns   saved
CYPHER 25
UNWIND $rows AS row
MERGE (community:Community {uuid: row.uuid})
SET community.group_id = $group_id,
    community.name = row.name,
    community.summary = row.summary,
    community.created_at = row.created_at,
    community.name_embedding = CASE WHEN row.vector IS NULL THEN null ELSE toFloatList(row.vector) END
WITH community, row
CALL (community, row) {
  MATCH (community)-[old:HAS_MEMBER]->(entity:Entity)
  WHERE NOT entity.uuid IN row.members
  DELETE old
}
RETURN count(*) AS saved
