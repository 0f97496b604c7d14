-- Facts that callers state: what replaced a fact, and the work of showing them in the graph.
alter table statement add column replaced_by uuid;
comment on column statement.replaced_by is 'of one that ends a fact: the fact stated in its place';

create index fact_created on fact (namespace, created_at, id);
create index fact_retired_by on fact (namespace, retired_by) where retired_by is not null;

alter table job drop constraint job_kind_check;
alter table job add constraint job_kind_check check (kind in ('extract', 'embed', 'project'));
