-- name: synapses
-- Synapses by their ends, and all of some nodes.
select one, other, weight, at from synapse
where namespace = %(namespace)s and (one = any(%(nodes)s::text[]) or other = any(%(nodes)s::text[]))
union
select synapse.one, synapse.other, weight, at
from synapse join unnest(%(ones)s::text[], %(others)s::text[]) as wanted(one, other)
    on synapse.one = wanted.one and synapse.other = wanted.other
where namespace = %(namespace)s
order by one, other;

-- name: communities
-- Communities by id, with their members.
select id::text, name, created_at, vector,
    coalesce(summary_of(namespace, id), '') as summary,
    array(
        select entity::text from community_member
        where community_member.namespace = community.namespace and community_member.community = community.id
        order by 1
    ) as members
from community
where namespace = %(namespace)s and id = any(%(ids)s::uuid[])
order by id;

-- name: members
-- To which community entities belong.
select entity::text, community::text, community.created_at
from community_member join community
    on community.namespace = community_member.namespace and community.id = community_member.community
where community_member.namespace = %(namespace)s and entity = any(%(ids)s::uuid[])
order by entity;
