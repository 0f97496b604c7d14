-- name: facts
-- Facts by id, as the API shows them, with the episodes that support each.
select fact.id::text, relation, fact, valid_at, invalid_at, fact.created_at, expired_at, confirmed_at, origin,
    retired_by::text,
    json_build_object('id', source.id, 'name', source.name, 'type', source.type) as source,
    json_build_object('id', target.id, 'name', target.name, 'type', target.type) as target,
    array(
        select distinct statement.episode from statement
        where statement.namespace = fact.namespace and statement.fact = fact.id and not ends and episode <> ''
        order by statement.episode
    ) as episodes
from fact
    join entity as source on source.namespace = fact.namespace and source.id = fact.source
    join entity as target on target.namespace = fact.namespace and target.id = fact.target
where fact.namespace = %(namespace)s and fact.id = any(%(ids)s::uuid[]);

-- name: page
-- Facts that are shown, newest first, after the cursor: all, of an entity, of a relation.
select id::text
from fact
where namespace = %(namespace)s and fact_shown(fact.*, %(valid)s::timestamptz, %(known)s::timestamptz)
    and (%(entity)s::uuid is null or source = %(entity)s::uuid or target = %(entity)s::uuid)
    and (%(relation)s::text is null or relation = %(relation)s)
    and (%(after_time)s::timestamptz is null or (created_at, id) < (%(after_time)s, %(after_id)s::uuid))
order by created_at desc, id desc
limit %(limit)s;

-- name: history
-- What was said that a fact follows from, oldest first.
select nullif(episode, '') as episode, text, valid_at, invalid_at, ends, origin, created_at, replaced_by::text
from statement
where namespace = %(namespace)s and fact = %(id)s::uuid
order by created_at, episode, id
limit %(limit)s;

-- name: retired
-- The facts whose place a fact took, newest first.
select id::text
from fact
where namespace = %(namespace)s and retired_by = %(id)s::uuid
order by created_at desc, id desc
limit %(limit)s;

-- name: facts_of_episode
-- The facts an episode supports, in the order of the time they begin.
select id::text
from fact
where namespace = %(namespace)s and id in (
    select fact from statement where namespace = %(namespace)s and episode = %(episode)s and not ends
)
order by coalesce(valid_at, created_at), id;

-- name: entities_of_episode
-- The entities an episode names, by name.
select distinct entity.id::text, entity.name, entity.type, lower(entity.name) as place
from mention join entity on entity.namespace = mention.namespace and entity.id = mention.entity
where mention.namespace = %(namespace)s and mention.episode = %(episode)s
order by place, id;

-- name: entities
-- Entities by name, after the cursor; those whose name or other name holds the part, whatever its case.
select id::text, name, type, coalesce(nullif(summary, ''), summary_of(namespace, id), '') as summary,
    created_at, lower(name) as place,
    (select count(distinct episode) from mention
     where mention.namespace = entity.namespace and mention.entity = entity.id) as mentions
from entity
where namespace = %(namespace)s
    and (%(part)s::text is null or strpos(lower(name), lower(%(part)s)) > 0 or exists (
        select from meaning join mention
            on mention.namespace = meaning.namespace and mention.entity = meaning.entity and mention.named = meaning.named
        where meaning.namespace = entity.namespace and meaning.entity = entity.id
            and strpos(lower(mention.name), lower(%(part)s)) > 0
    ))
    and (%(type)s::text is null or type = %(type)s)
    and (%(after_name)s::text is null or (lower(name), id) > (%(after_name)s, %(after_id)s::uuid))
order by lower(name), id
limit %(limit)s;

-- name: entity
-- One entity, with every name it goes by; found also by the id that follows from another name of it.
select id::text, name, type, coalesce(nullif(summary, ''), summary_of(namespace, id), '') as summary,
    created_at,
    (select count(distinct episode) from mention
     where mention.namespace = entity.namespace and mention.entity = entity.id) as mentions,
    array(
        select other.name
        from (
            select distinct mention.name from mention
            where mention.namespace = entity.namespace and mention.entity = entity.id and mention.name <> entity.name
        ) as other
        order by lower(other.name), other.name
    ) as aliases
from entity
where namespace = %(namespace)s and id = coalesce(
    (select meaning.entity from meaning where meaning.namespace = %(namespace)s and named = %(id)s::uuid), %(id)s::uuid
);

-- name: facts_of_entity
-- The facts that are known of an entity, newest first: those that are shown, or those that are over or not yet.
select id::text
from fact
where namespace = %(namespace)s and (source = %(id)s::uuid or target = %(id)s::uuid)
    and created_at <= %(known)s::timestamptz
    and fact_shown(fact.*, %(valid)s::timestamptz, %(known)s::timestamptz) = %(shown)s
order by coalesce(valid_at, created_at) desc, id
limit %(limit)s;

-- name: timeline
-- All facts known of an entity in the order in which they begin, after the cursor.
select id::text, coalesce(valid_at, created_at) as place,
    fact_shown(fact.*, null::timestamptz, %(known)s::timestamptz) as current
from fact
where namespace = %(namespace)s and (source = %(id)s::uuid or target = %(id)s::uuid)
    and created_at <= %(known)s::timestamptz
    and (%(after_time)s::timestamptz is null
        or (coalesce(valid_at, created_at), id) > (%(after_time)s, %(after_id)s::uuid))
order by coalesce(valid_at, created_at), id
limit %(limit)s;

-- name: neighbours
-- The entities that facts that are shown tie to one, those with most facts first.
with tied as (
    select case when source = %(id)s::uuid then target else source end as other, relation
    from fact
    where namespace = %(namespace)s and (source = %(id)s::uuid or target = %(id)s::uuid)
        and fact_shown(fact.*, %(valid)s::timestamptz, %(known)s::timestamptz)
)
select entity.id::text, entity.name, entity.type, count(*) as facts, array_agg(distinct relation) as relations
from tied join entity on entity.namespace = %(namespace)s and entity.id = tied.other
where tied.other <> %(id)s::uuid
group by entity.id, entity.name, entity.type
order by count(*) desc, lower(entity.name), entity.id
limit %(limit)s;

-- name: edges_around
-- Facts that are shown around some entities, at most so many for each, those confirmed last first.
select distinct near.id::text, near.source::text, near.target::text
from unnest(%(ids)s::uuid[]) as node(id)
    cross join lateral (
        select both_ways.id, both_ways.source, both_ways.target
        from (
            select id, source, target, confirmed_at from fact
            where namespace = %(namespace)s and source = node.id
                and fact_shown(fact.*, %(valid)s::timestamptz, %(known)s::timestamptz)
            union
            select id, source, target, confirmed_at from fact
            where namespace = %(namespace)s and target = node.id
                and fact_shown(fact.*, %(valid)s::timestamptz, %(known)s::timestamptz)
        ) as both_ways
        order by both_ways.confirmed_at desc, both_ways.id
        limit %(fan_out)s
    ) as near
order by 1
limit %(limit)s;
