// Takes episodes out of the graph.
//
// Used by   GraphStore.remove_episodes, by the worker
// $group_id  string  the namespace
// $uuids     list    their uuids
// Returns   removed
CYPHER 25
MATCH (episode:Episodic)
WHERE episode.uuid IN $uuids AND episode.group_id = $group_id
DETACH DELETE episode
RETURN count(*) AS removed
