-- name: lock
-- One re-embedding at a time.
select pg_try_advisory_lock(hashtextextended('graphmem:reembed', 0)) as held;

-- name: note_model
-- The model whose vectors are being made.
insert into vector_space (model, dimensions, active)
values (%(model)s, %(dimensions)s, false)
on conflict (model, dimensions) do nothing;

-- name: space
-- Its number, and whether it is the active one already.
select space, active from vector_space where model = %(model)s and dimensions = %(dimensions)s;

-- name: drop_others
-- An earlier, unfinished re-embedding to another model is given up.
drop table if exists embedding_next;

-- name: belongs
-- Is the unfinished table there, and made for vectors of this length and model?
select to_regclass('embedding_next') is not null
    and (select atttypmod from pg_attribute
         where attrelid = to_regclass('embedding_next') and attname = 'vector') = %(dimensions)s as applied;

-- name: others_in_next
-- Does the unfinished table hold another model's vectors?
select exists (select from embedding_next where space <> %(space)s) as applied;

-- name: create_next
-- The table the new vectors go to, beside the one that is searched.
create table embedding_next (
    namespace text not null,
    doc       bigint not null,
    space     smallint not null references vector_space,
    truncated boolean not null,
    vector    halfvec({dimensions}) not null,
    primary key (namespace, doc),
    foreign key (namespace, doc) references episode (namespace, doc) on delete cascade
);

-- name: count
-- How many episodes there are, and how many have a new vector.
select (select count(*) from episode) as episodes, (select count(*) from embedding_next) as made;

-- name: batch
-- The next episodes without a new vector.
select namespace, id, content, speaker, session, project, origin, type, importance, path, title, summary,
    occurred_at, created_at, metadata, facts, doc
from episode
where (namespace, doc) > (%(after_namespace)s, %(after_doc)s)
    and not exists (
        select from embedding_next as next where next.namespace = episode.namespace and next.doc = episode.doc
    )
order by namespace, doc
limit %(limit)s;

-- name: store
-- Keeps new vectors of episodes that are still there.
insert into embedding_next (namespace, doc, space, truncated, vector)
select given.namespace, given.doc, %(space)s, given.truncated, given.vector
from unnest(%(namespaces)s::text[], %(docs)s::bigint[], %(vectors)s::halfvec[], %(truncated)s::boolean[])
        as given(namespace, doc, vector, truncated)
    join episode on episode.namespace = given.namespace and episode.doc = given.doc
on conflict do nothing;

-- name: index_next
-- The index of the new vectors, before they are searched.
create index if not exists embedding_next_vector on embedding_next using hnsw (vector halfvec_cosine_ops);

-- name: lock_embedding
-- Holds searches and writers back for the moment of the switch.
lock table embedding in access exclusive mode;

-- name: queue_rest
-- Episodes written since the last batch get their vectors by jobs.
insert into job (namespace, id, kind, episode)
select episode.namespace, %(job)s::uuid, 'embed', episode.id
from episode
where not exists (
    select from embedding_next as next where next.namespace = episode.namespace and next.doc = episode.doc
)
on conflict (namespace, episode, kind) do update
set id = excluded.id, state = 'waiting', attempts = 0, error = null, due_at = now(), finished_at = null;

-- name: switch
-- The new vectors take the place of the old ones; several statements, all or none.
drop table embedding;
alter table embedding_next rename to embedding;
alter index embedding_next_pkey rename to embedding_pkey;
alter index embedding_next_vector rename to embedding_vector;
alter table embedding rename constraint embedding_next_namespace_doc_fkey to embedding_namespace_doc_fkey;
alter table embedding rename constraint embedding_next_space_fkey to embedding_space_fkey;
delete from vector_space where active;

-- name: activate
-- Searches use the new vectors from here on.
update vector_space set active = true where space = %(space)s;
