// Facts that took the place of others, side by side: first what was believed, then what is believed since.
//
// Used by   http/guide.html
// $namespace  string  whose memory
// Returns   before, after: paths
MATCH before = (:Entity {group_id: $namespace})-[old:RELATES_TO]->(:Entity {group_id: $namespace})
WHERE old.gm_retired_by IS NOT NULL
MATCH after = (:Entity {group_id: $namespace})-[new:RELATES_TO {uuid: old.gm_retired_by}]->(:Entity)
RETURN before, after
ORDER BY old.expired_at DESC
LIMIT 60
