-- name: nearest
-- The episodes nearest to a vector, best first; exact where few rows can answer, by HNSW where many can; one row.
with space as materialized (
    select space from vector_space where active and model = %(model)s
),
hidden as materialized (
    select doc from docs_hidden(%(namespace)s, %(exclude)s::text[], %(filters)s::jsonb, %(narrow)s) as doc
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

-- name: among_last
-- How near to a vector the episodes are that were accessed last, and those named, best first; one row.
--
-- One that was never accessed counts from when it was said.
with space as materialized (
    select space from vector_space where active and model = %(model)s
),
hidden as materialized (
    select doc from docs_hidden(%(namespace)s, %(exclude)s::text[], %(filters)s::jsonb, %(narrow)s) as doc
),
allowed as materialized (
    select doc from docs_passing(%(namespace)s, %(filters)s::jsonb) as doc where %(narrow)s
),
accessed as (
    select episode.doc, last_at as moment
    from access
        join episode on episode.namespace = %(namespace)s and episode.id = memory
        join embedding on embedding.namespace = %(namespace)s and embedding.doc = episode.doc
    where access.namespace = %(namespace)s
        and (not %(narrow)s or episode.doc in (select doc from allowed)) and episode.doc not in (select doc from hidden)
    order by last_at desc, occurred_at desc, id
    limit %(window)s
),
untouched as (
    select episode.doc, occurred_at as moment
    from episode join embedding on embedding.namespace = %(namespace)s and embedding.doc = episode.doc
    where episode.namespace = %(namespace)s
        and not exists (select from access where access.namespace = %(namespace)s and memory = episode.id)
        and (not %(narrow)s or episode.doc in (select doc from allowed)) and episode.doc not in (select doc from hidden)
    order by occurred_at desc, id
    limit %(window)s
),
last as (
    select doc from (select * from accessed union all select * from untouched) as either
    order by moment desc, doc desc
    limit %(window)s
),
found as materialized (
    select id, occurred_at, coalesce(1 - (vector <=> %(vector)s::halfvec), 0) as score
    from (
        select doc from last
        union
        select doc from episode where namespace = %(namespace)s and id = any(%(ids)s::text[])
    ) as candidate
        join episode on episode.namespace = %(namespace)s and episode.doc = candidate.doc
        left join embedding on embedding.namespace = %(namespace)s and embedding.doc = candidate.doc
            and exists (select from space)
)
select exists (select from space) as same_model,
    coalesce(array_agg(id order by score desc, occurred_at desc, id), '{}') as ids,
    coalesce(array_agg(score order by score desc, occurred_at desc, id), '{}') as scores
from found;

-- name: vectors
-- The vectors of those of the memories that have one of the active model, in no order.
select id, vector
from episode join embedding using (namespace, doc)
where namespace = %(namespace)s and id = any(%(ids)s::text[])
    and exists (select from vector_space where active and model = %(model)s)
union all
select id::text, vector
from fact join vector_space on active and model = %(model)s and dimensions = vector_dims(vector)
where namespace = %(namespace)s and id = any(%(uuids)s::uuid[]);

-- name: similarities
-- How near memories are to a vector, of those that have one of the active model, in no order.
select id, 1 - (vector <=> %(vector)s::halfvec) as similarity
from episode join embedding using (namespace, doc)
where namespace = %(namespace)s and id = any(%(ids)s::text[])
    and exists (select from vector_space where active and model = %(model)s)
union all
select id::text, 1 - (vector <=> %(vector)s::halfvec)
from fact join vector_space on active and model = %(model)s and dimensions = vector_dims(vector)
where namespace = %(namespace)s and id = any(%(uuids)s::uuid[]);
