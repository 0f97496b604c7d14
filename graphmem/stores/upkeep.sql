-- name: undone
-- Work of episodes that is dead or was never asked for.
select kind, episode, error from (
    select 'extract' as kind, episode.id as episode, job.error
    from episode
        left join job on job.namespace = episode.namespace and job.episode = episode.id and job.kind = 'extract'
    where episode.namespace = %(namespace)s and episode.origin <> 'recalled'
        and (job.state is null or job.state = 'dead')
    union all
    select 'embed', episode.id, job.error
    from episode
        left join embedding on embedding.namespace = episode.namespace and embedding.doc = episode.doc
            and embedding.space = (select space from vector_space where active)
        left join job on job.namespace = episode.namespace and job.episode = episode.id and job.kind = 'embed'
    where episode.namespace = %(namespace)s and %(embeds)s::boolean and embedding.doc is null
        and (job.state is null or job.state in ('dead', 'done'))
) as work
where episode > %(after_id)s
order by episode, kind
limit %(limit)s;

-- name: ask_again
-- Work of episodes is to be done.
insert into job (namespace, id, kind, episode)
select %(namespace)s, %(job)s::uuid, kind, episode
from unnest(%(kinds)s::text[], %(episodes)s::text[]) as work(kind, episode)
on conflict (namespace, episode, kind) do update
set state = 'waiting', attempts = 0, error = null, due_at = now(), finished_at = null;

-- name: facts_without_vectors
-- Facts that lack a vector.
select id::text, fact from fact
where namespace = %(namespace)s and vector is null and (%(after)s::uuid is null or id > %(after)s::uuid)
order by id
limit %(limit)s;

-- name: add_fact_vectors
-- Vectors for facts that lack them.
update fact set vector = given.text::halfvec
from unnest(%(uuids)s::uuid[], %(texts)s::text[]) as given(id, text)
where fact.namespace = %(namespace)s and fact.id = given.id and fact.vector is null;

-- name: counts
-- How many things the graph is to show.
select (select count(*) from entity where namespace = %(namespace)s) as entities,
    (select count(*) from fact where namespace = %(namespace)s) as facts,
    (select count(*) from episode where namespace = %(namespace)s and origin <> 'recalled') as episodes;

-- name: ids
-- Ids of a kind that the graph is to show and that are not marked.
select id from (
    select id::text as id from entity where namespace = %(namespace)s and %(kind)s = 'entity'
    union all select id::text from fact where namespace = %(namespace)s and %(kind)s = 'fact'
    union all select id from episode where namespace = %(namespace)s and %(kind)s = 'episode' and origin <> 'recalled'
) as thing
where id > %(after_id)s and not exists (
    select from unprojected
    where unprojected.namespace = %(namespace)s and unprojected.kind = %(kind)s and unprojected.id = thing.id
)
order by id
limit %(limit)s;

-- name: unknown
-- Things that the graph is not to show, and that are not marked.
select given.kind, given.id
from unnest(%(kinds)s::text[], %(ids)s::text[]) as given(kind, id)
where not exists (
        select from entity where namespace = %(namespace)s and given.kind = 'entity' and entity.id::text = given.id
    )
    and not exists (
        select from fact where namespace = %(namespace)s and given.kind = 'fact' and fact.id::text = given.id
    )
    and not exists (
        select from episode
        where namespace = %(namespace)s and given.kind = 'episode' and episode.id = given.id and origin <> 'recalled'
    )
    and not exists (
        select from unprojected
        where unprojected.namespace = %(namespace)s and unprojected.kind = given.kind and unprojected.id = given.id
    );
