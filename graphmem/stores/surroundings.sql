-- name: around
-- What was said around episodes in their sessions: they, and `reach_turns` turns before and after each, with sizes and, where
-- a model is named, vectors; in order. An episode without a session has no surroundings and is left out.
--
-- Turns of one moment follow each other by the length of their ids, then by id: so `D1:9` comes before `D1:10`. Two
-- turns in reach of a found one follow each other in the session when their places do.
with found as materialized (
    select distinct session, occurred_at
    from episode
    where namespace = %(namespace)s and id = any(%(ids)s::text[]) and session is not null
),
hidden as materialized (
    select doc from docs_hidden(%(namespace)s, %(exclude)s::text[], %(filters)s::jsonb, %(narrow)s) as doc
),
allowed as materialized (
    select doc from docs_passing(%(namespace)s, %(filters)s::jsonb) as doc where %(narrow)s
),
stretch as materialized (
    select distinct turn.session, turn.occurred_at, turn.id
    from found, lateral (
        select session, occurred_at, id from episode
        where namespace = %(namespace)s and session = found.session and occurred_at = found.occurred_at
        union all
        (select session, occurred_at, id from episode
        where namespace = %(namespace)s and session = found.session and occurred_at < found.occurred_at
        order by occurred_at desc, length(id) desc, id desc
        limit %(reach_turns)s)
        union all
        (select session, occurred_at, id from episode
        where namespace = %(namespace)s and session = found.session and occurred_at > found.occurred_at
        order by occurred_at, length(id), id
        limit %(reach_turns)s)
    ) as turn
),
turn as materialized (
    select id, session, row_number() over (order by session, occurred_at, length(id), id) as place
    from stretch
)
select turn.id, turn.session, turn.place, octet_length(episode.content) as size, halfvec_send(embedding.vector) as vector
from turn join episode on episode.namespace = %(namespace)s and episode.id = turn.id
    left join embedding on embedding.namespace = %(namespace)s and embedding.doc = episode.doc
        and exists (select from vector_space where active and model = %(model)s::text)
where (not %(narrow)s or episode.doc in (select doc from allowed)) and episode.doc not in (select doc from hidden)
order by turn.place;
