-- What ordering and weighing need to know of an episode, without its text.
alter table episode add column traits text[];
alter table episode add column digest uuid not null generated always as (md5(content)::uuid) stored;
comment on column episode.traits is 'what kind of note it is; null where that was never decided';
comment on column episode.digest is 'the same for the same content';
