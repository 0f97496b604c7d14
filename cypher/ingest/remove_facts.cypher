// Takes facts out of the graph.
//
// Used by   GraphStore.remove_facts, by the projection
// $group_id  string  the namespace
// $uuids     list    their uuids
// Returns   removed
CYPHER 25
UNWIND $uuids AS uuid
MATCH ()-[fact:RELATES_TO {uuid: uuid}]->()
WHERE fact.group_id = $group_id
DELETE fact
RETURN count(*) AS removed
