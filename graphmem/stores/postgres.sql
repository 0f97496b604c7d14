-- name: configure
-- Settings of every pooled connection. Iterative scans keep looking when the namespace's filter throws hits away.
set timezone = 'UTC';
set hnsw.iterative_scan = 'relaxed_order';
set hnsw.ef_search = 100;
set plan_cache_mode = 'force_custom_plan';

-- name: ping
-- Does the server answer?
select 1 as one;
