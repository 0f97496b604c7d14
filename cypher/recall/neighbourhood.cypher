// What lies around some entities, facts and episodes, up to three hops away: facts true on both clocks, mentions, what
// was said before and after, and what was recalled together. Each hop takes at most so many of a kind from a node, the
// newest first, of synapses the strongest.
//
// Used by   NeighbourhoodStore.around, for propagation
// $group_id  string    the namespace
// $entities  list      uuids of entities to begin with
// $facts     list      uuids of facts to begin with: both their ends
// $episodes  list      uuids of episodes to begin with
// $known     datetime  what was known then
// $valid     datetime  what was true then, or null
// $fan_outs  list      for each of three hops, at most this many facts, mentions and synapses of a node; 0 ends there
// $most      integer   at most this many relationships a hop
// Returns   entities: lists of [number, uuid, degree]; episodes: lists of [number, id, degree];
//           facts: lists of [number, number, uuid, relation, support, confirmed (epoch milliseconds)];
//           mention: lists of [episode's number, entity's number]; session: lists of [number, number];
//           synapse: lists of [number, number, weight, when it had that (epoch milliseconds)]
CYPHER 25
CALL () {
  MATCH (n:Entity)
  WHERE n.uuid IN $entities AND n.group_id = $group_id
  RETURN n
  UNION
  MATCH (n:Episodic)
  WHERE n.uuid IN $episodes AND n.group_id = $group_id
  RETURN n
  UNION
  MATCH (a:Entity)-[x:RELATES_TO]->(b:Entity)
  WHERE x.uuid IN $facts AND x.group_id = $group_id
  UNWIND [a, b] AS n
  RETURN n
}
WITH collect(n) AS n0
CALL (n0) {
  UNWIND n0 AS n
  CALL (n) {
    MATCH (n)-[x:RELATES_TO]-(m:Entity)
    WHERE x.group_id = $group_id AND m.group_id = $group_id AND x.created_at <= $known
    WITH x, m,
         CASE WHEN x.expired_at IS NULL OR x.expired_at <= $known THEN x.invalid_at ELSE x.gm_stated_invalid_at END AS end
    WHERE CASE WHEN $valid IS NULL THEN end IS NULL OR end > $known
               ELSE (x.valid_at IS NULL OR x.valid_at <= $valid) AND (end IS NULL OR $valid < end) END
    RETURN x, m
    ORDER BY x.gm_confirmed DESC, x.uuid
    LIMIT $fan_outs[0]
    UNION ALL
    MATCH (n)-[x:MENTIONS]-(m:Entity|Episodic)
    WHERE m.group_id = $group_id
      AND (m:Entity OR m.created_at <= $known AND ($valid IS NULL OR m.valid_at <= $valid))
    RETURN x, m
    ORDER BY m.valid_at DESC, m.uuid
    LIMIT $fan_outs[0]
    UNION ALL
    MATCH (n)-[x:NEXT_EPISODE]-(m:Episodic)
    WHERE m.group_id = $group_id AND m.created_at <= $known AND ($valid IS NULL OR m.valid_at <= $valid)
    RETURN x, m
    LIMIT CASE WHEN $fan_outs[0] > 0 THEN 2 ELSE 0 END
    UNION ALL
    MATCH (n)-[x:SYNAPSE]-(m:Entity|Episodic)
    WHERE m.group_id = $group_id
      AND (m:Entity OR m.created_at <= $known AND ($valid IS NULL OR m.valid_at <= $valid))
    RETURN x, m
    ORDER BY x.weight DESC, x.uuid
    LIMIT $fan_outs[0]
  }
  WITH DISTINCT x, m
  LIMIT $most
  RETURN collect(x) AS x1, [m IN collect(DISTINCT m) WHERE NOT m IN n0] AS n1
}
CALL (n1) {
  UNWIND n1 AS n
  CALL (n) {
    MATCH (n)-[x:RELATES_TO]-(m:Entity)
    WHERE x.group_id = $group_id AND m.group_id = $group_id AND x.created_at <= $known
    WITH x, m,
         CASE WHEN x.expired_at IS NULL OR x.expired_at <= $known THEN x.invalid_at ELSE x.gm_stated_invalid_at END AS end
    WHERE CASE WHEN $valid IS NULL THEN end IS NULL OR end > $known
               ELSE (x.valid_at IS NULL OR x.valid_at <= $valid) AND (end IS NULL OR $valid < end) END
    RETURN x, m
    ORDER BY x.gm_confirmed DESC, x.uuid
    LIMIT $fan_outs[1]
    UNION ALL
    MATCH (n)-[x:MENTIONS]-(m:Entity|Episodic)
    WHERE m.group_id = $group_id
      AND (m:Entity OR m.created_at <= $known AND ($valid IS NULL OR m.valid_at <= $valid))
    RETURN x, m
    ORDER BY m.valid_at DESC, m.uuid
    LIMIT $fan_outs[1]
    UNION ALL
    MATCH (n)-[x:NEXT_EPISODE]-(m:Episodic)
    WHERE m.group_id = $group_id AND m.created_at <= $known AND ($valid IS NULL OR m.valid_at <= $valid)
    RETURN x, m
    LIMIT CASE WHEN $fan_outs[1] > 0 THEN 2 ELSE 0 END
    UNION ALL
    MATCH (n)-[x:SYNAPSE]-(m:Entity|Episodic)
    WHERE m.group_id = $group_id
      AND (m:Entity OR m.created_at <= $known AND ($valid IS NULL OR m.valid_at <= $valid))
    RETURN x, m
    ORDER BY x.weight DESC, x.uuid
    LIMIT $fan_outs[1]
  }
  WITH DISTINCT x, m
  LIMIT $most
  RETURN collect(x) AS x2, [m IN collect(DISTINCT m) WHERE NOT m IN n1] AS n2
}
CALL (n2) {
  UNWIND n2 AS n
  CALL (n) {
    MATCH (n)-[x:RELATES_TO]-(m:Entity)
    WHERE x.group_id = $group_id AND m.group_id = $group_id AND x.created_at <= $known
    WITH x, m,
         CASE WHEN x.expired_at IS NULL OR x.expired_at <= $known THEN x.invalid_at ELSE x.gm_stated_invalid_at END AS end
    WHERE CASE WHEN $valid IS NULL THEN end IS NULL OR end > $known
               ELSE (x.valid_at IS NULL OR x.valid_at <= $valid) AND (end IS NULL OR $valid < end) END
    RETURN x, m
    ORDER BY x.gm_confirmed DESC, x.uuid
    LIMIT $fan_outs[2]
    UNION ALL
    MATCH (n)-[x:MENTIONS]-(m:Entity|Episodic)
    WHERE m.group_id = $group_id
      AND (m:Entity OR m.created_at <= $known AND ($valid IS NULL OR m.valid_at <= $valid))
    RETURN x, m
    ORDER BY m.valid_at DESC, m.uuid
    LIMIT $fan_outs[2]
    UNION ALL
    MATCH (n)-[x:NEXT_EPISODE]-(m:Episodic)
    WHERE m.group_id = $group_id AND m.created_at <= $known AND ($valid IS NULL OR m.valid_at <= $valid)
    RETURN x, m
    LIMIT CASE WHEN $fan_outs[2] > 0 THEN 2 ELSE 0 END
    UNION ALL
    MATCH (n)-[x:SYNAPSE]-(m:Entity|Episodic)
    WHERE m.group_id = $group_id
      AND (m:Entity OR m.created_at <= $known AND ($valid IS NULL OR m.valid_at <= $valid))
    RETURN x, m
    ORDER BY x.weight DESC, x.uuid
    LIMIT $fan_outs[2]
  }
  WITH DISTINCT x, m
  LIMIT $most
  RETURN collect(x) AS x3, [m IN collect(DISTINCT m) WHERE NOT m IN n2] AS n3
}
CALL (x1, x2, x3) {
  UNWIND x1 + x2 + x3 AS x
  WITH DISTINCT x
  RETURN collect(x) AS edges
}
CALL (n0, n1, n2, n3) {
  UNWIND n0 + n1 + n2 + n3 AS n
  WITH DISTINCT n
  RETURN collect(n) AS nodes
}
RETURN [n IN nodes WHERE n:Entity | [id(n), n.uuid, COUNT { (n)-[:RELATES_TO|MENTIONS]-() }]] AS entities,
       [n IN nodes WHERE n:Episodic | [id(n), n.gm_id, COUNT { (n)-[:MENTIONS]-() }]] AS episodes,
       [x IN edges WHERE type(x) = 'RELATES_TO' |
         [id(startNode(x)), id(endNode(x)), x.uuid, x.name, size(x.episodes), x.gm_confirmed]] AS facts,
       [x IN edges WHERE type(x) = 'MENTIONS' | [id(startNode(x)), id(endNode(x))]] AS mention,
       [x IN edges WHERE type(x) = 'NEXT_EPISODE' | [id(startNode(x)), id(endNode(x))]] AS session,
       [x IN edges WHERE type(x) = 'SYNAPSE' | [id(startNode(x)), id(endNode(x)), x.weight, x.at]] AS synapse
LIMIT 1
