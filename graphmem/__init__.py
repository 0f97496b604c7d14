"""graphmem: a memory service for AI assistants.

Three paths, three pages:

    write    graphmem.ingest.pipeline       an episode in, both stores written
    read     graphmem.recall.pipeline       a question in, the memories that matter out
    night    graphmem.consolidate.nightly   merge, settle, strengthen, fade

What they stand on: `memory` (the nouns), `errors`, `settings`, `queries`; `stores` (the only code that talks to a
database), `models` (the only code that talks to a model); `service` puts them together; `http` and `cli` are the two
ways in; `servers` runs the databases for those who have none.
"""
