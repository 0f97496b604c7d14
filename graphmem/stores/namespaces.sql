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
    lines as (delete from handed_out where namespace = %(namespace)s),
    facts as (delete from fact where namespace = %(namespace)s),
    readings as (delete from reading where namespace = %(namespace)s),
    usages as (delete from usage where namespace = %(namespace)s),
    marks as (delete from touched where namespace = %(namespace)s),
    changes as (delete from change where namespace = %(namespace)s),
    runs as (delete from consolidation where namespace = %(namespace)s),
    watermarks as (delete from watermark where namespace = %(namespace)s),
    tiers as (delete from tier where namespace = %(namespace)s)
delete from unprojected where namespace = %(namespace)s;

-- name: delete_traces
-- What its questions left behind, and its aliases.
with answers as (delete from answer where namespace = %(namespace)s),
    accesses as (delete from access where namespace = %(namespace)s),
    evaluations as (delete from evaluation where namespace = %(namespace)s),
    feedback as (delete from feedback where namespace = %(namespace)s),
    faded as (delete from archived where namespace = %(namespace)s),
    retentions as (delete from retention where namespace = %(namespace)s),
    duplicates as (delete from near_duplicate where namespace = %(namespace)s),
    signatures as (delete from signature where namespace = %(namespace)s),
    synapses as (delete from synapse where namespace = %(namespace)s),
    communities as (delete from community where namespace = %(namespace)s),
    members as (delete from community_member where namespace = %(namespace)s),
    summaries as (delete from summary where namespace = %(namespace)s)
delete from word_alias where namespace = %(namespace)s;

-- name: delete_namespace
-- Its name and settings.
delete from namespace where namespace = %(namespace)s;

-- name: settings
-- What a namespace changed of the default profile, its language, and its aliases.
select settings, text_search::text,
    coalesce((
        select jsonb_object_agg(word, equivalents order by word) from (
            select word, jsonb_agg(equivalent order by equivalent) as equivalents
            from word_alias
            where word_alias.namespace = namespace.namespace
            group by word
        ) as grouped
    ), '{}') as aliases
from namespace
where namespace = %(namespace)s;

-- name: replace_aliases
-- Makes these pairs the aliases of a namespace, and takes out the others.
with home as (
    insert into namespace (namespace) values (%(namespace)s) on conflict do nothing
),
given as materialized (
    select distinct word, equivalent from json_to_recordset(%(rows)s::json) as row(word text, equivalent text)
),
gone as (
    delete from word_alias
    where namespace = %(namespace)s and (word, equivalent) not in (select word, equivalent from given)
)
insert into word_alias (namespace, word, equivalent)
select %(namespace)s, word, equivalent from given order by word, equivalent
on conflict do nothing;

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

-- name: nights
-- When each namespace's night is due: its time zone, since when it is there, and the last night there was.
select namespace, time_zone, created_at,
    (select max(scheduled_for) from consolidation where consolidation.namespace = namespace.namespace) as last
from namespace
order by namespace;

-- name: time_zone
-- The time zone a namespace has chosen.
select time_zone from namespace where namespace = %(namespace)s;

-- name: change_time_zone
-- Chooses the time zone of a namespace.
insert into namespace (namespace, time_zone) values (%(namespace)s, %(time_zone)s)
on conflict (namespace) do update set time_zone = excluded.time_zone;

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
