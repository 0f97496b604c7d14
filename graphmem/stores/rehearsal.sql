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
create temp table archived (like public.archived including all);
create temp table near_duplicate (like public.near_duplicate including all);
create temp table signature (like public.signature including all);
create temp table synapse (like public.synapse including all);
create temp table community (like public.community including all);
create temp table community_member (like public.community_member including all);
create temp table summary (like public.summary including all);

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
    watermarks as (insert into watermark select * from public.watermark where namespace = %(namespace)s),
    faded as (insert into archived select * from public.archived where namespace = %(namespace)s),
    duplicates as (insert into near_duplicate select * from public.near_duplicate where namespace = %(namespace)s),
    signatures as (insert into signature select * from public.signature where namespace = %(namespace)s),
    synapses as (insert into synapse select * from public.synapse where namespace = %(namespace)s),
    communities as (insert into community select * from public.community where namespace = %(namespace)s),
    members as (insert into community_member select * from public.community_member where namespace = %(namespace)s),
    summaries as (insert into summary select * from public.summary where namespace = %(namespace)s)
insert into tier select * from public.tier where namespace = %(namespace)s;

-- name: number_copies
-- Numbers go on after those that were copied.
select setval(pg_get_serial_sequence('pg_temp.touched', 'mark'), coalesce((select max(mark) from touched), 0) + 1),
    setval(pg_get_serial_sequence('pg_temp.change', 'number'), coalesce((select max(number) from change), 0) + 1);
