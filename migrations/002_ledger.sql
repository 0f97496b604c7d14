-- The ledger: what was said about whom, and the entities and facts that follow from it.
create table mention (
    namespace  text not null references namespace,
    episode    text not null,
    entity     uuid not null,
    name       text not null check (char_length(name) between 1 and 500),
    type       text,
    created_at timestamptz not null,
    primary key (namespace, episode, entity)
);
comment on table mention is 'which episode names which entity, in its own words';
comment on column mention.episode is 'id of the episode; empty when a caller named the entity outside of any';
create index mention_entity on mention (namespace, entity);

create table statement (
    namespace  text not null references namespace,
    id         uuid not null,
    episode    text not null,
    source     uuid not null,
    relation   text not null check (char_length(relation) between 1 and 200),
    target     uuid not null,
    text       text not null check (char_length(text) between 1 and 4000),
    valid_at   timestamptz,
    invalid_at timestamptz,
    ends       boolean not null,
    origin     text not null check (origin in ('stated', 'local', 'model')),
    fixed_fact uuid,
    fact       uuid,
    created_at timestamptz not null,
    primary key (namespace, id)
);
comment on table statement is 'what was said, when, about a pair; the decisions from which facts follow';
comment on column statement.episode is 'id of the episode; empty when a caller stated it outside of any';
comment on column statement.ends is 'it says that the fact no longer holds, from invalid_at on';
comment on column statement.fixed_fact is 'the fact it belongs to, where that was decided and does not follow';
comment on column statement.fact is 'the fact it supports or ends, as settled';
create index statement_pair on statement (namespace, source, relation, target);
create index statement_episode on statement (namespace, episode);
create index statement_fact on statement (namespace, fact);

create table entity (
    namespace  text not null references namespace,
    id         uuid not null,
    name       text not null,
    type       text,
    summary    text not null default '',
    created_at timestamptz not null,
    vector     halfvec,
    primary key (namespace, id)
);
comment on table entity is 'follows from its mentions: the name and type most of them give it';
create index entity_name on entity (namespace, lower(name), id);

create table entity_alias (
    namespace text not null references namespace,
    name      text not null,
    entity    uuid not null,
    primary key (namespace, name)
);
comment on table entity_alias is 'a normalised name that means an entity of another name';

create table fact (
    namespace         text not null references namespace,
    id                uuid not null,
    source            uuid not null,
    relation          text not null,
    target            uuid not null,
    fact              text not null,
    valid_at          timestamptz,
    invalid_at        timestamptz,
    stated_invalid_at timestamptz,
    created_at        timestamptz not null,
    expired_at        timestamptz,
    confirmed_at      timestamptz not null,
    origin            text not null,
    retired_by        uuid,
    vector            halfvec,
    primary key (namespace, id)
);
comment on table fact is 'follows from the statements about a pair; the two clocks: valid/invalid in the world, created/expired to us';
comment on column fact.stated_invalid_at is 'the end it was first stated with';
comment on column fact.retired_by is 'the fact that took its place';
create index fact_source on fact (namespace, source, relation);
create index fact_target on fact (namespace, target);
create index fact_relation on fact (namespace, relation, id);

create table unprojected (
    namespace text not null,
    kind      text not null check (kind in ('episode', 'entity', 'fact')),
    id        text not null,
    mark      bigint generated always as identity,
    primary key (namespace, kind, id)
);
comment on table unprojected is 'what the graph does not show yet as the ledger has it';
