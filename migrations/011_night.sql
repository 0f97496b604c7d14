-- The night: its runs, its journal and what it decides; things are marked when they change, for it to look at.

create table touched (
    namespace text not null,
    kind      text not null check (kind in ('episode', 'entity', 'fact')),
    id        text not null,
    mark      bigint generated always as identity,
    primary key (namespace, kind, id)
);
comment on table touched is 'in which order things last changed, for the night to look at what it has not seen';
create index touched_mark on touched (namespace, mark);

create table consolidation (
    namespace     text not null,
    id            uuid not null,
    steps         text[] not null,
    dry_run       boolean not null,
    state         text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
    scheduled_for timestamptz,
    progress      jsonb not null default '{}',
    counts        jsonb not null default '{}',
    error         text,
    created_at    timestamptz not null,
    started_at    timestamptz,
    finished_at   timestamptz,
    primary key (namespace, id)
);
comment on table consolidation is 'runs of the night; a dry run only plans';
comment on column consolidation.created_at is 'also the present of the whole run, however often it is taken up again';
comment on column consolidation.scheduled_for is 'the night it is for; null where somebody asked for it';
create unique index consolidation_scheduled on consolidation (namespace, scheduled_for)
    where scheduled_for is not null;
create index consolidation_open on consolidation (namespace, created_at, id)
    where state in ('waiting', 'running');

create table change (
    namespace  text not null references namespace,
    id         uuid not null,
    number     bigint generated always as identity,
    run        uuid not null,
    step       text not null,
    kind       text not null,
    decides    uuid not null,
    sure       boolean not null,
    subjects   text[] not null,
    evidence   text[] not null,
    touches    text[] not null,
    reason     text not null,
    edits      jsonb not null,
    state      text not null check (
        state in ('planned', 'proposed', 'applied', 'accepted', 'rejected', 'undone', 'outdated')
    ),
    created_at timestamptz not null,
    decided_at timestamptz,
    primary key (namespace, id)
);
comment on table change is 'the journal of the night: what each run did, proposes or plans, why, and how it was before';
comment on column change.decides is 'the same for each time the same is decided of the same subjects';
comment on column change.touches is 'what it reads or writes; a later change that touches one of these builds on it';
comment on column change.edits is 'rows of decision tables: table, key, before and after, null where there is none';
create index change_number on change (namespace, number);
create index change_run on change (namespace, run, number);
create index change_state on change (namespace, state, number) where state <> 'applied';
create index change_decides on change (namespace, decides);
create index change_touches on change using gin (touches);

create table watermark (
    namespace text not null references namespace,
    step      text not null,
    place     jsonb not null,
    primary key (namespace, step)
);
comment on table watermark is 'how far each step of the night has looked';

create table tier (
    namespace text not null references namespace,
    fact      uuid not null,
    tier      text not null check (tier in ('repeated', 'identity')),
    sessions  integer not null check (sessions > 0),
    primary key (namespace, fact)
);
comment on table tier is 'what the night decided a fact to be worth, by the sessions it was said in; none is said once';

alter table namespace add column time_zone text;
comment on column namespace.time_zone is 'in which its night is reckoned; null is the one of the service';
alter table job drop constraint job_kind_check;
alter table job add check (kind in ('extract', 'read', 'embed', 'project', 'consolidate'));
alter table statement drop constraint statement_origin_check;
alter table statement add check (origin in ('stated', 'local', 'model', 'night'));

insert into touched (namespace, kind, id)
select namespace, 'entity', id::text from entity
union all select namespace, 'fact', id::text from fact
union all select namespace, 'episode', id from episode;
