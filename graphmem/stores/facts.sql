-- name: fetch
-- Facts as an answer shows them.
select fact.id::text, fact.fact, fact.relation, fact.valid_at, fact.invalid_at, fact.created_at, fact.expired_at,
    fact.confirmed_at, source.id::text as source_id, source.name as source_name,
    target.id::text as target_id, target.name as target_name,
    array(
        select distinct statement.episode from statement
        where statement.namespace = fact.namespace and statement.fact = fact.id and not ends and episode <> ''
        order by 1
    ) as episodes
from fact
    join entity as source on source.namespace = fact.namespace and source.id = fact.source
    join entity as target on target.namespace = fact.namespace and target.id = fact.target
where fact.namespace = %(namespace)s and fact.id = any(%(ids)s::uuid[]);

-- name: lasting
-- Facts of these relations that have begun and are shown: those of most statements first, then those confirmed last.
with allowed as materialized (
    select doc from docs_passing(%(namespace)s, %(filters)s::jsonb) as doc where %(narrow)s
),
shown as materialized (
    select id, confirmed_at
    from fact
    where namespace = %(namespace)s and relation = any(%(relations)s::text[])
        and fact_shown(fact.*, %(valid)s::timestamptz, %(known)s::timestamptz)
        and coalesce(valid_at <= coalesce(%(valid)s::timestamptz, %(known)s::timestamptz), true)
        and id::text <> all(%(exclude)s::text[])
        and (not %(bound)s or exists (
            select from statement join episode on episode.namespace = statement.namespace and episode.id = statement.episode
            where statement.namespace = fact.namespace and statement.fact = fact.id and not ends
                and episode.doc in (select doc from allowed)
        ))
    limit %(most)s
)
select id::text
from shown
order by (
        select count(*) from statement where namespace = %(namespace)s and fact = shown.id and not ends
    ) desc, confirmed_at desc, id
limit %(limit)s;

-- name: plans
-- Of the facts learned last those that are shown and open: what begins later, soonest first; then what is planned, the
-- one confirmed last first.
with allowed as materialized (
    select doc from docs_passing(%(namespace)s, %(filters)s::jsonb) as doc where %(narrow)s
),
learned as materialized (
    select id, relation, valid_at, confirmed_at,
        fact_shown(fact.*, %(valid)s::timestamptz, %(known)s::timestamptz) as shown
    from fact
    where namespace = %(namespace)s and created_at <= %(known)s::timestamptz
    order by created_at desc, id desc
    limit %(most)s
)
select id::text
from learned
where shown
    and (valid_at > %(known)s::timestamptz
        or relation like any(%(relations)s::text[]) and confirmed_at > %(stale)s::timestamptz)
    and id::text <> all(%(exclude)s::text[])
    and (not %(bound)s or exists (
        select from statement join episode on episode.namespace = statement.namespace and episode.id = statement.episode
        where statement.namespace = %(namespace)s and statement.fact = learned.id and not ends
            and episode.doc in (select doc from allowed)
    ))
order by case when valid_at > %(known)s::timestamptz then valid_at end, confirmed_at desc, id
limit %(limit)s;
