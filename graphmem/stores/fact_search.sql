-- name: spoken_for
-- The episodes each fact was stated in, oldest first, whether rules alone found it, and in a row without an id those of
-- `mentioned`: those that the filters let through.
with allowed as materialized (
    select doc from docs_passing(%(namespace)s, %(filters)s::jsonb) as doc where %(narrow)s
),
hidden as materialized (
    select doc from docs_hidden(%(namespace)s, %(exclude)s::text[], %(filters)s::jsonb, %(narrow)s) as doc
)
select fact.id::text, fact.origin = 'local' as local,
    coalesce(array_agg(episode.id order by episode.occurred_at, episode.id) filter (where episode.id is not null), '{}')
        as episodes
from fact
    left join statement on statement.namespace = fact.namespace and statement.fact = fact.id and not statement.ends
    left join episode on episode.namespace = fact.namespace and episode.id = statement.episode
        and episode.doc not in (select doc from hidden)
        and (not %(narrow)s or episode.doc in (select doc from allowed))
where fact.namespace = %(namespace)s and fact.id = any(%(ids)s::uuid[]) and fact.id::text <> all(%(exclude)s::text[])
group by fact.id, fact.origin
having not %(bound)s or count(episode.id) > 0
union all
select null, null, coalesce(array_agg(episode.id), '{}')
from episode
where episode.namespace = %(namespace)s and episode.id = any(%(mentioned)s::text[])
    and episode.doc not in (select doc from hidden) and (not %(narrow)s or episode.doc in (select doc from allowed));
