-- name: keep
-- These lines were handed out now.
insert into handed_out (namespace, line)
select namespace, line from unnest(%(namespaces)s::text[], %(lines)s::bigint[]) as row(namespace, line)
on conflict (namespace, line) do update set handed_at = now();

-- name: let_go
-- Of a namespace, lines that were handed out too long ago, or before the newest so many.
delete from handed_out
where namespace = %(namespace)s and (
    handed_at < now() - make_interval(hours => %(hours)s)
    or line in (
        select line from handed_out where namespace = %(namespace)s order by handed_at desc, line offset %(most)s
    )
);

-- name: among
-- Those of the lines that were handed out lately.
select line from handed_out
where namespace = %(namespace)s and line = any(%(lines)s::bigint[])
    and handed_at > now() - make_interval(hours => %(hours)s);
