-- name: count
-- Counts the memories of answers that were not counted before, in an order in which no two writers block each other; one
-- that had faded is back.
with given as materialized (
    select *
    from json_to_recordset(%(rows)s::json) as row(namespace text, id uuid, memories text[], given_at timestamptz)
),
fresh as (
    insert into answer (namespace, id, memories, given_at)
    select namespace, id, memories, given_at
    from given join namespace using (namespace)
    order by namespace, id
    on conflict do nothing
    returning namespace, memories, given_at
),
restored as (
    delete from archived
    where (namespace, doc) in (
        select episode.namespace, episode.doc
        from fresh cross join unnest(memories) as memory
            join episode on episode.namespace = fresh.namespace and episode.id = memory
    )
)
insert into access (namespace, memory, count, last_at)
select namespace, memory, count(*), max(given_at)
from fresh, unnest(memories) as memory
where exists (select from episode where episode.namespace = fresh.namespace and episode.id = memory)
    or exists (select from fact where fact.namespace = fresh.namespace and fact.id::text = memory)
group by namespace, memory
order by namespace, memory
on conflict (namespace, memory) do update
set count = access.count + excluded.count, last_at = greatest(access.last_at, excluded.last_at);

-- name: keep
-- Keeps feedback on memories that exist; how many. One that had faded and was of use is back.
with known as materialized (
    select id from episode where namespace = %(namespace)s and id = any(%(useful)s::text[] || %(useless)s::text[])
    union
    select id::text from fact where namespace = %(namespace)s and id::text = any(%(useful)s::text[] || %(useless)s::text[])
),
kept as (
    insert into feedback (namespace, id, answer, useful, useless, given_at)
    select %(namespace)s, %(id)s::uuid, %(answer)s::uuid,
        array(select id from known where id = any(%(useful)s::text[]) order by id),
        array(select id from known where id = any(%(useless)s::text[]) order by id), %(given_at)s
    where exists (select from known)
    on conflict do nothing
    returning useful, useless
),
restored as (
    delete from archived
    where namespace = %(namespace)s and doc in (
        select doc from episode where namespace = %(namespace)s and id in (select unnest(useful) from kept)
    )
)
select cardinality(useful) as useful, cardinality(useless) as useless from kept;

-- name: forget_old
-- Drops answers and feedback of more than ninety days ago.
with answers as (delete from answer where given_at < now() - interval '90 days')
delete from feedback where given_at < now() - interval '90 days';
