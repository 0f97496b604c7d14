-- name: lock
-- One process at a time applies the schema; the others wait.
select pg_advisory_xact_lock(hashtextextended('graphmem:schema', 0));

-- name: has_schema
-- Was the schema ever applied here?
select to_regclass('schema_version') is not null as applied;

-- name: version
-- The version the data is at.
select coalesce(max(version), 0) as version from schema_version;

-- name: set_version
-- Notes that the data is at this version now.
insert into schema_version (version) values (%(version)s) on conflict do nothing;

-- name: has_queue
-- Are procrastinate's tables there?
select to_regclass('procrastinate_jobs') is not null as applied;
