// What the graph shows of some entities, facts and episodes.
//
// Used by   GraphCheck.shown, by the night
// $group_id  string  the namespace
// $entities  list    uuids
// $facts     list    uuids
// $episodes  list    uuids
// $limit     integer at most this many
// Returns   uuid, shows: what is compared with the ledger
CYPHER 25
CALL () {
  UNWIND $entities AS uuid
  MATCH (entity:Entity {uuid: uuid, group_id: $group_id})
  RETURN uuid, {name: entity.name, summary: entity.summary} AS shows
  UNION ALL
  UNWIND $facts AS uuid
  MATCH (source:Entity)-[fact:RELATES_TO {uuid: uuid, group_id: $group_id}]->(target:Entity)
  RETURN uuid, {source: source.uuid, target: target.uuid, name: fact.name, fact: fact.fact, end: fact.gm_end,
                confirmed: fact.gm_confirmed, episodes: fact.episodes} AS shows
  UNION ALL
  UNWIND $episodes AS uuid
  MATCH (episode:Episodic {uuid: uuid, group_id: $group_id})
  RETURN uuid, {content: episode.content,
                mentions: COUNT { (episode)-[:MENTIONS]->(:Entity) }} AS shows
}
RETURN uuid, shows
LIMIT $limit
