-- name: quiet
-- Episodes that have been quiet long enough to fade, after a document number: what they have seen.
select episode.id, episode.doc, type, importance, occurred_at, episode.created_at,
    coalesce(access.count, 0) as accesses, access.last_at,
    (select count(distinct fact.id) from statement
        join fact on fact.namespace = statement.namespace and fact.id = statement.fact and fact.expired_at is null
     where statement.namespace = episode.namespace and statement.episode = episode.id and not statement.ends) as facts
from episode
    left join access on access.namespace = episode.namespace and access.memory = episode.id
where episode.namespace = %(namespace)s and episode.doc > %(after)s
    and importance <> 'high' and type <> all(%(evergreen)s::text[])
    and occurred_at <= case importance when 'low' then %(low_before)s::timestamptz else %(before)s::timestamptz end
    and (importance = 'low' or episode.created_at <= %(before)s::timestamptz)
    and coalesce(last_at <= case importance when 'low' then %(low_before)s::timestamptz else %(before)s::timestamptz end, true)
    and not exists (
        select from archived where archived.namespace = episode.namespace and archived.doc = episode.doc
    )
order by episode.doc
limit %(limit)s;

-- name: quiet_count
-- How many those are, about: what is counted was said long enough ago.
select count(*) as episodes from episode
where namespace = %(namespace)s and occurred_at <= %(low_before)s::timestamptz;

-- name: overdue
-- Episodes that were archived before a time, those first that were first.
select episode.id
from archived join episode using (namespace, doc)
where archived.namespace = %(namespace)s and archived_at <= %(before)s::timestamptz
order by archived_at, doc
limit %(limit)s;
