// Makes entities members of communities, where both are there.
//
// Used by   GraphStore.save_members, by the projection
// $group_id  string  the namespace
// $rows      list    maps of uuid, community, entity (uuids), created_at
// Returns   saved
CYPHER 25
UNWIND $rows AS row
MATCH (community:Community {uuid: row.community})
MATCH (entity:Entity {uuid: row.entity})
WHERE community.group_id = $group_id AND entity.group_id = $group_id
MERGE (community)-[member:HAS_MEMBER]->(entity)
SET member.uuid = row.uuid,
    member.group_id = $group_id,
    member.created_at = row.created_at
RETURN count(*) AS saved
