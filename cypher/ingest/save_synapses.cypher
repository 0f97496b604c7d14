// Ties entities and episodes that were recalled together, in place of the tie they had.
//
// Used by   GraphStore.save_synapses, by the projection
// $group_id  string  the namespace
// $rows      list    maps of uuid, one, other (uuids), weight, at (epoch milliseconds)
// Returns   saved
CYPHER 25
UNWIND $rows AS row
OPTIONAL MATCH (entity:Entity {uuid: row.one})
OPTIONAL MATCH (episode:Episodic {uuid: row.one})
OPTIONAL MATCH (other_entity:Entity {uuid: row.other})
OPTIONAL MATCH (other_episode:Episodic {uuid: row.other})
WITH row, coalesce(entity, episode) AS one, coalesce(other_entity, other_episode) AS other
WHERE one IS NOT NULL AND other IS NOT NULL AND one.group_id = $group_id AND other.group_id = $group_id
MERGE (one)-[synapse:SYNAPSE {uuid: row.uuid}]->(other)
SET synapse.group_id = $group_id,
    synapse.weight = row.weight,
    synapse.at = row.at
RETURN count(*) AS saved
