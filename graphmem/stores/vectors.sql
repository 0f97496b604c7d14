-- name: nearest
-- The episodes nearest to a vector, best first; exact where few rows can answer, by HNSW where many can; one row.
with space as materialized (
    select space from vector_space where active and model = %(model)s
),
hidden as materialized (
    select doc from episode where namespace = %(namespace)s and id = any(%(exclude)s::text[])
),
allowed as materialized (
    select doc from docs_passing(%(namespace)s, %(filters)s::jsonb) as doc where %(narrow)s
),
size as materialized (
    select case when %(narrow)s then (select count(*) from allowed)
        else (select coalesce(sum(episodes), 0) from statistic where namespace = %(namespace)s) end as docs
),
exact as materialized (
    select doc, distance
    from (
        select doc, vector <=> %(vector)s::halfvec as distance
        from embedding
        where namespace = %(namespace)s and not %(narrow)s and (select docs from size) <= %(exact_below)s
            and exists (select from space)
            and doc not in (select doc from hidden)
        offset 0
    ) as every_vector
    order by distance
    limit %(limit)s
),
exact_allowed as materialized (
    select embedding.doc, vector <=> %(vector)s::halfvec as distance
    from allowed join embedding on embedding.namespace = %(namespace)s and embedding.doc = allowed.doc
    where %(narrow)s and (select docs from size) <= %(exact_below)s and exists (select from space)
        and embedding.doc not in (select doc from hidden)
    order by distance
    limit %(limit)s
),
approximate as materialized (
    select doc, vector <=> %(vector)s::halfvec as distance
    from embedding
    where namespace = %(namespace)s and (select docs from size) > %(exact_below)s and exists (select from space)
        and doc not in (select doc from hidden)
        and (not %(narrow)s or doc in (select doc from allowed))
    order by vector <=> %(vector)s::halfvec
    limit %(limit)s
),
found as (
    select doc, distance from exact
    union all select doc, distance from exact_allowed
    union all select doc, distance from approximate
)
select exists (select from space) as same_model,
    (select docs from size) > %(exact_below)s as by_index,
    coalesce(array_agg(episode.id order by distance, occurred_at desc, id), '{}') as ids,
    coalesce(array_agg(1 - distance order by distance, occurred_at desc, id), '{}') as scores
from found join episode on episode.namespace = %(namespace)s and episode.doc = found.doc;
