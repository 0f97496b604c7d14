-- name: decided
-- What was made of some questions before.
select id::text, decides::text, state, evidence
from change
where namespace = %(namespace)s and decides = any(%(decides)s::uuid[]) and state <> 'planned'
order by number;

-- name: write
-- Writes changes down, in the order given.
insert into change (
    namespace, id, run, step, kind, decides, sure, subjects, evidence, touches, reason, edits, state, created_at,
    decided_at
)
select %(namespace)s, id, run, step, kind, decides, sure, subjects, evidence, touches, reason, edits, state,
    created_at, decided_at
from jsonb_to_recordset(%(rows)s::jsonb) as row(
    id uuid, number bigint, run uuid, step text, kind text, decides uuid, sure boolean, subjects text[],
    evidence text[], touches text[], reason text, edits jsonb, state text, created_at timestamptz,
    decided_at timestamptz
)
order by number
on conflict (namespace, id) do nothing;

-- name: set_state
-- Changes are in another state.
update change set state = %(state)s, decided_at = %(now)s
where namespace = %(namespace)s and id = any(%(ids)s::uuid[]);

-- name: locked
-- Changes by id, newest first, held until the transaction ends.
select id::text, number, run::text, step, kind, decides::text, sure, subjects, evidence, touches, reason, edits, state,
    created_at, decided_at
from change
where namespace = %(namespace)s and id = any(%(ids)s::uuid[])
order by number desc
for update;

-- name: builders
-- Later changes in effect that touch what these touch.
with given as (
    select touches, number from change where namespace = %(namespace)s and id = any(%(ids)s::uuid[])
)
select id::text, number, run::text, step, kind, decides::text, sure, subjects, evidence, touches, reason, edits, state,
    created_at, decided_at
from change
where namespace = %(namespace)s and state in ('applied', 'accepted') and edits <> '[]'
    and id <> all(%(ids)s::uuid[])
    and touches && (select coalesce(array_agg(distinct touch), '{}') from given, unnest(given.touches) as touch)
    and exists (select from given where given.number < change.number and given.touches && change.touches)
order by number;

-- name: builders_of_run
-- Later changes in effect, of other runs, that touch what those of a run do; the first hundred.
with given as materialized (
    select touch, min(number) as number
    from change, unnest(touches) as touch
    where namespace = %(namespace)s and run = %(run)s::uuid and state in ('applied', 'accepted') and edits <> '[]'
    group by touch
)
select id::text, number, run::text, step, kind, decides::text, sure, subjects, evidence, touches, reason, edits, state,
    created_at, decided_at
from change
where namespace = %(namespace)s and run <> %(run)s::uuid and state in ('applied', 'accepted') and edits <> '[]'
    and number > (select min(number) from given)
    and exists (select from given where given.number < change.number and given.touch = any(change.touches))
order by number
limit 100;

-- name: drop_plans
-- What dry runs planned before.
delete from change where namespace = %(namespace)s and state = 'planned';

-- name: find
-- One change.
select id::text, number, run::text, step, kind, decides::text, sure, subjects, evidence, touches, reason, edits, state,
    created_at, decided_at
from change
where namespace = %(namespace)s and id = %(id)s::uuid;

-- name: page
-- Changes, oldest first; of a run, in a state, of a step.
select id::text, number, run::text, step, kind, decides::text, sure, subjects, evidence, touches, reason, edits, state,
    created_at, decided_at
from change
where namespace = %(namespace)s and number > %(after_number)s::bigint
    and (%(run)s::uuid is null or run = %(run)s::uuid)
    and (%(state)s::text is null or state = %(state)s)
    and (%(step)s::text is null or step = %(step)s)
order by number
limit %(limit)s;

-- name: in_effect
-- Changes of a run that hold and can be put back, newest first.
select id::text from change
where namespace = %(namespace)s and run = %(run)s::uuid and state in ('applied', 'accepted') and edits <> '[]'
order by number desc
limit %(limit)s;

-- name: counts
-- How many changes a run has.
select step, state, count(*) as changes
from change
where namespace = %(namespace)s and run = %(run)s::uuid
group by step, state;

-- name: place
-- How far a step has looked.
select place from watermark where namespace = %(namespace)s and step = %(step)s;

-- name: keep_place
-- A step has looked so far.
insert into watermark (namespace, step, place) values (%(namespace)s, %(step)s, %(place)s::jsonb)
on conflict (namespace, step) do update set place = excluded.place;

-- name: fresh
-- Things of a kind that changed after a mark.
select id, mark from touched
where namespace = %(namespace)s and kind = %(kind)s and mark > %(after_number)s::bigint
order by mark
limit %(limit)s;

-- name: fresh_count
-- How many things of a kind changed after a mark.
select count(*) as things from touched
where namespace = %(namespace)s and kind = %(kind)s and mark > %(after_number)s::bigint;

-- name: last_mark
-- The mark of what changed last.
select mark from touched where namespace = %(namespace)s order by mark desc limit 1;

-- name: changed_since
-- Those of the things that changed after a mark.
select distinct id from touched
where namespace = %(namespace)s and kind = any('{episode,entity,fact}'::text[]) and id = any(%(ids)s::text[])
    and mark > %(mark)s::bigint;

-- name: forget_words
-- What the night wrote in the words of episodes that go, of facts that these alone state and of entities that they alone
-- name, goes with them: summaries, and of changes their reasons and the rows that hold text.
with lost as materialized (
    select distinct fact from statement as said
    where namespace = %(namespace)s and episode = any(%(episodes)s::text[]) and fact is not null
        and not exists (
            select from statement as other
            where other.namespace = said.namespace and other.fact = said.fact and not other.ends
                and other.episode <> all(%(episodes)s::text[])
        )
),
unnamed as materialized (
    select distinct entity from mention as said
    where namespace = %(namespace)s and episode = any(%(episodes)s::text[])
        and not exists (
            select from mention as other
            where other.namespace = said.namespace and other.entity = said.entity
                and other.episode <> all(%(episodes)s::text[])
        )
),
named as materialized (
    select %(episodes)s::text[] || array(select fact::text from lost) || array(select entity::text from unnamed) as ids
),
unsaid as (
    delete from summary where namespace = %(namespace)s and facts && array(select fact from lost)
)
update change
set reason = 'What this rested on was forgotten.',
    edits = coalesce((
        select jsonb_agg(edit order by place)
        from jsonb_array_elements(edits) with ordinality as one(edit, place)
        where edit ->> 'table' not in ('statement', 'entity', 'summary', 'community')
    ), '[]')
from named
where namespace = %(namespace)s and (touches && named.ids or evidence && named.ids or subjects && named.ids);
