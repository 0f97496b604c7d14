-- name: insert
-- Writes new episodes with their postings, vectors, statistics and jobs, as one statement; ids that exist are left alone.
with given as materialized (
    select *
    from json_to_recordset(%(rows)s::json) as row(
        id text, content text, speaker text, session text, project text, origin text, type text, importance text,
        path text, title text, summary text, occurred_at timestamptz, created_at timestamptz, metadata jsonb,
        facts jsonb, parts text[], traits text[]
    )
),
home as (
    insert into namespace (namespace) values (%(namespace)s) on conflict do nothing
),
config as materialized (
    select text_search_of(%(namespace)s) as config
),
parsed as materialized (
    select given.id, part.number, to_tsvector(config.config, part.text) as words
    from given, config, unnest(given.parts) with ordinality as part(text, number)
),
created as (
    insert into episode (
        namespace, id, content, speaker, session, project, origin, type, importance, path, title, summary,
        occurred_at, created_at, metadata, facts, words, traits
    )
    select %(namespace)s, given.id, content, speaker, session, project, origin, type, importance, path, title, summary,
        occurred_at, created_at, metadata, facts, words, traits
    from given join parsed on parsed.id = given.id and parsed.number = 1
    order by given.id
    on conflict (namespace, id) do nothing
    returning id, doc, origin
),
counted as materialized (
    select created.doc, term.lexeme, least(sum(cardinality(term.positions)), 32767)::smallint as tf
    from created join parsed using (id), unnest(parsed.words) as term
    group by created.doc, term.lexeme
),
lengths as materialized (
    select doc, sum(tf) as length from counted group by doc
),
posted as (
    insert into posting (namespace, lexeme, doc, tf, length)
    select %(namespace)s, lexeme, doc, tf, least(length, 32767)::smallint
    from counted join lengths using (doc)
),
statistics as (
    insert into statistic (namespace, episodes, lexemes)
    select %(namespace)s, count(*), coalesce(sum(length), 0)
    from created left join lengths using (doc)
    having count(*) > 0
),
embedded as (
    insert into embedding (namespace, doc, space, truncated, vector)
    select %(namespace)s, created.doc, vector_space.space, given_vector.truncated, given_vector.vector
    from unnest(%(vector_ids)s::text[], %(vectors)s::halfvec[], %(truncated)s::boolean[])
            as given_vector(id, vector, truncated)
        join created using (id),
        vector_space
    where vector_space.active and vector_space.model = %(model)s
    returning doc
),
jobs as (
    insert into job (namespace, id, kind, episode, state, finished_at)
    select %(namespace)s, %(job)s::uuid, 'extract', id,
        case origin when 'recalled' then 'done' else 'waiting' end,
        case origin when 'recalled' then now() end
    from created
    union all
    select %(namespace)s, %(embed_job)s::uuid, 'embed', id, 'waiting', null
    from created
    where %(wants_vectors)s and doc not in (select doc from embedded)
    on conflict (namespace, episode, kind) do update
    set id = excluded.id, state = excluded.state, finished_at = excluded.finished_at, attempts = 0, error = null,
        due_at = now(), created_at = now(), calls = 0, tokens = 0
)
select id, doc in (select doc from embedded) as embedded
from created;

-- name: find
-- Episodes by id, in no order.
select namespace, id, content, speaker, session, project, origin, type, importance, path, title, summary,
    occurred_at, created_at, metadata, facts
from episode
where namespace = %(namespace)s and id = any(%(ids)s::text[]);

-- name: find_locked
-- Episodes by id, held until the transaction ends.
select namespace, id, content, speaker, session, project, origin, type, importance, path, title, summary,
    occurred_at, created_at, metadata, facts
from episode
where namespace = %(namespace)s and id = any(%(ids)s::text[])
order by id
for update;

-- name: delete
-- Takes episodes out with their postings and vectors, and asks the worker to take them out of the graph; what was said
-- right before one in its session is marked, because something else follows it now.
with given as materialized (
    select * from json_to_recordset(%(rows)s::json) as row(id text, parts text[])
),
gone as (
    delete from episode
    where namespace = %(namespace)s and id in (select id from given)
    returning id, doc
),
config as materialized (
    select text_search_of(%(namespace)s) as config
),
counted as materialized (
    select gone.doc, term.lexeme, least(sum(cardinality(term.positions)), 32767) as tf
    from gone join given using (id), config, unnest(given.parts) as part(text),
        unnest(to_tsvector(config.config, part.text)) as term
    group by gone.doc, term.lexeme
),
unposted as (
    delete from posting
    using counted
    where posting.namespace = %(namespace)s and posting.lexeme = counted.lexeme and posting.doc = counted.doc
),
statistics as (
    insert into statistic (namespace, episodes, lexemes)
    select %(namespace)s, -(select count(*) from gone), -coalesce(sum(tf), 0)
    from counted
),
unused as (
    delete from access where namespace = %(namespace)s and memory in (select id from gone)
),
unarchived as (
    delete from archived where namespace = %(namespace)s and doc in (select doc from gone)
),
uncovered as (
    delete from near_duplicate
    where namespace = %(namespace)s and (doc in (select doc from gone) or front in (select doc from gone))
    returning doc
),
looked_at_again as (
    insert into touched (namespace, kind, id)
    select %(namespace)s, 'episode', id from episode
    where namespace = %(namespace)s and doc in (select doc from uncovered) and id not in (select id from given)
    order by id
    on conflict (namespace, kind, id) do update set mark = default
),
unlearned as (
    delete from synapse
    where namespace = %(namespace)s and (
        one = any(array(select 'episode/' || id from gone)) or other = any(array(select 'episode/' || id from gone))
    )
),
unsigned as (
    delete from signature
    where namespace = %(namespace)s and doc in (select doc from gone)
),
unembedded as (
    delete from job
    where namespace = %(namespace)s and kind = 'embed' and episode in (select id from gone)
),
left_behind as (
    insert into unprojected (namespace, kind, id)
    select distinct %(namespace)s, 'episode', before.id collate "C"
    from given join episode on episode.namespace = %(namespace)s and episode.id = given.id
        cross join lateral (
            select earlier.id from episode as earlier
            where earlier.namespace = %(namespace)s and earlier.session = episode.session
                and (earlier.occurred_at, earlier.id) < (episode.occurred_at, episode.id)
                and earlier.origin <> 'recalled'
            order by earlier.occurred_at desc, earlier.id desc
            limit 1
        ) as before
    where before.id not in (select id from given)
    order by 3
    on conflict (namespace, kind, id) do update set mark = default
),
jobs as (
    insert into job (namespace, id, kind, episode)
    select %(namespace)s, %(job)s::uuid, 'extract', id from gone
    on conflict (namespace, episode, kind) do update
    set id = excluded.id, state = 'waiting', finished_at = null, attempts = 0, error = null,
        due_at = now(), created_at = now(), calls = 0, tokens = 0
)
select id from gone;

-- name: page
-- One page of a namespace's episodes, newest first, after the cursor.
select namespace, id, content, speaker, session, project, origin, type, importance, path, title, summary,
    occurred_at, created_at, metadata, facts
from episode
where namespace = %(namespace)s
    and (%(session)s::text is null or session = %(session)s)
    and (%(project)s::text is null or project = %(project)s)
    and (%(before)s::timestamptz is null or occurred_at < %(before)s)
    and (%(after_time)s::timestamptz is null or (occurred_at, id) < (%(after_time)s, %(after_id)s::text))
order by occurred_at desc, id desc
limit %(limit)s;

-- name: export_page
-- Episodes in the order they were stored, after a document number.
select namespace, id, content, speaker, session, project, origin, type, importance, path, title, summary,
    occurred_at, created_at, metadata, facts, doc
from episode
where namespace = %(namespace)s and doc > %(after)s
order by doc
limit %(limit)s;

-- name: missing_vectors
-- Those of the given episodes that have no vector yet.
select namespace, id, content, speaker, session, project, origin, type, importance, path, title, summary,
    occurred_at, created_at, metadata, facts
from episode
where namespace = %(namespace)s and id = any(%(ids)s::text[])
    and not exists (
        select from embedding where embedding.namespace = episode.namespace and embedding.doc = episode.doc
    );

-- name: add_vectors
-- Stores vectors of episodes that are still there and have none; no row when the active model is another.
with stored as (
insert into embedding (namespace, doc, space, truncated, vector)
select %(namespace)s, episode.doc, vector_space.space, given.truncated, given.vector
from unnest(%(vector_ids)s::text[], %(vectors)s::halfvec[], %(truncated)s::boolean[], %(created)s::timestamptz[])
        as given(id, vector, truncated, created_at)
    join episode on episode.namespace = %(namespace)s and episode.id = given.id
        and episode.created_at = given.created_at,
    vector_space
where vector_space.active and vector_space.model = %(model)s
on conflict do nothing
)
select space from vector_space where active and model = %(model)s;

-- name: briefing
-- What always matters (part 0), the newest first; and what was said last in the latest sessions (part 1), one of each in
-- turn.
with hidden as materialized (
    select doc from docs_hidden(%(namespace)s, %(exclude)s::text[], %(filters)s::jsonb, %(narrow)s) as doc
),
allowed as materialized (
    select doc from docs_passing(%(namespace)s, %(filters)s::jsonb) as doc where %(narrow)s
),
lasting as materialized (
    select doc, 0 as part, 1 as turn
    from episode
    where namespace = %(namespace)s and (type = any(%(evergreen)s::text[]) or importance = 'high')
        and doc not in (select doc from hidden) and (not %(narrow)s or doc in (select doc from allowed))
    order by occurred_at desc, id
    limit %(limit)s
),
latest as materialized (
    select doc, session, occurred_at, id
    from episode
    where namespace = %(namespace)s and doc not in (select doc from lasting)
        and doc not in (select doc from hidden) and (not %(narrow)s or doc in (select doc from allowed))
    order by occurred_at desc, id
    limit %(most)s
),
recent as (
    select doc, 1 as part, row_number() over (partition by session order by occurred_at desc, id) as turn
    from latest
)
select namespace, id, content, speaker, session, project, origin, type, importance, path, title, summary,
    occurred_at, created_at, metadata, facts, part
from (select * from lasting union all select * from recent) as chosen
    join episode using (doc)
where namespace = %(namespace)s
order by part, turn, occurred_at desc, id
limit 2 * %(limit)s;
