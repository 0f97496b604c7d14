// The path of one memory: the newest episode with these words in it, whom it mentions, the facts it supports, what was said next.
//
// Used by   http/guide.html
// $namespace  string  whose memory
// $words      string  words as they stand in the episode, in capitals or not
// Returns   path
MATCH (episode:Episodic {group_id: $namespace})
WHERE toLower(episode.content) CONTAINS toLower($words)
WITH episode
ORDER BY episode.valid_at DESC
LIMIT 1
CALL (episode) {
  MATCH path = (episode)-[:MENTIONS]->(:Entity {group_id: $namespace})
  RETURN path
  LIMIT 50
  UNION ALL
  MATCH path = (:Episodic {group_id: $namespace})-[:NEXT_EPISODE*0..1]->(episode)-[:NEXT_EPISODE*0..1]->(:Episodic)
  RETURN path
  LIMIT 4
  UNION ALL
  UNWIND episode.entity_edges AS uuid
  MATCH path = (:Entity {group_id: $namespace})-[:RELATES_TO {uuid: uuid}]->(:Entity)
  RETURN path
  LIMIT 50
}
RETURN path
LIMIT 100
