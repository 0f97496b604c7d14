-- name: ask
-- A run that is to be done; nothing when there is one for that night.
insert into consolidation (namespace, id, steps, dry_run, scheduled_for, created_at)
values (%(namespace)s, %(id)s::uuid, %(steps)s, %(dry_run)s, %(scheduled_for)s::timestamptz, %(created_at)s::timestamptz)
on conflict do nothing
returning id::text;

-- name: ask_worker
-- The worker is to do the open runs of a namespace.
insert into job (namespace, id, kind, episode)
values (%(namespace)s, %(id)s::uuid, 'consolidate', '')
on conflict (namespace, episode, kind) do update
set id = excluded.id, state = 'waiting', attempts = 0, error = null, due_at = now(), created_at = now(), finished_at = null;

-- name: open_runs
-- Runs that wait or are under way, oldest first.
select namespace, id::text, state, dry_run, steps, counts, progress, error, scheduled_for, created_at, started_at,
    finished_at
from consolidation
where namespace = %(namespace)s and state in ('waiting', 'running')
order by created_at, id;

-- name: start
-- A run is under way.
update consolidation set state = 'running', started_at = coalesce(started_at, clock_timestamp())
where namespace = %(namespace)s and id = %(id)s::uuid;

-- name: progress
-- How far a run has come.
update consolidation set progress = %(progress)s::jsonb where namespace = %(namespace)s and id = %(id)s::uuid;

-- name: finish
-- A run is done, or failed.
update consolidation
set state = case when %(error)s::text is null then 'done' else 'failed' end, error = %(error)s, counts = %(counts)s::jsonb,
    finished_at = clock_timestamp()
where namespace = %(namespace)s and id = %(id)s::uuid;

-- name: find
-- One run.
select namespace, id::text, state, dry_run, steps, counts, progress, error, scheduled_for, created_at, started_at,
    finished_at, extract(epoch from finished_at - started_at)::float8 * 1000 as took_ms
from consolidation
where namespace = %(namespace)s and id = %(id)s::uuid;

-- name: page
-- Runs, newest first.
select namespace, id::text, state, dry_run, steps, counts, progress, error, scheduled_for, created_at, started_at,
    finished_at, extract(epoch from finished_at - started_at)::float8 * 1000 as took_ms
from consolidation
where namespace = %(namespace)s and (%(after)s::uuid is null or id < %(after)s::uuid)
order by id desc
limit %(limit)s;
