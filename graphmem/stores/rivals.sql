-- name: pairs
-- Facts that hold, each with others that hold and may clash with it.
select distinct least(one.id, other.id)::text as left, greatest(one.id, other.id)::text as right
from fact as one cross join lateral (
    (
        select id from fact
        where namespace = %(namespace)s and source = one.source and target = one.target and expired_at is null
            and exists (
                select from unnest(%(overtaking)s::text[], %(overtaken)s::text[]) as rule(overtaking, overtaken)
                where (rule.overtaking, rule.overtaken) in ((one.relation, fact.relation), (fact.relation, one.relation))
            )
        limit %(most)s
    )
    union all (
        select id from fact
        where namespace = %(namespace)s and source = one.source and relation = one.relation and target <> one.target
            and one.relation = any(%(single)s::text[]) and expired_at is null
        limit %(most)s
    )
    union all (
        select id from fact
        where namespace = %(namespace)s and target in (one.source, one.target) and relation = one.relation
            and source not in (one.source, one.target) and one.relation = any(%(partners)s::text[])
            and expired_at is null
        limit %(most)s
    )
    union all (
        select id from fact
        where namespace = %(namespace)s and source = one.target and relation = one.relation and target <> one.source
            and one.relation = any(%(partners)s::text[]) and expired_at is null
        limit %(most)s
    )
) as other
where one.namespace = %(namespace)s and one.id = any(%(ids)s::uuid[]) and one.expired_at is null
    and one.relation = any(%(overtaking)s::text[] || %(overtaken)s::text[] || %(single)s::text[])
order by 1, 2;

-- name: rivals
-- Facts with the names they were first said by, the time of which they are said to hold, and in how many sessions.
select fact.id::text, fact.source::text, fact.relation, fact.target::text, fact.fact as text,
    told.named_source::text, told.named_target::text, told.first, told.last, told.sessions, told.episode
from fact cross join lateral (
    select (array_agg(named_source order by moment, statement.created_at, statement.id))[1] as named_source,
        (array_agg(named_target order by moment, statement.created_at, statement.id))[1] as named_target,
        (array_agg(statement.episode order by moment, statement.created_at, statement.id))[1] as episode,
        min(moment) as first, max(moment) as last,
        count(distinct coalesce(episode.session, statement.episode)) as sessions
    from statement
        cross join lateral (select coalesce(statement.valid_at, statement.created_at) as moment) as told
        left join episode on episode.namespace = statement.namespace and episode.id = statement.episode
    where statement.namespace = %(namespace)s and statement.fact = fact.id and not statement.ends
) as told
where fact.namespace = %(namespace)s and fact.id = any(%(ids)s::uuid[]) and told.first is not null;
