"""Measurements that need much data or much time; `make bench-<name>` runs one.

quality  are the right memories found?         LoCoMo and other public sets, through HTTP
ingest   what does storing cost?               against the bare embedder
growth   does search stay quick?               1,000, 10,000 and 100,000 episodes in one namespace
kill     is anything lost?                     every part killed under a write load
memory   what does the idle stack hold?        PSS of all its processes

Each starts a service of its own on a throw-away folder. The public sets are read from the folder that
BENCHMARK_DATA names, or `../shared/data` beside the checkout; without them a benchmark says so and stops.
"""
