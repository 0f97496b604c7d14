// Entities that may be one and the same: they are tied to the same third, and their names resemble each other.
//
// Used by   http/guide.html
// $namespace  string  whose memory
// Returns   path
MATCH (shared:Entity {group_id: $namespace})
WHERE COUNT { (shared)-[:RELATES_TO]-() } < 200
MATCH path = (one:Entity)-[:RELATES_TO]-(shared)-[:RELATES_TO]-(other:Entity)
WHERE one.uuid < other.uuid AND one.group_id = $namespace AND other.group_id = $namespace
WITH path, toLower(one.name) AS a, toLower(other.name) AS b
WHERE a STARTS WITH b
   OR b STARTS WITH a
   OR (left(a, 4) = left(b, 4) AND abs(size(a) - size(b)) <= 2)
   OR all(word IN split(a, ' ') WHERE word IN split(b, ' '))
   OR all(word IN split(b, ' ') WHERE word IN split(a, ' '))
RETURN path
LIMIT 100
