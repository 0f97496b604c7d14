-- name: lock
-- One writer of a namespace's ledger at a time, until the transaction ends.
select pg_advisory_xact_lock(hashtextextended('graphmem:ledger:' || %(namespace)s, 0));

-- name: home
-- The namespace that what is said belongs to.
insert into namespace (namespace) values (%(namespace)s) on conflict do nothing;

-- name: present_episodes
-- Those of the ids that are episodes.
select id, created_at from episode where namespace = %(namespace)s and id = any(%(ids)s::text[]);

-- name: facts_now
-- Facts by id, as settled, with the ends that follow from the names in what was first said of each.
select fact.id::text, fact.source::text, fact.relation, fact.target::text, fact, fact.valid_at, fact.invalid_at,
    stated_invalid_at, fact.created_at, expired_at, confirmed_at, fact.origin, retired_by::text,
    named.source::text as named_source, named.target::text as named_target
from fact join lateral (
    select named_source as source, named_target as target from statement
    where statement.namespace = fact.namespace and statement.fact = fact.id
    order by ends, coalesce(valid_at, created_at), created_at, id
    limit 1
) as named on true
where fact.namespace = %(namespace)s and fact.id = any(%(ids)s::uuid[]);

-- name: meanings
-- Entities that follow from names and mean others; all of them, or those of the ids.
select named::text, entity::text from meaning
where namespace = %(namespace)s and (%(ids)s::uuid[] is null or named = any(%(ids)s::uuid[]));

-- name: alias_statements
-- All that was said about names that mean one.
select id::text, episode, source::text, relation, target::text, text, valid_at, invalid_at, ends, origin,
    fixed_fact::text, created_at, replaced_by::text, named_source::text, named_target::text
from statement
where namespace = %(namespace)s and relation in ('ALSO_KNOWN_AS', 'ALIAS_OF');

-- name: alias_facts
-- All facts about names that mean one.
select id::text, source::text, relation, target::text, fact, valid_at, invalid_at, stated_invalid_at, created_at,
    expired_at, confirmed_at, origin, retired_by::text
from fact
where namespace = %(namespace)s and relation in ('ALSO_KNOWN_AS', 'ALIAS_OF');

-- name: links
-- All that is said or decided to be one.
select alias::text, entity::text, reason, cause::text from entity_link where namespace = %(namespace)s;

-- name: drop_links
-- What is said, or decided, to be one is so anew.
delete from entity_link where namespace = %(namespace)s and reason = %(reason)s;

-- name: add_links
-- Two entities are said or decided to be one.
insert into entity_link (namespace, alias, entity, reason, cause)
select %(namespace)s, alias, entity, reason, cause
from json_to_recordset(%(rows)s::json) as row(alias uuid, entity uuid, reason text, cause uuid)
on conflict do nothing;

-- name: drop_meanings
-- These entities mean themselves again, or another.
delete from meaning where namespace = %(namespace)s and named = any(%(ids)s::uuid[]);

-- name: add_meanings
-- These entities mean others.
insert into meaning (namespace, named, entity)
select %(namespace)s, named, entity from unnest(%(ids)s::uuid[], %(entities)s::uuid[]) as row(named, entity);

-- name: move_mentions
-- Mentions of names that mean another entity now; the episodes they are in.
update mention set entity = moved.after
from unnest(%(ids)s::uuid[], %(before)s::uuid[], %(after)s::uuid[]) as moved(named, before, after)
where mention.namespace = %(namespace)s and mention.entity = moved.before and mention.named = moved.named
returning mention.episode;

-- name: move_sources
-- Statements whose source means another entity now; their pairs, as they are.
update statement set source = moved.after
from unnest(%(ids)s::uuid[], %(before)s::uuid[], %(after)s::uuid[]) as moved(named, before, after)
where statement.namespace = %(namespace)s and statement.source = moved.before and named_source = moved.named
returning moved.before::text as before, source::text, relation, target::text;

-- name: move_targets
-- Statements whose target means another entity now; their pairs, as they are.
update statement set target = moved.after
from unnest(%(ids)s::uuid[], %(before)s::uuid[], %(after)s::uuid[]) as moved(named, before, after)
where statement.namespace = %(namespace)s and statement.target = moved.before and named_target = moved.named
returning moved.before::text as before, source::text, relation, target::text;

-- name: take_back_statements
-- What these episodes said, taken back; the pairs it was about. What a caller stated in one since it is as it is stays.
-- A fact that others support too may stay as it is, but the graph names its episodes: it is to be shown again.
with taken as (
    delete from statement
    where namespace = %(namespace)s and episode = any(%(episodes)s::text[])
        and not (origin = 'stated' and exists (
            select from episode
            where episode.namespace = statement.namespace and episode.id = statement.episode
                and episode.created_at < statement.created_at
        ))
    returning source, relation, target, fact
),
marked as (
    insert into unprojected (namespace, kind, id)
    select distinct %(namespace)s, 'fact', fact::text from taken where fact is not null
    on conflict (namespace, kind, id) do update set mark = default
),
touched as (
    insert into touched (namespace, kind, id)
    select distinct %(namespace)s, 'fact', fact::text from taken where fact is not null
    on conflict (namespace, kind, id) do update set mark = default
)
select source::text, relation, target::text from taken;

-- name: take_back_readings
-- These episodes are unread again; summaries of entities that they named go, for they may tell of them.
with unread as (
    delete from reading where namespace = %(namespace)s and episode = any(%(episodes)s::text[]) returning episode
)
update entity set summary = ''
where namespace = %(namespace)s and summary <> '' and id in (
    select mention.entity from mention join unread using (episode) where mention.namespace = %(namespace)s
)
returning id::text;

-- name: take_back_mentions
-- What these episodes named, taken back, but for the ends of what stays stated in them; the entities it was about.
delete from mention
where namespace = %(namespace)s and episode = any(%(episodes)s::text[])
    and not exists (
        select from statement
        where statement.namespace = mention.namespace and statement.episode = mention.episode
            and mention.named in (statement.named_source, statement.named_target)
    )
returning entity::text;

-- name: add_mentions
-- Episodes name entities.
insert into mention (namespace, episode, entity, name, type, created_at, named)
select %(namespace)s, episode, entity, name, type, created_at, named
from json_to_recordset(%(rows)s::json)
    as row(episode text, entity uuid, name text, type text, created_at timestamptz, named uuid)
on conflict (namespace, episode, named) do update
set name = excluded.name, type = coalesce(excluded.type, mention.type);

-- name: add_statements
-- What was said about pairs; saying it again changes nothing.
insert into statement (
    namespace, id, episode, source, relation, target, text, valid_at, invalid_at, ends, origin, fixed_fact, created_at,
    replaced_by, named_source, named_target
)
select %(namespace)s, id, episode, source, relation, target, text, valid_at, invalid_at, ends, origin, fixed_fact,
    created_at, replaced_by, named_source, named_target
from json_to_recordset(%(rows)s::json) as row(
    id uuid, episode text, source uuid, relation text, target uuid, text text, valid_at timestamptz,
    invalid_at timestamptz, ends boolean, origin text, fixed_fact uuid, created_at timestamptz,
    replaced_by uuid, named_source uuid, named_target uuid
)
on conflict (namespace, id) do nothing
returning id::text;

-- name: statements_about
-- All that was said about these groups; without a target a group is all targets of its relation.
select distinct statement.id::text, episode, statement.source::text, statement.relation, statement.target::text, text,
    valid_at, invalid_at, ends, origin, fixed_fact::text, created_at, replaced_by::text, named_source::text,
    named_target::text
from json_to_recordset(%(groups)s::json) as wanted(source uuid, relation text, target uuid)
    join statement on statement.namespace = %(namespace)s and statement.source = wanted.source
        and statement.relation = wanted.relation and (wanted.target is null or statement.target = wanted.target);

-- name: facts_about
-- The facts these groups have now.
select distinct fact.id::text, fact.source::text, fact.relation, fact.target::text, fact, valid_at, invalid_at,
    stated_invalid_at, created_at, expired_at, confirmed_at, origin, retired_by::text
from json_to_recordset(%(groups)s::json) as wanted(source uuid, relation text, target uuid)
    join fact on fact.namespace = %(namespace)s and fact.source = wanted.source and fact.relation = wanted.relation
        and (wanted.target is null or fact.target = wanted.target);

-- name: keep_facts
-- Facts as they are settled; a new one takes the vector it is given, or that of the episode it was first said in.
insert into fact (
    namespace, id, source, relation, target, fact, valid_at, invalid_at, stated_invalid_at, created_at, expired_at,
    confirmed_at, origin, retired_by, vector, space
)
select %(namespace)s, row.id, source, relation, target, fact, valid_at, invalid_at, stated_invalid_at, row.created_at,
    expired_at, confirmed_at, row.origin, retired_by, coalesce(row.vector::halfvec, embedding.vector),
    case when coalesce(row.vector::halfvec, embedding.vector) is not null
         then (select space from vector_space where active) end
from json_to_recordset(%(rows)s::json) as row(
        id uuid, source uuid, relation text, target uuid, fact text, valid_at timestamptz, invalid_at timestamptz,
        stated_invalid_at timestamptz, created_at timestamptz, expired_at timestamptz, confirmed_at timestamptz,
        origin text, retired_by uuid, vector text, episode text
    )
    left join episode on episode.namespace = %(namespace)s and episode.id = row.episode
    left join embedding on embedding.namespace = %(namespace)s and embedding.doc = episode.doc
on conflict (namespace, id) do update
set source = excluded.source, relation = excluded.relation, target = excluded.target, fact = excluded.fact,
    valid_at = excluded.valid_at, invalid_at = excluded.invalid_at, stated_invalid_at = excluded.stated_invalid_at,
    created_at = excluded.created_at, expired_at = excluded.expired_at, confirmed_at = excluded.confirmed_at,
    origin = excluded.origin, retired_by = excluded.retired_by, vector = coalesce(fact.vector, excluded.vector),
    space = case when fact.vector is null then excluded.space else fact.space end;

-- name: follow_gone
-- Ends that a language model decided in favour of facts that are gone: in favour of the fact that what was said of the
-- gone one belongs to now, or no longer; the pairs these are about.
with successor as (
    select distinct on (statement.fact) statement.fact as gone, belongs.fact
    from statement
        join unnest(%(statements)s::uuid[], %(facts)s::uuid[]) as belongs(id, fact) on belongs.id = statement.id
    where statement.namespace = %(namespace)s and statement.fact = any(%(gone)s::uuid[]) and not ends
    order by statement.fact, statement.created_at, statement.id
),
kept as (
    update statement set replaced_by = successor.fact
    from successor
    where statement.namespace = %(namespace)s and replaced_by = successor.gone and ends and origin = 'model'
    returning source, relation, target
),
dropped as (
    delete from statement
    where namespace = %(namespace)s and replaced_by = any(%(gone)s::uuid[]) and ends and origin = 'model'
        and replaced_by not in (select gone from successor)
    returning source, relation, target
)
select source::text, relation, target::text from kept
union
select source::text, relation, target::text from dropped;

-- name: drop_facts
-- Facts that no longer follow from anything.
delete from fact where namespace = %(namespace)s and id = any(%(ids)s::uuid[]);

-- name: assign
-- Which fact each statement belongs to; the episodes for which that changed.
update statement
set fact = belongs.fact
from unnest(%(statements)s::uuid[], %(facts)s::uuid[]) as belongs(id, fact)
where statement.namespace = %(namespace)s and statement.id = belongs.id and statement.fact is distinct from belongs.fact
returning statement.episode;

-- name: keep_entities
-- Entities as their mentions have them: the name and type that most give; those that changed.
with counted as (
    select entity, name, count(*) as times, min(created_at) as created_at
    from mention
    where namespace = %(namespace)s and entity = any(%(ids)s::uuid[])
    group by entity, name
),
typed as (
    select distinct on (entity) entity, type
    from (
        select entity, type, count(*) as times
        from mention
        where namespace = %(namespace)s and entity = any(%(ids)s::uuid[]) and type is not null
        group by entity, type
    ) as votes
    order by entity, times desc, type = 'thing', type
),
chosen as (
    select distinct on (entity) entity, name, min(created_at) over (partition by entity) as created_at
    from counted
    order by entity, times desc, name
)
insert into entity (namespace, id, name, type, created_at)
select %(namespace)s, chosen.entity, chosen.name, typed.type, chosen.created_at
from chosen left join typed using (entity)
on conflict (namespace, id) do update
set name = excluded.name, type = excluded.type, created_at = excluded.created_at,
    vector = case when entity.name = excluded.name then entity.vector end,
    space = case when entity.name = excluded.name then entity.space end
where (entity.name, entity.type, entity.created_at)
    is distinct from (excluded.name, excluded.type, excluded.created_at)
returning id::text;

-- name: describe_entities
-- What entities are in a language model's words, and the vectors of their names; those for which that changed.
update entity set summary = row.summary, vector = coalesce(entity.vector, row.vector::halfvec),
    space = case
        when entity.vector is null and row.vector is not null then (select space from vector_space where active)
        else entity.space
    end
from json_to_recordset(%(rows)s::json) as row(id uuid, name text, summary text, vector text)
where namespace = %(namespace)s and entity.id = row.id and entity.name = row.name
    and (entity.summary <> row.summary or entity.vector is null and row.vector is not null)
returning entity.id::text;

-- name: present_entities
-- Those of the ids that are entities.
select id::text from entity where namespace = %(namespace)s and id = any(%(ids)s::uuid[]);

-- name: names_of
-- How each of the entities that follow from names is called, by the first that named it.
select distinct on (named) named::text, name, type
from mention
where namespace = %(namespace)s and named = any(%(ids)s::uuid[])
order by named, created_at, episode;

-- name: drop_entities
-- Entities that nothing names any more.
delete from entity
where namespace = %(namespace)s and id = any(%(ids)s::uuid[])
    and not exists (select from mention where mention.namespace = entity.namespace and mention.entity = entity.id)
returning id::text;

-- name: mark
-- The graph does not show these yet, and the night has not seen them as they are.
with given as materialized (
    select row.kind, row.id from unnest(%(kinds)s::text[], %(ids)s::text[]) as row(kind, id)
),
fresh as (
    insert into touched (namespace, kind, id)
    select %(namespace)s, kind, id from given where kind in ('episode', 'entity', 'fact')
    on conflict (namespace, kind, id) do update set mark = default
)
insert into unprojected (namespace, kind, id)
select %(namespace)s, kind, id from given
on conflict (namespace, kind, id) do update set mark = default;

-- name: mark_everything
-- The graph of a namespace is to be made again; how many things are to be shown.
with marked as (
    insert into unprojected (namespace, kind, id)
    select namespace, 'entity', id::text from entity where namespace = %(namespace)s
    union all select namespace, 'fact', id::text from fact where namespace = %(namespace)s
    union all select namespace, 'episode', id from episode where namespace = %(namespace)s and origin <> 'recalled'
    union all select namespace, 'synapse', one || ' ' || other from synapse where namespace = %(namespace)s
    union all select namespace, 'community', id::text from community where namespace = %(namespace)s
    on conflict (namespace, kind, id) do update set mark = default
    returning 1
)
select count(*) as things from marked;

-- name: marked
-- Some of what the graph does not show yet, oldest first.
select kind, id, mark from unprojected where namespace = %(namespace)s order by mark limit %(limit)s;

-- name: unmark
-- The graph shows these now; those marked again meanwhile stay marked.
delete from unprojected
using unnest(%(kinds)s::text[], %(ids)s::text[], %(marks)s::bigint[]) as shown(kind, id, mark)
where unprojected.namespace = %(namespace)s and unprojected.kind = shown.kind and unprojected.id = shown.id
    and unprojected.mark = shown.mark;

-- name: entities
-- Those of the entities that the graph does not show yet as they are.
select id::text, name, type, coalesce(nullif(summary, ''), summary_of(namespace, id), '') as summary,
    created_at, vector
from entity
where namespace = %(namespace)s and id = any(%(ids)s::uuid[]) and exists (
    select from unprojected
    where unprojected.namespace = entity.namespace and kind = 'entity' and unprojected.id = entity.id::text
);

-- name: all_entities
-- Entities as the graph is to show them.
select id::text, name, type, summary, created_at, vector
from entity
where namespace = %(namespace)s and id = any(%(ids)s::uuid[]);

-- name: facts
-- Facts as the graph shows them, with the episodes that support each.
select id::text, source::text, relation, target::text, fact, valid_at, invalid_at, stated_invalid_at, created_at,
    expired_at, confirmed_at, retired_by::text, vector,
    array(
        select distinct statement.episode from statement
        where statement.namespace = fact.namespace and statement.fact = fact.id and not ends and episode <> ''
        order by statement.episode
    ) as episodes
from fact
where namespace = %(namespace)s and id = any(%(ids)s::uuid[]);

-- name: episode_links
-- What each episode names and supports.
select episode.id,
    array(
        select distinct mention.entity::text from mention
        where mention.namespace = episode.namespace and mention.episode = episode.id order by 1
    ) as entities,
    array(
        select distinct statement.fact::text from statement
        where statement.namespace = episode.namespace and statement.episode = episode.id and not ends
            and statement.fact is not null
        order by 1
    ) as facts
from episode
where episode.namespace = %(namespace)s and episode.id = any(%(ids)s::text[]);

-- name: session_order
-- What was said next in the session, for each of some episodes and for the one right before it; null at the end.
with shown as (
    select id, session, occurred_at, created_at
    from episode
    where namespace = %(namespace)s and id = any(%(ids)s::text[]) and session is not null and origin <> 'recalled'
),
touched as (
    select * from shown
    union
    select before.id, shown.session, before.occurred_at, before.created_at
    from shown cross join lateral (
        select id, occurred_at, created_at from episode
        where namespace = %(namespace)s and session = shown.session and origin <> 'recalled'
            and (occurred_at, id) < (shown.occurred_at, shown.id)
        order by occurred_at desc, id desc
        limit 1
    ) as before
)
select touched.id, next.id as next, greatest(touched.created_at, next.created_at) as created_at
from touched left join lateral (
    select id, created_at from episode
    where namespace = %(namespace)s and session = touched.session and origin <> 'recalled'
        and (occurred_at, id) > (touched.occurred_at, touched.id)
    order by occurred_at, id
    limit 1
) as next on true;

-- name: summarised
-- What the night wrote a summary of that rests on these facts.
select kind, subject::text from summary where namespace = %(namespace)s and facts && %(ids)s::uuid[];
