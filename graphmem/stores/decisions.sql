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

-- name: archived_now
-- Episodes that faded.
select to_jsonb(archived) - 'namespace' as image
from archived
where namespace = %(namespace)s and doc in (
    select doc from jsonb_populate_recordset(null::archived, %(rows)s::jsonb)
);

-- name: archived_image
-- The same as it would be read.
select to_jsonb(jsonb_populate_record(null::archived, row)) - 'namespace' as image
from jsonb_array_elements(%(rows)s::jsonb) with ordinality as given(row, place) order by place;

-- name: keep_archived
-- They are out of ordinary searches.
insert into archived (namespace, doc, archived_at)
select %(namespace)s, doc, archived_at from jsonb_populate_recordset(null::archived, %(rows)s::jsonb)
on conflict (namespace, doc) do update set archived_at = excluded.archived_at;

-- name: drop_archived
-- They are back.
delete from archived
where namespace = %(namespace)s and doc in (
    select doc from jsonb_populate_recordset(null::archived, %(rows)s::jsonb)
);

-- name: near_duplicate_now
-- What stands behind what.
select to_jsonb(near_duplicate) - 'namespace' as image
from near_duplicate
where namespace = %(namespace)s and doc in (
    select doc from jsonb_populate_recordset(null::near_duplicate, %(rows)s::jsonb)
);

-- name: near_duplicate_image
-- The same as it would be read.
select to_jsonb(jsonb_populate_record(null::near_duplicate, row)) - 'namespace' as image
from jsonb_array_elements(%(rows)s::jsonb) with ordinality as given(row, place) order by place;

-- name: keep_near_duplicate
-- They stand behind another.
insert into near_duplicate (namespace, doc, front, likeness)
select %(namespace)s, doc, front, likeness from jsonb_populate_recordset(null::near_duplicate, %(rows)s::jsonb)
on conflict (namespace, doc) do update set front = excluded.front, likeness = excluded.likeness;

-- name: drop_near_duplicate
-- They stand for themselves.
delete from near_duplicate
where namespace = %(namespace)s and doc in (
    select doc from jsonb_populate_recordset(null::near_duplicate, %(rows)s::jsonb)
);

-- name: synapse_now
-- Ties by their ends.
select to_jsonb(synapse) - 'namespace' as image
from synapse
where namespace = %(namespace)s and (one, other) in (
    select one, other from jsonb_populate_recordset(null::synapse, %(rows)s::jsonb)
);

-- name: synapse_image
-- The same as it would be read.
select to_jsonb(jsonb_populate_record(null::synapse, row)) - 'namespace' as image
from jsonb_array_elements(%(rows)s::jsonb) with ordinality as given(row, place) order by place;

-- name: keep_synapse
-- These are tied so strongly.
insert into synapse (namespace, one, other, weight, at)
select %(namespace)s, one, other, weight, at from jsonb_populate_recordset(null::synapse, %(rows)s::jsonb)
on conflict (namespace, one, other) do update set weight = excluded.weight, at = excluded.at;

-- name: drop_synapse
-- These are no longer tied.
delete from synapse
where namespace = %(namespace)s and (one, other) in (
    select one, other from jsonb_populate_recordset(null::synapse, %(rows)s::jsonb)
);

-- name: community_member_now
-- To which community entities belong.
select to_jsonb(community_member) - 'namespace' as image
from community_member
where namespace = %(namespace)s and entity in (
    select entity from jsonb_populate_recordset(null::community_member, %(rows)s::jsonb)
);

-- name: community_member_image
-- The same as it would be read.
select to_jsonb(jsonb_populate_record(null::community_member, row)) - 'namespace' as image
from jsonb_array_elements(%(rows)s::jsonb) with ordinality as given(row, place) order by place;

-- name: keep_community_member
-- They belong there.
insert into community_member (namespace, entity, community)
select %(namespace)s, entity, community from jsonb_populate_recordset(null::community_member, %(rows)s::jsonb)
on conflict (namespace, entity) do update set community = excluded.community;

-- name: drop_community_member
-- They belong nowhere.
delete from community_member
where namespace = %(namespace)s and entity in (
    select entity from jsonb_populate_recordset(null::community_member, %(rows)s::jsonb)
);

-- name: summary_now
-- Summaries by what they are of.
select to_jsonb(summary) - 'namespace' as image
from summary
where namespace = %(namespace)s and subject in (
    select subject from jsonb_populate_recordset(null::summary, %(rows)s::jsonb)
);

-- name: summary_image
-- The same as it would be read.
select to_jsonb(jsonb_populate_record(null::summary, row)) - 'namespace' as image
from jsonb_array_elements(%(rows)s::jsonb) with ordinality as given(row, place) order by place;

-- name: keep_summary
-- This is said of them.
insert into summary (namespace, subject, kind, text, facts, made_by, created_at)
select %(namespace)s, subject, kind, text, facts, made_by, created_at from jsonb_populate_recordset(null::summary, %(rows)s::jsonb)
on conflict (namespace, subject) do update set kind = excluded.kind, text = excluded.text, facts = excluded.facts, made_by = excluded.made_by, created_at = excluded.created_at;

-- name: drop_summary
-- Nothing is said of them.
delete from summary
where namespace = %(namespace)s and subject in (
    select subject from jsonb_populate_recordset(null::summary, %(rows)s::jsonb)
);

-- name: community_now
-- Communities by their ids.
select to_jsonb(community) - '{namespace,vector}'::text[] || jsonb_build_object('vector', vector::text) as image
from community
where namespace = %(namespace)s and id in (
    select id from jsonb_populate_recordset(null::community, %(rows)s::jsonb)
);

-- name: community_image
-- The same as it would be read.
select to_jsonb(row) - '{namespace,vector}'::text[] || jsonb_build_object('vector', row.vector::text) as image
from jsonb_array_elements(%(rows)s::jsonb) with ordinality as given(image, place)
    cross join lateral jsonb_populate_record(null::community, given.image) as row
order by place;

-- name: keep_community
-- There are these communities.
insert into community (namespace, id, name, created_at, vector)
select %(namespace)s, id, name, created_at, vector from jsonb_populate_recordset(null::community, %(rows)s::jsonb)
on conflict (namespace, id) do update
set name = excluded.name, created_at = excluded.created_at, vector = excluded.vector;

-- name: drop_community
-- They are no more.
delete from community
where namespace = %(namespace)s and id in (
    select id from jsonb_populate_recordset(null::community, %(rows)s::jsonb)
);
