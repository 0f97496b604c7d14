-- name: read_by_now
-- Those of the episodes that a language model has read as they are.
select episode.id
from reading join episode on episode.namespace = reading.namespace and episode.id = reading.episode
where reading.namespace = %(namespace)s and episode.id = any(%(episodes)s::text[])
    and reading.version = episode.created_at;

-- name: note
-- A language model has read an episode as it was then.
insert into reading (namespace, episode, version, model)
values (%(namespace)s, %(episode)s, %(version)s, %(model)s)
on conflict (namespace, episode) do update set version = excluded.version, model = excluded.model;

-- name: spend
-- One answer of a language model, while it read an episode: what it cost its job, and its namespace this month.
with counted as (
    update job set calls = calls + 1, tokens = tokens + %(tokens)s
    where namespace = %(namespace)s and kind = 'read' and episode = %(episode)s
)
insert into usage as sum (namespace, month, calls, tokens)
values (%(namespace)s, date_trunc('month', now() at time zone 'utc')::date, 1, %(tokens)s)
on conflict (namespace, month) do update set calls = sum.calls + 1, tokens = sum.tokens + excluded.tokens;

-- name: spent
-- The tokens that a namespace has spent this month.
select tokens from usage
where namespace = %(namespace)s and month = date_trunc('month', now() at time zone 'utc')::date;

-- name: before_in_session
-- What was said right before an episode in its session, oldest first; nothing that came out of memory.
select id from (
    select before.id, before.occurred_at
    from episode join episode as before
        on before.namespace = episode.namespace and before.session = episode.session
        and (before.occurred_at, before.id) < (episode.occurred_at, episode.id)
    where episode.namespace = %(namespace)s and episode.id = %(episode)s and before.origin <> 'recalled'
    order by before.occurred_at desc, before.id desc
    limit %(limit)s
) as latest
order by occurred_at, id;
