// Writes facts in Graphiti's shape, in place of what stood under the same uuid.
//
// Used by   GraphStore.save_facts, by the projection
// $group_id  string  the namespace
// $rows      list    maps of uuid, source, target, name, fact, episodes, the four times, stated_invalid_at, end, until,
//                    confirmed, retired_by, vector
// Returns   saved
CYPHER 25
UNWIND $rows AS row
OPTIONAL MATCH ()-[old:RELATES_TO {uuid: row.uuid}]->()
DELETE old
WITH DISTINCT row
MATCH (source:Entity {uuid: row.source})
MATCH (target:Entity {uuid: row.target})
CREATE (source)-[fact:RELATES_TO]->(target)
SET fact.uuid = row.uuid,
    fact.group_id = $group_id,
    fact.name = row.name,
    fact.fact = row.fact,
    fact.episodes = row.episodes,
    fact.created_at = row.created_at,
    fact.expired_at = row.expired_at,
    fact.valid_at = row.valid_at,
    fact.invalid_at = row.invalid_at,
    fact.reference_time = row.created_at,
    fact.source_node_uuid = row.source,
    fact.target_node_uuid = row.target,
    fact.fact_embedding = CASE WHEN row.vector IS NULL THEN null ELSE toFloatList(row.vector) END,
    fact.gm_stated_invalid_at = row.stated_invalid_at,
    fact.gm_end = row.end,
    fact.gm_until = row.until,
    fact.gm_confirmed = row.confirmed,
    fact.gm_retired_by = row.retired_by
RETURN count(*) AS saved
