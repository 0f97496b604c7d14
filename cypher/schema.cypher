// Constraints and vector indexes of our own, and all indexes that Graphiti makes, under its names. Of its uuids three are
// constraints here, which come first: an index on the same would stand in their way.
//
// Used by   GraphStore.prepare, statement by statement
CYPHER 25 CREATE CONSTRAINT gm_episodic_uuid IF NOT EXISTS FOR (n:Episodic) REQUIRE n.uuid IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT gm_entity_uuid IF NOT EXISTS FOR (n:Entity) REQUIRE n.uuid IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT gm_fact_uuid IF NOT EXISTS FOR ()-[e:RELATES_TO]-() REQUIRE e.uuid IS UNIQUE;
CYPHER 25 CREATE CONSTRAINT gm_synapse_uuid IF NOT EXISTS FOR ()-[e:SYNAPSE]-() REQUIRE e.uuid IS UNIQUE;
CYPHER 25 DROP INDEX gm_episodic_group IF EXISTS;
CYPHER 25 DROP INDEX gm_entity_group IF EXISTS;
CYPHER 25 CREATE INDEX community_uuid IF NOT EXISTS FOR (n:Community) ON (n.uuid);
CYPHER 25 CREATE INDEX saga_uuid IF NOT EXISTS FOR (n:Saga) ON (n.uuid);
CYPHER 25 CREATE INDEX mention_uuid IF NOT EXISTS FOR ()-[e:MENTIONS]-() ON (e.uuid);
CYPHER 25 CREATE INDEX has_member_uuid IF NOT EXISTS FOR ()-[e:HAS_MEMBER]-() ON (e.uuid);
CYPHER 25 CREATE INDEX has_episode_uuid IF NOT EXISTS FOR ()-[e:HAS_EPISODE]-() ON (e.uuid);
CYPHER 25 CREATE INDEX next_episode_uuid IF NOT EXISTS FOR ()-[e:NEXT_EPISODE]-() ON (e.uuid);
CYPHER 25 CREATE INDEX entity_group_id IF NOT EXISTS FOR (n:Entity) ON (n.group_id);
CYPHER 25 CREATE INDEX episode_group_id IF NOT EXISTS FOR (n:Episodic) ON (n.group_id);
CYPHER 25 CREATE INDEX community_group_id IF NOT EXISTS FOR (n:Community) ON (n.group_id);
CYPHER 25 CREATE INDEX saga_group_id IF NOT EXISTS FOR (n:Saga) ON (n.group_id);
CYPHER 25 CREATE INDEX relation_group_id IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.group_id);
CYPHER 25 CREATE INDEX mention_group_id IF NOT EXISTS FOR ()-[e:MENTIONS]-() ON (e.group_id);
CYPHER 25 CREATE INDEX has_episode_group_id IF NOT EXISTS FOR ()-[e:HAS_EPISODE]-() ON (e.group_id);
CYPHER 25 CREATE INDEX next_episode_group_id IF NOT EXISTS FOR ()-[e:NEXT_EPISODE]-() ON (e.group_id);
CYPHER 25 CREATE INDEX name_entity_index IF NOT EXISTS FOR (n:Entity) ON (n.name);
CYPHER 25 CREATE INDEX saga_name IF NOT EXISTS FOR (n:Saga) ON (n.name);
CYPHER 25 CREATE INDEX created_at_entity_index IF NOT EXISTS FOR (n:Entity) ON (n.created_at);
CYPHER 25 CREATE INDEX created_at_episodic_index IF NOT EXISTS FOR (n:Episodic) ON (n.created_at);
CYPHER 25 CREATE INDEX valid_at_episodic_index IF NOT EXISTS FOR (n:Episodic) ON (n.valid_at);
CYPHER 25 CREATE INDEX name_edge_index IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.name);
CYPHER 25 CREATE INDEX created_at_edge_index IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.created_at);
CYPHER 25 CREATE INDEX expired_at_edge_index IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.expired_at);
CYPHER 25 CREATE INDEX valid_at_edge_index IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.valid_at);
CYPHER 25 CREATE INDEX invalid_at_edge_index IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.invalid_at);
CYPHER 25 CREATE FULLTEXT INDEX episode_content IF NOT EXISTS FOR (e:Episodic) ON EACH [e.content, e.source, e.source_description, e.group_id];
CYPHER 25 CREATE FULLTEXT INDEX node_name_and_summary IF NOT EXISTS FOR (n:Entity) ON EACH [n.name, n.summary, n.group_id];
CYPHER 25 CREATE FULLTEXT INDEX community_name IF NOT EXISTS FOR (n:Community) ON EACH [n.name, n.group_id];
CYPHER 25 CREATE FULLTEXT INDEX edge_name_and_fact IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON EACH [e.name, e.fact, e.group_id];
CYPHER 25 CREATE VECTOR INDEX gm_fact_vector IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.fact_embedding) WITH [e.group_id, e.gm_end] OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CYPHER 25 CREATE VECTOR INDEX gm_entity_vector IF NOT EXISTS FOR (n:Entity) ON (n.name_embedding) WITH [n.group_id] OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CALL db.awaitIndexes(120);
