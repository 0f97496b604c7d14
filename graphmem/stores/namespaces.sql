-- name: page
-- Namespaces by name, with the number of their episodes.
select namespace.namespace, namespace.created_at, text_search::text,
    coalesce((select sum(episodes) from statistic where statistic.namespace = namespace.namespace), 0)::bigint as episodes
from namespace
where (%(after)s::text is null or namespace.namespace > %(after)s)
    and (%(reach)s::text[] is null or namespace.namespace = any(%(reach)s))
order by namespace.namespace
limit %(limit)s;

-- name: lock
-- Holds back every writer of the namespace until the transaction ends.
select namespace from namespace where namespace = %(namespace)s for update;

-- name: count
-- How much a namespace holds.
select (select count(*) from episode where namespace = %(namespace)s) as episodes,
    (select count(*) from embedding where namespace = %(namespace)s) as vectors;

-- name: delete_episodes
-- All episodes of a namespace, and with them their vectors.
delete from episode where namespace = %(namespace)s;

-- name: delete_postings
-- Its keyword index.
delete from posting where namespace = %(namespace)s;

-- name: delete_statistics
-- Its counts.
delete from statistic where namespace = %(namespace)s;

-- name: delete_jobs
-- Its jobs.
delete from job where namespace = %(namespace)s;

-- name: delete_ledger
-- What was said in it, and what follows.
with mentions as (delete from mention where namespace = %(namespace)s),
    statements as (delete from statement where namespace = %(namespace)s),
    entities as (delete from entity where namespace = %(namespace)s),
    links as (delete from entity_link where namespace = %(namespace)s),
    meanings as (delete from meaning where namespace = %(namespace)s),
    facts as (delete from fact where namespace = %(namespace)s),
    readings as (delete from reading where namespace = %(namespace)s),
    usages as (delete from usage where namespace = %(namespace)s)
delete from unprojected where namespace = %(namespace)s;

-- name: delete_namespace
-- Its name and settings.
delete from namespace where namespace = %(namespace)s;

-- name: settings
-- What a namespace changed of the default profile, and its language.
select settings, text_search::text from namespace where namespace = %(namespace)s;

-- name: change_settings
-- Sets some numbers of a namespace and takes others back to the default.
insert into namespace (namespace, settings) values (%(namespace)s, %(set)s::jsonb)
on conflict (namespace) do update set settings = (namespace.settings || excluded.settings) - %(unset)s::text[]
returning settings;

-- name: change_language
-- Sets the language of keyword search, while the namespace is still empty.
insert into namespace (namespace, text_search) values (%(namespace)s, %(text_search)s::regconfig)
on conflict (namespace) do update set text_search = excluded.text_search
where namespace.text_search = excluded.text_search
    or not exists (select from episode where episode.namespace = excluded.namespace)
returning namespace;

-- name: languages
-- The text search configurations this Postgres has.
select cfgname::text as name from pg_ts_config order by cfgname;

-- name: crowded_statistics
-- Namespaces whose counts lie in many deltas.
select namespace from statistic group by namespace having count(*) > 50;

-- name: fold_statistics
-- Makes one row of a namespace's deltas; readers see either form, never half.
with gone as (
    delete from statistic where namespace = %(namespace)s returning episodes, lexemes
)
insert into statistic (namespace, episodes, lexemes)
select %(namespace)s, sum(episodes), sum(lexemes) from gone having count(*) > 0;
