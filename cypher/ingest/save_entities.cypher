// Writes entities in Graphiti's shape; again with the same uuid changes nothing.
//
// Used by   GraphStore.save_entities, by the projection
// $group_id  string  the namespace
// $rows      list    maps of uuid, name, labels, summary, created_at, vector (or null)
// Returns   saved
CYPHER 25
UNWIND $rows AS row
MERGE (entity:Entity {uuid: row.uuid})
REMOVE entity:$([label IN labels(entity) WHERE NOT label IN row.labels])
SET entity:$(row.labels)
SET entity.group_id = $group_id,
    entity.name = row.name,
    entity.labels = row.labels,
    entity.summary = row.summary,
    entity.created_at = row.created_at,
    entity.name_embedding = CASE WHEN row.vector IS NULL THEN null ELSE toFloatList(row.vector) END
RETURN count(*) AS saved
