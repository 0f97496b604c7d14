-- What the night decides about episodes: which have faded, and which stand behind one that says the same.

create table archived (
    namespace   text not null references namespace,
    doc         bigint not null,
    archived_at timestamptz not null,
    primary key (namespace, doc)
);
comment on table archived is 'episodes that faded: out of ordinary searches until they are used again';

create table near_duplicate (
    namespace text not null references namespace,
    doc       bigint not null,
    front     bigint not null check (front <> doc),
    likeness  real not null check (likeness between 0 and 1),
    primary key (namespace, doc)
);
comment on table near_duplicate is 'episodes that say what another says, which is shown in their place: their front';
create index near_duplicate_front on near_duplicate (namespace, front);
