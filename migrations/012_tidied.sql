-- What the night decides: which episodes have faded or stand behind one that says the same, what is tied by being
-- recalled together, who belongs together, and summaries.

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

create table signature (
    namespace text not null references namespace,
    doc       bigint not null,
    bands     bigint[] not null,
    primary key (namespace, doc)
);
comment on table signature is 'what tells texts apart: two that say nearly the same share a band; follows from the text';
create index signature_bands on signature using gin (bands);

create table synapse (
    namespace text not null references namespace,
    one       text collate "C" not null,
    other     text collate "C" not null check (one < other),
    weight    double precision not null check (weight > 0 and weight <= 1),
    at        timestamptz not null,
    primary key (namespace, one, other)
);
comment on table synapse is 'how strongly two are tied by being recalled together: entity/<uuid> or episode/<id>';
comment on column synapse.weight is 'as it was at that time; it fades from then on';
create index synapse_other on synapse (namespace, other);

create table community (
    namespace  text not null references namespace,
    id         uuid not null,
    name       text not null,
    created_at timestamptz not null,
    vector     halfvec,
    primary key (namespace, id)
);
comment on table community is 'entities that belong together by the facts between them';

create table community_member (
    namespace text not null references namespace,
    entity    uuid not null,
    community uuid not null,
    primary key (namespace, entity)
);
create index community_member_community on community_member (namespace, community, entity);

create table summary (
    namespace  text not null references namespace,
    subject    uuid not null,
    kind       text not null check (kind in ('entity', 'community')),
    text       text not null,
    facts      uuid[] not null check (cardinality(facts) > 0),
    made_by    text not null check (made_by in ('facts', 'model')),
    created_at timestamptz not null,
    primary key (namespace, subject)
);
comment on table summary is 'what the night wrote of entities and communities; shown only while all its facts hold';
comment on column summary.facts is 'what it rests on';
create index summary_facts on summary using gin (facts);

create table retention (
    namespace text primary key references namespace,
    days      integer not null check (days between 1 and 36500)
);
comment on table retention is 'after how many days the archived episodes of a namespace are forgotten; without a row never';

alter table unprojected drop constraint unprojected_kind_check;
alter table unprojected add check (kind in ('episode', 'entity', 'fact', 'synapse', 'community'));
