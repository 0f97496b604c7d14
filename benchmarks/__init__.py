"""Measurements that need much data or much time; `make bench-<name>` runs one.

quality  are the right memories found?         LoCoMo and other public sets, through HTTP
ingest   what does storing cost?               against the bare embedder
speed    does search stay quick?               1,000, 10,000 and 100,000 episodes, beside Graphiti and plain SQL
kill     is anything lost?                     every part killed under a write load
soak     does anything grow without bound?     minutes of full load
memory   what does the idle stack hold?        PSS of all its processes
clocks   is what was true then found?          facts with years, and facts that are contradicted later
lift     what does the graph add?              recall with and without it, by our own extraction
extraction      how quickly do turns become knowledge, and is a rebuilt graph the same?
killed_workers  is the graph the same when workers are killed at work?
recall_parts    where does the time of recall go?  the whole against its parts; what blocks the loop
graph_leg       is the graph quick to ask?     against Graphiti's own hybrid search

Each starts a service of its own on a throw-away folder. The public sets are read from the folder that
BENCHMARK_DATA names, or `../shared/data` beside the checkout; without them a benchmark says so and stops.
"""
