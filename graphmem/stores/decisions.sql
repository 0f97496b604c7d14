-- name: entity_link_now
-- Links by their keys.
select to_jsonb(one) - 'namespace' as image
from entity_link as one
where namespace = %(namespace)s and (alias, entity, cause) in (
    select alias, entity, cause from jsonb_populate_recordset(null::entity_link, %(rows)s::jsonb)
);

-- name: entity_link_image
-- Links as they would be read.
select to_jsonb(jsonb_populate_record(null::entity_link, row)) - 'namespace' as image
from jsonb_array_elements(%(rows)s::jsonb) with ordinality as given(row, place) order by place;

-- name: keep_entity_link
-- Two entities are decided to be one.
insert into entity_link (namespace, alias, entity, reason, cause)
select %(namespace)s, alias, entity, reason, cause
from jsonb_populate_recordset(null::entity_link, %(rows)s::jsonb)
on conflict (namespace, alias, entity, cause) do update set reason = excluded.reason;

-- name: drop_entity_link
-- They are no longer decided to be one.
delete from entity_link
where namespace = %(namespace)s and (alias, entity, cause) in (
    select alias, entity, cause from jsonb_populate_recordset(null::entity_link, %(rows)s::jsonb)
);

-- name: statement_now
-- Statements by id, without what follows from names and from settling.
select to_jsonb(one) - '{namespace,source,target,fact}'::text[] as image
from statement as one
where namespace = %(namespace)s and id in (
    select id from jsonb_populate_recordset(null::statement, %(rows)s::jsonb)
);

-- name: statement_image
-- Statements as they would be read.
select to_jsonb(jsonb_populate_record(null::statement, row)) - '{namespace,source,target,fact}'::text[] as image
from jsonb_array_elements(%(rows)s::jsonb) with ordinality as given(row, place) order by place;

-- name: keep_statement
-- What the night says, of the entities that the names mean now.
insert into statement (
    namespace, id, episode, source, relation, target, text, valid_at, invalid_at, ends, origin, fixed_fact, created_at,
    replaced_by, named_source, named_target
)
select %(namespace)s, row.id, episode, coalesce(source.entity, named_source), relation,
    coalesce(target.entity, named_target), text, valid_at, invalid_at, ends, origin, fixed_fact, created_at,
    replaced_by, named_source, named_target
from jsonb_to_recordset(%(rows)s::jsonb) as row(
        id uuid, episode text, relation text, text text, valid_at timestamptz, invalid_at timestamptz, ends boolean,
        origin text, fixed_fact uuid, created_at timestamptz, replaced_by uuid, named_source uuid, named_target uuid
    )
    left join meaning as source on source.namespace = %(namespace)s and source.named = named_source
    left join meaning as target on target.namespace = %(namespace)s and target.named = named_target
on conflict (namespace, id) do nothing;

-- name: drop_statement
-- It is no longer said.
delete from statement
where namespace = %(namespace)s and id in (
    select id from jsonb_populate_recordset(null::statement, %(rows)s::jsonb)
);

-- name: entity_now
-- What is kept of entities beside what follows from their mentions.
select jsonb_build_object('id', id, 'summary', summary, 'vector', vector::text) as image
from entity
where namespace = %(namespace)s and id in (
    select id from jsonb_populate_recordset(null::entity, %(rows)s::jsonb)
);

-- name: entity_image
-- The same as it would be read.
select jsonb_build_object('id', row.id, 'summary', row.summary, 'vector', row.vector::text) as image
from jsonb_array_elements(%(rows)s::jsonb) with ordinality as given(image, place)
    cross join lateral jsonb_populate_record(null::entity, given.image) as row
order by place;

-- name: keep_entity
-- Entities that are there get this beside what follows from their mentions.
update entity set summary = row.summary, vector = row.vector
from jsonb_populate_recordset(null::entity, %(rows)s::jsonb) as row
where entity.namespace = %(namespace)s and entity.id = row.id;

-- name: drop_entity
-- It goes with what names it; what is still named loses what was kept beside.
update entity set summary = '', vector = null
from jsonb_populate_recordset(null::entity, %(rows)s::jsonb) as row
where entity.namespace = %(namespace)s and entity.id = row.id;

-- name: tier_now
-- The tiers of facts.
select to_jsonb(one) - 'namespace' as image
from tier as one
where namespace = %(namespace)s and fact in (
    select fact from jsonb_populate_recordset(null::tier, %(rows)s::jsonb)
);

-- name: tier_image
-- Tiers as they would be read.
select to_jsonb(jsonb_populate_record(null::tier, row)) - 'namespace' as image
from jsonb_array_elements(%(rows)s::jsonb) with ordinality as given(row, place) order by place;

-- name: keep_tier
-- What facts are worth.
insert into tier (namespace, fact, tier, sessions)
select %(namespace)s, fact, tier, sessions from jsonb_populate_recordset(null::tier, %(rows)s::jsonb)
on conflict (namespace, fact) do update set tier = excluded.tier, sessions = excluded.sessions;

-- name: drop_tier
-- They are said once.
delete from tier
where namespace = %(namespace)s and fact in (
    select fact from jsonb_populate_recordset(null::tier, %(rows)s::jsonb)
);
