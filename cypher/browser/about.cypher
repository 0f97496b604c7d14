// What is known about someone or something: the facts that hold now, and the three newest episodes that speak of it.
//
// Used by   http/guide.html
// $namespace  string  whose memory
// $name       string  the entity's name, in capitals or not
// Returns   path
MATCH (entity:Entity {group_id: $namespace})
WHERE toLower(entity.name) = toLower($name)
CALL (entity) {
  MATCH path = (entity)-[fact:RELATES_TO]-(:Entity {group_id: $namespace})
  WHERE fact.invalid_at IS NULL OR fact.invalid_at > datetime()
  RETURN path
  ORDER BY fact.created_at DESC
  LIMIT 60
  UNION ALL
  MATCH path = (entity)<-[:MENTIONS]-(episode:Episodic {group_id: $namespace})
  RETURN path
  ORDER BY episode.valid_at DESC
  LIMIT 3
}
RETURN path
LIMIT 200
