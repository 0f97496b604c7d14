-- name: natures
-- What ordering and weighing need to know of memories, in no order; ids that are neither episode nor fact are left out.
select id, 'episode' as kind, type, occurred_at as moment, digest::text, importance, path, traits,
    (select count from access where access.namespace = episode.namespace and memory = id) as accesses, false as lasting
from episode
where namespace = %(namespace)s and id = any(%(ids)s::text[])
union all
select id::text, 'fact', 'relationship', confirmed_at, md5(fact)::uuid::text, 'normal', null, '{}',
    (select count from access where access.namespace = fact.namespace and memory = id::text),
    exists (select from tier where tier.namespace = fact.namespace and tier.fact = fact.id and tier.tier = 'identity')
from fact
where namespace = %(namespace)s and id = any(%(uuids)s::uuid[]);

-- name: decide
-- Keeps the traits of episodes whose traits were never decided.
update episode set traits = given.traits
from json_to_recordset(%(rows)s::json) as given(id text, traits text[])
where namespace = %(namespace)s and episode.id = given.id and episode.traits is null;
