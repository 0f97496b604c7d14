-- name: ask
-- Takes up an evaluation, unless too many of the namespace wait already.
insert into evaluation (namespace, id, way, cases, "of")
select %(namespace)s, %(id)s::uuid, %(way)s::jsonb, %(cases)s::jsonb, %(of)s
where (select count(*) from evaluation where namespace = %(namespace)s and finished_at is null) < %(most)s
returning id::text, state, asked, "of", way, report, error, created_at, finished_at;

-- name: claim
-- The evaluation that waits longest, or whose worker has died; ours until the lease runs out.
update evaluation set state = 'running', attempts = attempts + 1, asked = 0, lease = %(lease)s::uuid,
    leased_until = now() + make_interval(secs => %(seconds)s)
where (namespace, id) = (
    select namespace, id
    from evaluation
    where finished_at is null and attempts < %(most)s and (state = 'waiting' or leased_until < now())
    order by created_at, id
    limit 1
    for update skip locked
)
returning namespace, id::text, way, cases;

-- name: give_up
-- Evaluations at which every worker died.
update evaluation set state = 'failed', cases = null, finished_at = now(), lease = null,
    error = 'The worker ended while at it, each time it was tried.'
where finished_at is null and state = 'running' and attempts >= %(most)s and leased_until < now();

-- name: go_on
-- Says how far it is and keeps the lease; no row where the evaluation is no longer ours.
update evaluation set asked = %(asked)s, "of" = %(of)s, leased_until = now() + make_interval(secs => %(seconds)s)
where namespace = %(namespace)s and id = %(id)s::uuid and lease = %(lease)s::uuid
returning id;

-- name: finish
-- Writes down what came of it, and lets go of the questions.
update evaluation set state = case when %(error)s::text is null then 'done' else 'failed' end,
    cases = null, report = %(report)s::jsonb, error = %(error)s, finished_at = now(), lease = null
where namespace = %(namespace)s and id = %(id)s::uuid and lease = %(lease)s::uuid;

-- name: let_go
-- Of a namespace's evaluations only the newest are kept.
delete from evaluation
where namespace = %(namespace)s and finished_at is not null and id in (
    select id from evaluation where namespace = %(namespace)s order by id desc offset %(most)s
);

-- name: page
-- Evaluations, newest first, after the cursor.
select id::text, state, asked, "of", way, report, error, created_at, finished_at
from evaluation
where namespace = %(namespace)s and (%(after)s::uuid is null or id < %(after)s::uuid)
order by id desc
limit %(limit)s;

-- name: by_id
-- One evaluation.
select id::text, state, asked, "of", way, report, error, created_at, finished_at
from evaluation
where namespace = %(namespace)s and id = %(id)s::uuid;
