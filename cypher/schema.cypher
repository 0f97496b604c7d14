// Constraints and vector indexes of our own; the constraints come before Graphiti's indexes, which would stand in their way.
//
// Used by   GraphStore.prepare, statement by statement
CYPHER 25 CREATE CONSTRAINT gm_episodic_uuid IF NOT EXISTS FOR (n:Episodic) REQUIRE n.uuid IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT gm_entity_uuid IF NOT EXISTS FOR (n:Entity) REQUIRE n.uuid IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT gm_fact_uuid IF NOT EXISTS FOR ()-[e:RELATES_TO]-() REQUIRE e.uuid IS UNIQUE;
CYPHER 25 CREATE INDEX gm_episodic_group IF NOT EXISTS FOR (n:Episodic) ON (n.group_id);
CYPHER 25 CREATE INDEX gm_entity_group IF NOT EXISTS FOR (n:Entity) ON (n.group_id);
CYPHER 25 CREATE FULLTEXT INDEX edge_name_and_fact IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON EACH [e.name, e.fact, e.group_id];
CYPHER 25 CREATE VECTOR INDEX gm_fact_vector IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.fact_embedding) WITH [e.group_id, e.gm_end] OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CALL db.awaitIndexes(120);
