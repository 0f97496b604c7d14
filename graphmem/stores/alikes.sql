-- name: names
-- Entities with their names, by id.
select entity.id::text, entity.type,
    array(
        select distinct mention.name from mention
        where mention.namespace = entity.namespace and mention.entity = entity.id order by 1
    ) as names
from entity
where namespace = %(namespace)s and (%(after)s::uuid is null or id > %(after)s::uuid)
order by id
limit %(limit)s;

-- name: named
-- Some entities with their names.
select entity.id::text, entity.type,
    array(
        select distinct mention.name from mention
        where mention.namespace = entity.namespace and mention.entity = entity.id order by 1
    ) as names
from entity
where namespace = %(namespace)s and id = any(%(ids)s::uuid[])
order by id;

-- name: tied_alike
-- Entities that facts tie to the same in the same way as some do, at least twice.
select least(known.source, other.source)::text as left, greatest(known.source, other.source)::text as right
from fact as known
    cross join lateral (
        select source from fact
        where namespace = %(namespace)s and target = known.target and relation = known.relation
        limit %(most)s
    ) as other
    join entity as one on one.namespace = %(namespace)s and one.id = known.source
    join entity as two on two.namespace = %(namespace)s and two.id = other.source
where known.namespace = %(namespace)s and known.source = any(%(ids)s::uuid[]) and other.source <> known.source
    and one.type = two.type
group by 1, 2
having count(distinct (known.relation, known.target)) > 1
order by 1, 2;

-- name: common
-- What the two entities of each pair have in common.
select one.id::text as left, two.id::text as right, one.name as left_name, two.name as right_name,
    one.summary as left_summary, two.summary as right_summary, one.vector::text as left_vector,
    two.vector::text as right_vector,
    (select count(*) from mention where namespace = %(namespace)s and entity = one.id) as left_mentions,
    (select count(*) from mention where namespace = %(namespace)s and entity = two.id) as right_mentions,
    (
        select count(*) from mention as first join mention as second
            on second.namespace = first.namespace and second.episode = first.episode and second.entity = two.id
        where first.namespace = %(namespace)s and first.entity = one.id and first.episode <> ''
    ) as together,
    exists (
        select from fact
        where namespace = %(namespace)s and source in (one.id, two.id) and target in (one.id, two.id)
            and source <> target and relation not in ('ALSO_KNOWN_AS', 'ALIAS_OF')
    ) as tied,
    shared.ways, shared.facts as shared
from unnest(%(lefts)s::uuid[], %(rights)s::uuid[]) as pair(left_id, right_id)
    join entity as one on one.namespace = %(namespace)s and one.id = pair.left_id
    join entity as two on two.namespace = %(namespace)s and two.id = pair.right_id
    cross join lateral (
        select count(distinct (first.relation, first.other, first.outward)) as ways,
            coalesce((array_agg(distinct said.id::text order by said.id::text))[:%(most)s], '{}') as facts
        from (
                select id, relation, target as other, true as outward from fact
                where namespace = %(namespace)s and source = one.id
                union all
                select id, relation, source, false from fact where namespace = %(namespace)s and target = one.id
            ) as first
            join (
                select id, relation, target as other, true as outward from fact
                where namespace = %(namespace)s and source = two.id
                union all
                select id, relation, source, false from fact where namespace = %(namespace)s and target = two.id
            ) as second using (relation, other, outward)
            cross join lateral (values (first.id), (second.id)) as said(id)
    ) as shared
order by 1, 2;
