// How many nodes of a namespace the graph holds.
//
// Used by   GraphStore.count
// $group_id  string  the namespace
// Returns   nodes
CYPHER 25
MATCH (node:Entity|Episodic|Community|Saga {group_id: $group_id})
RETURN count(node) AS nodes
LIMIT 1
