-- name: matching
-- The episodes that share words with the text, best first by BM25 over every posting of those words; one row.
with config as materialized (
    select text_search_of(%(namespace)s) as config
),
wanted as materialized (
    select term.lexeme
    from config, unnest(to_tsvector(config.config, %(text)s)) as term
    order by term.positions[1]
    limit %(most_lexemes)s
),
size as materialized (
    select coalesce(sum(episodes), 0)::float8 as episodes, sum(lexemes)::float8 / nullif(sum(episodes), 0)::float8 as mean_length
    from statistic
    where namespace = %(namespace)s
),
hidden as materialized (
    select doc from docs_hidden(%(namespace)s, %(exclude)s::text[], %(filters)s::jsonb, %(narrow)s) as doc
),
allowed as materialized (
    select doc from docs_passing(%(namespace)s, %(filters)s::jsonb) as doc where %(narrow)s
),
posted as materialized (
    select posting.lexeme, posting.doc, posting.tf::float8 as tf, posting.length::float8 as length
    from wanted join posting on posting.namespace = %(namespace)s and posting.lexeme = wanted.lexeme
),
phrased as (
    select phrase.text as lexeme, episode.doc
    from config, unnest(%(phrases)s::text[]) as phrase(text)
        join episode on episode.namespace = %(namespace)s
    where episode.words @@ phraseto_tsquery(config.config, phrase.text)
),
terms as materialized (
    select lexeme, doc, tf, length from posted
    union all
    select lexeme, doc, 1, (select max(length) from posted where posted.doc = phrased.doc) from phrased
),
weighed as materialized (
    select terms.lexeme, ln(1 + (greatest(size.episodes - count(*), 0) + .5) / (count(*) + .5)) as idf
    from terms, size
    group by terms.lexeme, size.episodes
),
scored as materialized (
    select doc,
        sum(idf * tf * (%(k1)s::float8 + 1)
            / (tf + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * length / mean_length))) as score
    from terms join weighed using (lexeme), size
    where (not %(narrow)s or doc in (select doc from allowed)) and doc not in (select doc from hidden)
    group by doc
    order by score desc, doc desc
    limit %(limit)s
)
select (select episodes from size)::bigint as episodes,
    (select coalesce(array_agg(lexeme), '{}') from wanted) as lexemes,
    coalesce(array_agg(episode.id order by score desc, occurred_at desc, id), '{}') as ids,
    coalesce(array_agg(score order by score desc, occurred_at desc, id), '{}') as scores
from scored join episode on episode.namespace = %(namespace)s and episode.doc = scored.doc;

-- name: matching_rarest
-- The same for large namespaces: candidates come from the rarest words, then every word is scored for those alone; one row.
with config as materialized (
    select text_search_of(%(namespace)s) as config
),
wanted as materialized (
    select term.lexeme
    from config, unnest(to_tsvector(config.config, %(text)s)) as term
    order by term.positions[1]
    limit %(most_lexemes)s
),
size as materialized (
    select coalesce(sum(episodes), 0)::float8 as episodes, sum(lexemes)::float8 / nullif(sum(episodes), 0)::float8 as mean_length
    from statistic
    where namespace = %(namespace)s
),
hidden as materialized (
    select doc from docs_hidden(%(namespace)s, %(exclude)s::text[], %(filters)s::jsonb, %(narrow)s) as doc
),
phrased as materialized (
    select phrase.text as lexeme, episode.doc
    from config, unnest(%(phrases)s::text[]) as phrase(text)
        join episode on episode.namespace = %(namespace)s
    where episode.words @@ phraseto_tsquery(config.config, phrase.text)
),
counted as materialized (
    select lexeme, df, ln(1 + (greatest(size.episodes - df, 0) + .5) / (df + .5)) as idf
    from size, (
        select wanted.lexeme,
            (select count(*) from posting where namespace = %(namespace)s and posting.lexeme = wanted.lexeme) as df
        from wanted
        union all
        select lexeme, count(*) from phrased group by lexeme
    ) as term
    where df > 0
),
ranked as materialized (
    select lexeme, idf,
        row_number() over rarest <= 2 or sum(df) over rarest <= %(budget)s as leads
    from counted
    window rarest as (order by df, lexeme rows unbounded preceding)
),
terms as (
    select ranked.idf, posting.doc, posting.tf::float8 as tf, posting.length::float8 as length
    from ranked join posting on posting.namespace = %(namespace)s and posting.lexeme = ranked.lexeme
    where ranked.leads
    union all
    select ranked.idf, phrased.doc, 1, null from ranked join phrased using (lexeme) where ranked.leads
),
candidates as materialized (
    select doc,
        sum(idf * tf * (%(k1)s::float8 + 1)
            / (tf + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * coalesce(length, mean_length) / mean_length))) as score
    from terms, size
    where doc not in (select doc from hidden)
    group by doc
    order by score desc, doc desc
    limit %(budget)s
),
scored as materialized (
    select candidates.doc, candidates.score + coalesce((
        select sum(ranked.idf * posting.tf * (%(k1)s::float8 + 1)
            / (posting.tf + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * posting.length / size.mean_length)))
        from ranked join posting on posting.namespace = %(namespace)s and posting.lexeme = ranked.lexeme
            and posting.doc = candidates.doc
        where not ranked.leads
    ), 0) as score
    from candidates, size
    order by score desc, doc desc
    limit %(limit)s
)
select (select episodes from size)::bigint as episodes,
    (select coalesce(array_agg(lexeme), '{}') from wanted) as lexemes,
    coalesce(array_agg(episode.id order by score desc, occurred_at desc, id), '{}') as ids,
    coalesce(array_agg(score order by score desc, occurred_at desc, id), '{}') as scores
from scored join episode on episode.namespace = %(namespace)s and episode.doc = scored.doc;

-- name: resembling
-- The episodes whose slug, or where there is no path one word, is spelt like a token: Jaccard of trigrams from 0.3 on.
--
-- A slug that resembles a token shares one of any (grams - ceil(0.3 x grams) + 1) of its grams, which the index finds.
-- Words are found by their lexemes, which are walked one by one in the index of postings; then the texts are read.
with recursive token as materialized (
    select grams_of(text) as grams, case when %(every_initial)s then '' else left(text, 1) end as initial
    from unnest(%(words)s::text[]) as token(text)
),
walk as (
    select initial.text as initial, first.lexeme
    from (select distinct initial from token) as initial(text), lateral (
        select lexeme from posting where namespace = %(namespace)s and lexeme >= initial.text order by lexeme limit 1
    ) as first
    where starts_with(first.lexeme, initial.text)
    union all
    select walk.initial, next.lexeme
    from walk, lateral (
        select lexeme from posting where namespace = %(namespace)s and posting.lexeme > walk.lexeme
        order by lexeme limit 1
    ) as next
    where starts_with(next.lexeme, walk.initial)
),
known as materialized (
    select initial, lexeme from walk limit %(most_walked)s
),
near as materialized (
    select lexeme, max(shared.grams::float8 / (cardinality(token.grams) + length(lexeme) - shared.grams)) as similarity
    from known join token using (initial), lateral (
        select count(*) as grams from unnest(token.grams) as gram where strpos('$' || lexeme || '$', gram) > 0
    ) as shared
    where shared.grams > 0
    group by lexeme
    order by similarity desc, lexeme
    limit %(most_lexemes)s
),
hidden as materialized (
    select doc from docs_hidden(%(namespace)s, %(exclude)s::text[], %(filters)s::jsonb, %(narrow)s) as doc
),
allowed as materialized (
    select doc from docs_passing(%(namespace)s, %(filters)s::jsonb) as doc where %(narrow)s
),
bearing as materialized (
    select posting.doc, max(near.similarity) as similarity
    from near join posting on posting.namespace = %(namespace)s and posting.lexeme = near.lexeme
    where (not %(narrow)s or doc in (select doc from allowed)) and doc not in (select doc from hidden)
    group by posting.doc
    order by similarity desc, doc desc
    limit %(most)s
),
texts as (
    select id, lower(concat_ws(' ', title, summary, speaker, content)) as text,
        sum(length(content)) over (order by similarity desc, bearing.doc desc) - length(content) as before
    from bearing join episode on episode.namespace = %(namespace)s and episode.doc = bearing.doc
    where path is null
),
spelt as materialized (
    select distinct id, word
    from texts, regexp_split_to_table(left(text, %(most_characters)s), '[^[:alnum:]]+') as word
    where before < %(most_characters)s
),
alike as materialized (
    select word, max(shared.grams::float8 / (cardinality(token.grams) + cardinality(grams_of(word)) - shared.grams))
        as similarity
    from (select distinct word from spelt) as spelt, token, lateral (
        select count(*) as grams from unnest(token.grams) as gram where strpos('$' || word || '$', gram) > 0
    ) as shared
    where shared.grams >= .3 * cardinality(token.grams)
    group by word
),
found as (
    select id, null as path, similarity from spelt join alike using (word)
    union all
    select id, path, shared.grams::float8 / (cardinality(token.grams) + cardinality(slug_grams) - shared.grams)
    from token join episode on episode.namespace = %(namespace)s and path is not null
            and slug_grams && token.grams[1:cardinality(token.grams) - ceil(.3 * cardinality(token.grams))::int + 1],
        lateral (select count(*) as grams from unnest(token.grams) as gram where gram = any(slug_grams)) as shared
    where cardinality(slug_grams) <= cardinality(token.grams) / .3
        and (not %(narrow)s or doc in (select doc from allowed)) and doc not in (select doc from hidden)
)
select id, max(similarity) as similarity
from found
where similarity >= .3
group by id, path
order by similarity desc, path, id
limit %(limit)s;
