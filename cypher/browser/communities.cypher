// Who and what belongs together, in the groups that the nightly run finds; empty until it has run.
//
// Used by   http/guide.html
// $namespace  string  whose memory
// Returns   path
MATCH path = (community:Community {group_id: $namespace})-[:HAS_MEMBER]->(:Entity {group_id: $namespace})
RETURN path
ORDER BY community.name
LIMIT 150
