// What it is all about: the eight entities that most facts of today tie to others, each with its newest twenty.
//
// Used by   http/guide.html
// $namespace  string  whose memory
// Returns   path
MATCH (hub:Entity {group_id: $namespace})-[fact:RELATES_TO]-(:Entity)
WHERE fact.invalid_at IS NULL OR fact.invalid_at > datetime()
WITH hub, count(*) AS facts
ORDER BY facts DESC, hub.uuid
LIMIT 8
CALL (hub) {
  MATCH path = (hub)-[fact:RELATES_TO]-(:Entity {group_id: $namespace})
  WHERE fact.invalid_at IS NULL OR fact.invalid_at > datetime()
  RETURN path
  ORDER BY fact.created_at DESC
  LIMIT 20
}
RETURN path
LIMIT 160
