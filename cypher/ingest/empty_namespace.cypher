// Takes everything of a namespace out of the graph, in small transactions.
//
// Used by   GraphStore.empty, by the worker
// $group_id  string  the namespace
CYPHER 25
MATCH (node:Entity|Episodic|Community|Saga {group_id: $group_id})
CALL (node) {
  DETACH DELETE node
} IN TRANSACTIONS OF 1000 ROWS
