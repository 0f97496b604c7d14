// Takes communities out of the graph; their members stay.
//
// Used by   GraphStore.remove_communities, by the projection
// $group_id  string  the namespace
// $uuids     list    their uuids
// Returns   removed
CYPHER 25
MATCH (community:Community)
WHERE community.uuid IN $uuids AND community.group_id = $group_id
DETACH DELETE community
RETURN count(*) AS removed
