// Whose memory is in here: every namespace with how much it holds. The only query of these that looks at all of them.
//
// Used by   http/guide.html
// Returns   namespace, entities, episodes
MATCH (node:Entity|Episodic)
RETURN node.group_id AS namespace,
       count(CASE WHEN node:Entity THEN 1 END) AS entities,
       count(CASE WHEN node:Episodic THEN 1 END) AS episodes
ORDER BY namespace
LIMIT 1000
