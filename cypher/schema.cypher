// Constraints of our own; they come before Graphiti's indexes, which would otherwise stand in their way.
//
// Used by   GraphStore.prepare, statement by statement
CREATE CONSTRAINT gm_episodic_uuid IF NOT EXISTS FOR (n:Episodic) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT gm_entity_uuid IF NOT EXISTS FOR (n:Entity) REQUIRE n.uuid IS UNIQUE;
CREATE INDEX gm_episodic_group IF NOT EXISTS FOR (n:Episodic) ON (n.group_id);
