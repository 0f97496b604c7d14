// Takes synapses out of the graph.
//
// Used by   GraphStore.remove_synapses, by the projection
// $group_id  string  the namespace
// $uuids     list    their uuids
// Returns   removed
CYPHER 25
MATCH ()-[synapse:SYNAPSE]->()
WHERE synapse.uuid IN $uuids AND synapse.group_id = $group_id
DELETE synapse
RETURN count(*) AS removed
