-- name: together
-- What answers gave together and what was of use, after a place; the oldest first.
select id::text, given_at as at, memories, useless, useful
from (
    select id, given_at, memories, '{}'::text[] as useless, false as useful
    from answer
    where namespace = %(namespace)s
    union all
    select id, given_at, useful, useless, true
    from feedback
    where namespace = %(namespace)s
) as seen
where given_at <= %(now)s::timestamptz
    and (%(after_time)s::timestamptz is null or (given_at, id) > (%(after_time)s::timestamptz, %(after_id)s::uuid))
order by given_at, id
limit %(limit)s;

-- name: together_count
-- How many those are.
select (select count(*) from answer where namespace = %(namespace)s
            and (%(after_time)s::timestamptz is null or given_at > %(after_time)s::timestamptz))
    + (select count(*) from feedback where namespace = %(namespace)s
            and (%(after_time)s::timestamptz is null or given_at > %(after_time)s::timestamptz)) as answers;

-- name: nodes
-- What memories stand for: an episode for itself, a fact for its two ends.
select id as memory, array['episode/' || id] as nodes
from episode
where namespace = %(namespace)s and id = any(%(ids)s::text[]) and origin <> 'recalled'
union all
select id::text, array['entity/' || source, 'entity/' || target]
from fact
where namespace = %(namespace)s and id = any(%(uuids)s::uuid[]);

-- name: known
-- Synapses by their ends.
select synapse.one, synapse.other, weight, at
from synapse join unnest(%(ones)s::text[], %(others)s::text[]) as wanted(one, other)
    on synapse.one = wanted.one and synapse.other = wanted.other
where namespace = %(namespace)s;

-- name: lost
-- Synapses that have become too weak, or one of whose ends is gone, after a place.
select one, other, weight, at from synapse
where namespace = %(namespace)s and (one, other) > (%(after_one)s, %(after_other)s) and (
    weight * 2 ^ (-extract(epoch from %(now)s::timestamptz - at)::float8 / %(half_life)s::float8) < %(least)s::float8
    or not exists (
        select from entity where entity.namespace = synapse.namespace
            and entity.id = case when one like 'entity/%%' then substr(one, 8)::uuid end
        union all
        select from episode where episode.namespace = synapse.namespace
            and episode.id = case when one like 'episode/%%' then substr(one, 9) end
    )
    or not exists (
        select from entity where entity.namespace = synapse.namespace
            and entity.id = case when other like 'entity/%%' then substr(other, 8)::uuid end
        union all
        select from episode where episode.namespace = synapse.namespace
            and episode.id = case when other like 'episode/%%' then substr(other, 9) end
    )
)
order by one, other
limit %(limit)s;
