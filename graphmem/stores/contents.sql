-- name: namespaces
-- The namespaces there are, and those whose graph is still to be emptied.
select namespace, true as holds_data from namespace
union
select namespace, false from job
where episode = '' and kind = 'extract' and state <> 'done' and namespace not in (select namespace from namespace)
order by namespace;

-- name: ask_to_rebuild
-- Asks the workers to make whole graphs again, should the one who asks not do so within a minute.
insert into job (namespace, id, kind, episode, due_at)
select namespace, id, 'extract', '', now() + interval '1 minute'
from unnest(%(namespaces)s::text[], %(ids)s::uuid[]) as asked(namespace, id)
on conflict (namespace, episode, kind) do update
set id = excluded.id, state = 'waiting', attempts = 0, error = null, due_at = excluded.due_at, created_at = now(),
    finished_at = null;
