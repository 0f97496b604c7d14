-- name: known
-- Which entities these names mean, with how many episodes mention each; one more than the limit means too many.
select named.id::text as named, entity.id::text,
    (select count(*) from (
        select distinct episode from mention where mention.namespace = entity.namespace and mention.entity = entity.id
        limit %(most)s + 1
    ) as counted) as mentions
from unnest(%(ids)s::uuid[]) as named(id)
    left join meaning on meaning.namespace = %(namespace)s and meaning.named = named.id
    join entity on entity.namespace = %(namespace)s and entity.id = coalesce(meaning.entity, named.id);

-- name: neighbourhood
-- Episodes around linked names and seed episodes, two names apart; and the idf share of the names in the question.
--
-- Each `offset 0` has what follows looked up row by row: few rows lead there, of a namespace that may be large.
with seed as materialized (
    select id from unnest(%(seeds)s::text[]) as id
),
near as materialized (
    select episode from (
        select episode from mention
        where namespace = %(namespace)s and entity = any(%(names)s::uuid[]) and episode <> ''
        union
        select seed.id from seed
        where exists (select from mention where mention.namespace = %(namespace)s and mention.episode = seed.id)
    ) as either
    limit %(most_episodes)s
),
bridge as materialized (
    select named.entity, (
        select count(*) from (
            select distinct episode from mention
            where mention.namespace = %(namespace)s and mention.entity = named.entity
            limit %(most)s + 1
        ) as counted
    ) as degree
    from (
        select distinct mention.entity
        from near, lateral (
            select entity from mention where namespace = %(namespace)s and mention.episode = near.episode offset 0
        ) as mention
    ) as named
),
link as materialized (
    select mention.episode, bridge.entity
    from (
        select entity, sum(degree) over (order by degree, entity rows unbounded preceding) as links
        from bridge
        where degree <= %(most)s
    ) as bridge, lateral (
        select distinct episode from mention
        where mention.namespace = %(namespace)s and mention.entity = bridge.entity and episode <> ''
    ) as mention
    where bridge.links <= %(most_links)s
),
allowed as materialized (
    select doc from docs_passing(%(namespace)s, %(filters)s::jsonb) as doc where %(narrow)s
),
hidden as materialized (
    select doc from docs_hidden(%(namespace)s, %(exclude)s::text[], %(filters)s::jsonb, %(narrow)s) as doc
),
config as materialized (
    select text_search_of(%(namespace)s) as config
),
lexeme as materialized (
    select term.lexeme,
        term.lexeme = any(tsvector_to_array(to_tsvector(config.config, %(linked_text)s))) as in_name,
        ln(1 + (size.episodes - df.df + .5) / (df.df + .5)) as idf
    from config, unnest(to_tsvector(config.config, %(text)s)) as term,
        (select coalesce(sum(episodes), 0)::float8 as episodes from statistic where namespace = %(namespace)s) as size,
        lateral (
            select count(*) as df from (
                select from posting where namespace = %(namespace)s and lexeme = term.lexeme limit %(most_postings)s
            ) as counted
        ) as df
)
select (select coalesce(sum(idf) filter (where in_name) / nullif(sum(idf), 0), 0) from lexeme) as idf_share,
    (select coalesce(array_agg(entity::text || episode), '{}') from link) as links,
    (select coalesce(array_agg(entity::text), '{}') from bridge) as names,
    (select coalesce(array_agg(degree), '{}') from bridge) as name_degrees,
    (select coalesce(array_agg(episode.id), '{}')
     from (select distinct episode from link) as linked, lateral (
            select id, doc from episode where namespace = %(namespace)s and id = linked.episode offset 0
        ) as episode
     where (not %(narrow)s or episode.doc in (select doc from allowed)) and episode.doc not in (select doc from hidden)
    ) as returnable,
    (select coalesce(array_agg(near.episode), '{}') from near) as near_episodes,
    (select coalesce(array_agg((
        select count(distinct entity) from mention
        where mention.namespace = %(namespace)s and mention.episode = near.episode
    )), '{}') from near) as near_degrees;

-- name: entity_names
-- What entities are called.
select id::text, name from entity where namespace = %(namespace)s and id = any(%(uuids)s::uuid[]);

-- name: labels
-- What memories are labelled with: an episode with its title, a fact with its ends and its relation.
select id, title as label from episode
where namespace = %(namespace)s and id = any(%(ids)s::text[]) and title is not null
union all
select fact.id::text, concat_ws(' ', source.name, fact.relation, target.name)
from fact
    join entity as source on source.namespace = fact.namespace and source.id = fact.source
    join entity as target on target.namespace = fact.namespace and target.id = fact.target
where fact.namespace = %(namespace)s and fact.id = any(%(uuids)s::uuid[]);
