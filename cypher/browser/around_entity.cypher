// What is believed of an entity now, and of those around it: the graph that GET /v1/graph answers, to look at.
//
// Used by   http/browser.py, with the values written in, for the editor of Neo4j Browser
// $group_id  string   the namespace
// $uuid      string   the entity
// $hops      integer  how far to go, 1 to 3
// $limit     integer  at most this many paths
// Returns   path
MATCH path = (entity:Entity {uuid: $uuid, group_id: $group_id})-[:RELATES_TO*1..3]-(:Entity)
WHERE length(path) <= $hops
  AND all(
    fact IN relationships(path)
    WHERE fact.group_id = $group_id AND (fact.invalid_at IS NULL OR fact.invalid_at > datetime())
  )
RETURN path
ORDER BY length(path)
LIMIT $limit
