// How many entities, facts and episodes of a namespace the graph shows.
//
// Used by   GraphCheck.counts, by the night
// $group_id  string  the namespace
// Returns   entities, facts, episodes
CYPHER 25
RETURN COUNT { MATCH (entity:Entity {group_id: $group_id}) } AS entities,
       COUNT { MATCH (:Entity {group_id: $group_id})-[fact:RELATES_TO]->(:Entity) } AS facts,
       COUNT { MATCH (episode:Episodic {group_id: $group_id}) } AS episodes
LIMIT 1
