-- name: outdate
-- Vectors of entities and facts that another model made than the active one count as lacking.
with active as (select space from vector_space where active),
entities as (update entity set space = null where space <> (select space from active))
update fact set space = null where space <> (select space from active);

-- name: borrow
-- Facts that rules found take the vector of the episode that they were first said in, as they do when they are made.
with active as (select space from vector_space where active),
lent as (
    select distinct on (fact.id) fact.id, embedding.vector
    from fact
        join statement on statement.namespace = fact.namespace and statement.fact = fact.id and not ends
        join episode on episode.namespace = statement.namespace and episode.id = statement.episode
        join embedding on embedding.namespace = episode.namespace and embedding.doc = episode.doc
    where fact.namespace = %(namespace)s and fact.origin = 'local' and embedding.space = (select space from active)
        and fact.space is null
    order by fact.id, coalesce(statement.valid_at, statement.created_at), statement.created_at, statement.id
),
given as (
    update fact set vector = lent.vector, space = (select space from active)
    from lent
    where fact.namespace = %(namespace)s and fact.id = lent.id
    returning fact.id
)
insert into unprojected (namespace, kind, id)
select %(namespace)s, 'fact', id::text from given
on conflict (namespace, kind, id) do update set mark = default;

-- name: lacking
-- Some entities and facts without a vector of the active model, with the words that it is made of.
(
    select 'entity' as kind, id::text, name as words
    from entity
    where namespace = %(namespace)s
        and space is null
    limit %(limit)s
)
union all
(
    select 'fact' as kind, id::text, fact as words
    from fact
    where namespace = %(namespace)s
        and space is null
    limit %(limit)s
);

-- name: keep
-- Vectors of entities and facts that are still of these words; only the active model's; the ids of those kept.
with active as (select space from vector_space where active and model = %(model)s),
given as (
    select * from unnest(%(kinds)s::text[], %(ids)s::uuid[], %(words)s::text[], %(vectors)s::halfvec[])
        as row(kind, id, words, vector)
),
entities as (
    update entity set vector = given.vector, space = (select space from active)
    from given
    where namespace = %(namespace)s and kind = 'entity' and entity.id = given.id and entity.name = given.words
        and exists (select from active)
    returning 'entity' as kind, entity.id
),
facts as (
    update fact set vector = given.vector, space = (select space from active)
    from given
    where namespace = %(namespace)s and kind = 'fact' and fact.id = given.id and fact.fact = given.words
        and exists (select from active)
    returning 'fact' as kind, fact.id
)
insert into unprojected (namespace, kind, id)
select %(namespace)s, kind, id::text from (select * from entities union all select * from facts) as kept
on conflict (namespace, kind, id) do update set mark = default
returning id;

-- name: ask
-- Asks the worker for what lacks a vector, a few seconds after the last that asked: while many episodes are extracted,
-- names are embedded together.
insert into job (namespace, id, kind, episode, due_at)
select namespace, %(job)s::uuid, 'embed', '', now() + interval '5 seconds'
from namespace
where (%(only)s::text is null or namespace = %(only)s) and (
    exists (
        select from entity
        where entity.namespace = namespace.namespace
            and space is null
    )
    or exists (
        select from fact
        where fact.namespace = namespace.namespace
            and space is null
    )
)
on conflict (namespace, episode, kind) do update
set id = case when job.state in ('done', 'dead') then excluded.id else job.id end,
    created_at = case when job.state in ('done', 'dead') then now() else job.created_at end,
    due_at = case
        when job.state in ('done', 'dead') then excluded.due_at
        else least(excluded.due_at, job.created_at + interval '1 minute')
    end,
    state = 'waiting', attempts = 0, error = null, finished_at = null;
