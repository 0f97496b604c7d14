-- Known questions asked again, and what the answers are worth.

create table evaluation (
    namespace    text not null,
    id           uuid not null,
    state        text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
    way          jsonb not null,
    cases        jsonb check ((cases is null) = (finished_at is not null)),
    asked        integer not null default 0 check (asked between 0 and "of"),
    "of"         integer not null,
    attempts     integer not null default 0,
    lease        uuid,
    leased_until timestamptz,
    report       jsonb,
    error        text,
    created_at   timestamptz not null default now(),
    finished_at  timestamptz,
    primary key (namespace, id)
);
comment on table evaluation is 'known questions asked again, and what the answers are worth';
comment on column evaluation.way is 'how they are asked: profile, tuning, kinds, and whether parts are left out in turn';
comment on column evaluation.cases is 'the questions with their gold; gone once it is finished';
comment on column evaluation.lease is 'of the worker that is at it; another may take over after leased_until';
create index evaluation_due on evaluation (namespace, created_at, id) where finished_at is null;
