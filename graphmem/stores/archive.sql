-- name: standing
-- Whether an episode has faded, what is shown in its place, and what it is shown in place of.
select archived_at,
    (select front.id from near_duplicate
        join episode as front on front.namespace = near_duplicate.namespace and front.doc = near_duplicate.front
     where near_duplicate.namespace = episode.namespace and near_duplicate.doc = episode.doc) as duplicate_of,
    array(
        select behind.id from near_duplicate
            join episode as behind on behind.namespace = near_duplicate.namespace and behind.doc = near_duplicate.doc
        where near_duplicate.namespace = episode.namespace and near_duplicate.front = episode.doc
        order by behind.id
        limit %(most)s
    ) as duplicates
from episode left join archived using (namespace, doc)
where namespace = %(namespace)s and id = %(id)s;

-- name: retention
-- After how many days archived episodes are forgotten.
select days from retention where namespace = %(namespace)s;

-- name: keep_retention
-- Archived episodes are forgotten after so many days.
with home as (
    insert into namespace (namespace) values (%(namespace)s) on conflict do nothing
)
insert into retention (namespace, days) values (%(namespace)s, %(days)s)
on conflict (namespace) do update set days = excluded.days;

-- name: drop_retention
-- Archived episodes stay.
delete from retention where namespace = %(namespace)s;
