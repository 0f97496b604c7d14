-- name: texts
-- Episodes by their ids, with what their likeness is told by.
select id, doc, left(content, %(most_characters)s) as content, speaker, type, importance,
    (title is not null)::int + (summary is not null)::int as described, length(content) as length, occurred_at
from episode
where namespace = %(namespace)s and id = any(%(ids)s::text[]) and origin <> 'recalled';

-- name: keep_signatures
-- The bands of texts; a text that is as it was keeps its own.
insert into signature (namespace, doc, bands)
select %(namespace)s, doc, bands
from jsonb_to_recordset(%(rows)s::jsonb) as row(doc bigint, bands bigint[])
on conflict (namespace, doc) do nothing;

-- name: near
-- The documents that share a band with one of these, at most so many for each; each pair once.
select wanted.doc, near.doc as other
from signature as wanted cross join lateral (
    select signature.doc from signature
    where signature.namespace = %(namespace)s and signature.bands && wanted.bands and signature.doc <> wanted.doc
    order by signature.doc desc
    limit %(most)s
) as near
where wanted.namespace = %(namespace)s and wanted.doc = any(%(docs)s::bigint[]) and cardinality(wanted.bands) > 0
order by 1, 2;

-- name: groups
-- What stands behind what, of the groups that these documents belong to.
select doc, front from near_duplicate
where namespace = %(namespace)s and (
    doc = any(%(docs)s::bigint[]) or front = any(%(docs)s::bigint[]) or front in (
        select front from near_duplicate where namespace = %(namespace)s and doc = any(%(docs)s::bigint[])
    )
);

-- name: ids_of
-- The ids of documents.
select id, doc from episode where namespace = %(namespace)s and doc = any(%(docs)s::bigint[]);
