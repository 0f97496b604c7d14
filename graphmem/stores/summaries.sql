-- name: touched
-- The entities and communities whose facts these are, and what has a summary that rests on one of them.
with ends as materialized (
    select distinct entity
    from fact cross join lateral (values (source), (target)) as both_ends(entity)
    where namespace = %(namespace)s and id = any(%(ids)s::uuid[])
)
select entity::text as subject, 'entity' as kind from ends
union
select community::text, 'community' from ends join community_member using (entity) where namespace = %(namespace)s
union
select subject::text, kind from summary where namespace = %(namespace)s and facts && %(ids)s::uuid[]
order by 2, 1;

-- name: of_entities
-- Of each entity that enough episodes mention the facts that hold, those first that most episodes state.
select wanted.id::text as subject, entity.name, best.id::text as fact, best.text
from unnest(%(ids)s::uuid[]) as wanted(id)
    join entity on entity.namespace = %(namespace)s and entity.id = wanted.id
    cross join lateral (
        select fact.id, fact.fact as text, fact.confirmed_at, (
            select count(distinct statement.episode) from statement
            where statement.namespace = fact.namespace and statement.fact = fact.id and not statement.ends
        ) as support
        from fact
        where fact.namespace = %(namespace)s and (source = wanted.id or target = wanted.id) and expired_at is null
        order by support desc, confirmed_at desc, fact.id
        limit %(most)s
    ) as best
where (
    select count(*) from (
        select distinct episode from mention
        where mention.namespace = %(namespace)s and mention.entity = wanted.id and episode <> ''
        limit %(least)s
    ) as counted
) >= %(least)s
order by wanted.id, best.support desc, best.confirmed_at desc, best.id;

-- name: of_communities
-- Of each community the facts between its members that hold, those first that most episodes state.
select wanted.id::text as subject, community.name, best.id::text as fact, best.text
from unnest(%(ids)s::uuid[]) as wanted(id)
    join community on community.namespace = %(namespace)s and community.id = wanted.id
    cross join lateral (
        select fact.id, fact.fact as text, fact.confirmed_at, (
            select count(distinct statement.episode) from statement
            where statement.namespace = fact.namespace and statement.fact = fact.id and not statement.ends
        ) as support
        from community_member as one
            join fact on fact.namespace = %(namespace)s and fact.source = one.entity and expired_at is null
            join community_member as other on other.namespace = %(namespace)s and other.entity = fact.target
                and other.community = one.community
        where one.namespace = %(namespace)s and one.community = wanted.id
        order by support desc, confirmed_at desc, fact.id
        limit %(most)s
    ) as best
order by wanted.id, best.support desc, best.confirmed_at desc, best.id;

-- name: known
-- Summaries, with the facts that each rests on.
select subject::text, kind, text, facts::text[] as facts
from summary
where namespace = %(namespace)s and subject = any(%(ids)s::uuid[]);

-- name: orphans
-- Summaries of what is gone.
select subject::text, kind from summary
where namespace = %(namespace)s
    and not exists (select from entity where entity.namespace = summary.namespace and entity.id = subject)
    and not exists (select from community where community.namespace = summary.namespace and community.id = subject)
order by subject
limit %(limit)s;
