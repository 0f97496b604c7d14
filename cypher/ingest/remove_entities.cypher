// Takes entities out of the graph, with the facts and mentions that hang on them.
//
// Used by   GraphStore.remove_entities, by the projection
// $group_id  string  the namespace
// $uuids     list    their uuids
// Returns   removed
CYPHER 25
MATCH (entity:Entity)
WHERE entity.uuid IN $uuids AND entity.group_id = $group_id
DETACH DELETE entity
RETURN count(*) AS removed
