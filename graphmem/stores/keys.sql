-- name: add
-- Keeps a new key by its hash.
insert into api_key (id, hash, name, role, namespaces)
values (%(id)s, %(hash)s, %(name)s, %(role)s, %(namespaces)s)
returning id, name, role, namespaces, created_at, last_used_at;

-- name: by_id
-- One key with its hash.
select id, hash, name, role, namespaces, created_at, last_used_at
from api_key
where id = %(id)s;

-- name: page
-- Keys in the order they were made, after the cursor; with a reach, those that reach no further.
select id, name, role, namespaces, created_at, last_used_at
from api_key
where (%(after)s::text is null or id > %(after)s)
    and (%(reach)s::text[] is null or namespaces <@ %(reach)s::text[])
order by id
limit %(limit)s;

-- name: revoke
-- Makes a key worthless at once.
delete from api_key
where id = %(id)s
returning id;

-- name: note_use
-- When keys were last used; many at a time.
update api_key
set last_used_at = greatest(api_key.last_used_at, used.at)
from unnest(%(ids)s::text[], %(times)s::timestamptz[]) as used(id, at)
where api_key.id = used.id;
