-- Reading an episode with a language model is a job of its own; what it ends is found by what took its place. Vectors of
-- entities and facts say which model made them.
alter table job drop constraint job_kind_check;
alter table job add constraint job_kind_check check (kind in ('extract', 'read', 'embed', 'project'));

create index statement_replaced_by on statement (namespace, replaced_by) where replaced_by is not null;

alter table entity add column space smallint;
comment on column entity.vector is 'of its name; made by a job, soon after';
comment on column entity.space is 'the model that made the vector; another than the active one is replaced by a job';
create index entity_space on entity (namespace, space);

alter table fact add column space smallint;
comment on column fact.vector is 'of its words, or of the episode it was first said in where it was found by rules';
comment on column fact.space is 'the model that made the vector; another than the active one is replaced by a job';
create index fact_space on fact (namespace, space);
update fact set space = (select space from vector_space where active) where vector is not null;
