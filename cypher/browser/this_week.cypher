// What changed in the last seven days: the facts learned, and those that were found to be over; newest first.
//
// Used by   http/guide.html
// $namespace  string  whose memory
// Returns   path
MATCH path = (:Entity {group_id: $namespace})-[fact:RELATES_TO]->(:Entity {group_id: $namespace})
WITH path, coalesce(fact.expired_at, fact.created_at) AS changed_at
WHERE changed_at > datetime() - duration('P7D')
RETURN path
ORDER BY changed_at DESC
LIMIT 60
