-- name: create_copies
-- Temporary tables that stand in front of those of the same name.
create temp table mention (like public.mention including all);
create temp table statement (like public.statement including all);
create temp table entity (like public.entity including all);
create temp table entity_link (like public.entity_link including all);
create temp table meaning (like public.meaning including all);
create temp table fact (like public.fact including all);
create temp table unprojected (like public.unprojected including all);
create temp table touched (like public.touched including all);
create temp table change (like public.change including all);
create temp table watermark (like public.watermark including all);
create temp table tier (like public.tier including all);

-- name: fill_copies
-- What the namespace has now.
with mentions as (insert into mention select * from public.mention where namespace = %(namespace)s),
    statements as (insert into statement select * from public.statement where namespace = %(namespace)s),
    entities as (insert into entity select * from public.entity where namespace = %(namespace)s),
    links as (insert into entity_link select * from public.entity_link where namespace = %(namespace)s),
    meanings as (insert into meaning select * from public.meaning where namespace = %(namespace)s),
    facts as (insert into fact select * from public.fact where namespace = %(namespace)s),
    marks as (
        insert into touched overriding system value select * from public.touched where namespace = %(namespace)s
    ),
    changes as (
        insert into change overriding system value
        select * from public.change where namespace = %(namespace)s and state <> 'planned'
    ),
    watermarks as (insert into watermark select * from public.watermark where namespace = %(namespace)s)
insert into tier select * from public.tier where namespace = %(namespace)s;

-- name: number_copies
-- Numbers go on after those that were copied.
select setval(pg_get_serial_sequence('pg_temp.touched', 'mark'), coalesce((select max(mark) from touched), 0) + 1),
    setval(pg_get_serial_sequence('pg_temp.change', 'number'), coalesce((select max(number) from change), 0) + 1);
