-- name: support
-- What supports some facts, in the order of their ids: an episode without a session is one by itself.
select wanted.id as fact, coalesce(fact.source::text, '') as source, coalesce(fact.target::text, '') as target,
    coalesce(fact.fact, '') as text, fact.id is not null and fact.expired_at is null as holds,
    said.sessions, said.episodes, tier.tier, tier.sessions as tier_sessions
from unnest(%(ids)s::text[]) as wanted(id)
    left join fact on fact.namespace = %(namespace)s and fact.id = wanted.id::uuid
    left join tier on tier.namespace = %(namespace)s and tier.fact = wanted.id::uuid
    cross join lateral (
        select count(distinct coalesce(episode.session, episode.id)) as sessions,
            coalesce((array_agg(episode.id order by episode.occurred_at desc, episode.id))[:%(most)s], '{}') as episodes
        from statement join episode on episode.namespace = %(namespace)s and episode.id = statement.episode
        where statement.namespace = %(namespace)s and statement.fact = wanted.id::uuid and not statement.ends
    ) as said
where fact.id is not null or tier.fact is not null
order by wanted.id;
