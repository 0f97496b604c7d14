-- Names that mean one entity: what was said is kept under the entity that follows from the name alone, beside the one it means.
drop table entity_alias;

create table entity_link (
    namespace text not null references namespace,
    alias     uuid not null,
    entity    uuid not null,
    reason    text not null check (reason in ('said', 'merged')),
    cause     uuid not null,
    primary key (namespace, alias, entity, cause)
);

create table meaning (
    namespace text not null references namespace,
    named     uuid not null,
    entity    uuid not null,
    primary key (namespace, named)
);
create index meaning_entity on meaning (namespace, entity);

alter table mention add column named uuid;
update mention set named = entity;
alter table mention alter column named set not null;
alter table mention drop constraint mention_pkey;
alter table mention add primary key (namespace, episode, named);
drop index mention_entity;
create index mention_entity on mention (namespace, entity, episode);

alter table statement add column named_source uuid, add column named_target uuid;
update statement set named_source = source, named_target = target;
alter table statement alter column named_source set not null, alter column named_target set not null;
create index statement_target on statement (namespace, target);
create index statement_alias on statement (namespace) where relation in ('ALSO_KNOWN_AS', 'ALIAS_OF');

-- What memory handed out comes back in what assistants say, and is not read again.
create table handed_out (
    namespace text not null,
    line      bigint not null,
    handed_at timestamptz not null default now(),
    primary key (namespace, line)
);
