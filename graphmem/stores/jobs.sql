-- name: lock_namespace
-- Makes this connection the one writer of the namespace's graph, until it is released or the connection ends.
select pg_try_advisory_lock(hashtextextended('graphmem:' || %(namespace)s, 0)) as held;

-- name: release_namespace
-- Lets the next writer in.
select pg_advisory_unlock(hashtextextended('graphmem:' || %(namespace)s, 0)) as released;

-- name: recover
-- Under the namespace's lock: what is still running belonged to a worker that died, and waits again.
update job set state = 'waiting'
where namespace = %(namespace)s and state = 'running';

-- name: claim
-- The due jobs of one kind that have waited longest, marked as running.
update job set state = 'running', attempts = attempts + 1
where (namespace, episode, kind) in (
    select namespace, episode, kind
    from job
    where namespace = %(namespace)s and kind = %(kind)s and state in ('waiting', 'failed') and due_at <= now()
    order by due_at, created_at, episode
    limit %(limit)s
)
returning id::text, episode, attempts;

-- name: finish
-- Marks claimed jobs as done, unless the episode was written again meanwhile.
update job set state = 'done', error = null, finished_at = now()
where namespace = %(namespace)s and kind = %(kind)s and state = 'running' and episode = any(%(episodes)s::text[]);

-- name: fail
-- Sets a claimed job aside until its next try; after the last one it is dead.
update job set
    error = %(error)s,
    state = case when attempts >= %(max_attempts)s then 'dead' else 'failed' end,
    finished_at = case when attempts >= %(max_attempts)s then now() end,
    due_at = now() + make_interval(secs => least(%(retry_seconds)s::float8 * 2 ^ (attempts - 1), 3600))
where namespace = %(namespace)s and kind = %(kind)s and state = 'running' and episode = any(%(episodes)s::text[]);

-- name: postpone
-- Puts claimed jobs back untried: what they need is away, which is not their fault.
update job set
    error = %(error)s, state = 'waiting', attempts = attempts - 1,
    due_at = now() + make_interval(secs => %(retry_seconds)s::float8)
where namespace = %(namespace)s and kind = %(kind)s and state = 'running' and episode = any(%(episodes)s::text[]);

-- name: ask_to_read
-- Asks the worker to read episodes with the language model, as a part of the job that found them unread.
insert into job (namespace, id, kind, episode)
select namespace, id, 'read', episode
from job
where namespace = %(namespace)s and kind = 'extract' and episode = any(%(episodes)s::text[])
on conflict (namespace, episode, kind) do update
set id = excluded.id, state = 'waiting', attempts = 0, error = null, due_at = now(), created_at = now(), finished_at = null,
    calls = case when job.id = excluded.id then job.calls else 0 end,
    tokens = case when job.id = excluded.id then job.tokens else 0 end;

-- name: due_namespaces
-- Namespaces in which something is due, or was running when its worker died.
select namespace.namespace
from (select namespace from namespace union select namespace from job where episode = '') as namespace
where exists (
    select from job
    where job.namespace = namespace.namespace and kind = any(%(kinds)s::text[])
        and (state in ('waiting', 'failed') and due_at <= now() or state = 'running')
);

-- name: by_id
-- One job: the rows that share its id, as one.
select id::text, min(kind) as kind, count(distinct episode) as episodes, max(attempts) as attempts, max(error) as error,
    sum(calls) as calls, sum(tokens) as tokens, min(created_at) as created_at,
    case when bool_and(finished_at is not null) then max(finished_at) end as finished_at,
    case when bool_or(state = 'running') then 'running' when bool_or(state = 'waiting') then 'waiting'
         when bool_or(state = 'failed') then 'failed' when bool_or(state = 'dead') then 'dead' else 'done' end as state
from job
where namespace = %(namespace)s and id = %(id)s::uuid
group by id;

-- name: page
-- Jobs, newest first, after the cursor; with a state, those of which any row is in it.
select id::text, min(kind) as kind, count(distinct episode) as episodes, max(attempts) as attempts, max(error) as error,
    sum(calls) as calls, sum(tokens) as tokens, min(created_at) as created_at,
    case when bool_and(finished_at is not null) then max(finished_at) end as finished_at,
    case when bool_or(state = 'running') then 'running' when bool_or(state = 'waiting') then 'waiting'
         when bool_or(state = 'failed') then 'failed' when bool_or(state = 'dead') then 'dead' else 'done' end as state
from job
where namespace = %(namespace)s and (%(after)s::uuid is null or id < %(after)s::uuid)
group by id
having %(state)s::text is null or %(state)s = case
    when bool_or(state = 'running') then 'running' when bool_or(state = 'waiting') then 'waiting'
    when bool_or(state = 'failed') then 'failed' when bool_or(state = 'dead') then 'dead' else 'done' end
order by id desc
limit %(limit)s;

-- name: retry
-- Makes the failed and dead rows of a job due now, with all their tries before them.
update job set state = 'waiting', attempts = 0, due_at = now(), finished_at = null
where namespace = %(namespace)s and id = %(id)s::uuid and state in ('failed', 'dead')
returning episode;

-- name: of_episode
-- The jobs of one episode.
select id::text, kind, 1 as episodes, attempts, error, calls, tokens, created_at, finished_at, state
from job
where namespace = %(namespace)s and episode = %(episode)s
order by kind;

-- name: ask_to_rebuild
-- Asks the worker to make the graph of a whole namespace again; what is no longer there goes with it.
insert into job (namespace, id, kind, episode)
values (%(namespace)s, %(id)s::uuid, 'extract', '')
on conflict (namespace, episode, kind) do update
set id = excluded.id, state = 'waiting', attempts = 0, error = null, due_at = now(), created_at = now(), finished_at = null;

-- name: ask_to_project
-- Asks the worker to show in the graph what is marked, should the one who marked it not do so within moments.
insert into job (namespace, id, kind, episode, due_at)
values (%(namespace)s, %(id)s::uuid, 'project', '', clock_timestamp() + interval '2 seconds')
on conflict (namespace, episode, kind) do update
set id = case when job.state in ('done', 'dead') then excluded.id else job.id end,
    created_at = case when job.state in ('done', 'dead') then now() else job.created_at end,
    state = 'waiting', attempts = 0, error = null, due_at = excluded.due_at, finished_at = null
returning id::text, due_at;

-- name: projected
-- The one who marked has shown it, and nobody asked again meanwhile.
update job set state = 'done', error = null, finished_at = now()
where namespace = %(namespace)s and kind = 'project' and episode = '' and state = 'waiting' and due_at = %(due_at)s;

-- name: rebuilt
-- The one who asked has made the graph again, and nobody asked again meanwhile.
update job set state = 'done', error = null, finished_at = now()
where namespace = %(namespace)s and kind = 'extract' and episode = '' and state = 'waiting' and id = %(id)s::uuid;

-- name: purge
-- Done jobs whose episode is gone need not be remembered for more than a day.
delete from job
where state = 'done' and finished_at < now() - interval '1 day'
    and not exists (select from episode where episode.namespace = job.namespace and episode.id = job.episode);

-- name: depth
-- How many jobs wait, and since when the oldest is due.
select kind, state, count(*) as jobs, extract(epoch from now() - min(due_at))::float8 as oldest_seconds
from job
where state in ('waiting', 'running', 'failed', 'dead')
group by kind, state;
