-- name: edges
-- How many facts that hold tie each two entities; the strongest first.
select least(source, target)::text as one, greatest(source, target)::text as other, count(*)::float8 as weight
from fact
where namespace = %(namespace)s and expired_at is null and source <> target
group by 1, 2
order by 3 desc, 1, 2
limit %(limit)s;

-- name: belonging
-- To which community each entity belongs.
select entity::text, community::text from community_member where namespace = %(namespace)s;

-- name: known
-- The communities there are.
select id::text, name, created_at from community where namespace = %(namespace)s;

-- name: names
-- What entities are called.
select id::text, name from entity where namespace = %(namespace)s and id = any(%(ids)s::uuid[]);
