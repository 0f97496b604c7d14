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
    select doc from episode where namespace = %(namespace)s and id = any(%(exclude)s::text[])
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
