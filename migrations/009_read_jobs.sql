-- Reading an episode with a language model is a job of its own; what it ends is found by what took its place. Vectors of
-- entities and facts say which model made them.
alter table job drop constraint job_kind_check;
alter table job add constraint job_kind_check check (kind in ('extract', 'read', 'embed', 'project'));

create index statement_replaced_by on statement (namespace, replaced_by) where replaced_by is not null;

alter table entity add column space smallint;
comment on column entity.vector is 'of its name; made by a job, soon after';
comment on column entity.space is 'the model that made the vector; none where a job is to make one';
create index entity_without_vector on entity (namespace, id) where space is null;

alter table fact add column space smallint;
comment on column fact.vector is 'of its words, or of the episode it was first said in where it was found by rules';
comment on column fact.space is 'the model that made the vector; none where a job is to make one';
create index fact_without_vector on fact (namespace, id) where space is null;
update fact set space = (select space from vector_space where active) where vector is not null;
