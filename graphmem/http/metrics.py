"""What Prometheus may ask: requests, stages, legs, models, the queue."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from graphmem.memory import Missing
from graphmem.stores.jobs import QueueDepth

REGISTRY = CollectorRegistry()
FINE = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

REQUESTS = Counter("graphmem_requests", "Answered requests", ["method", "route", "status"], registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "graphmem_request_seconds", "Time to answer", ["method", "route"], registry=REGISTRY, buckets=FINE
)
STAGE_SECONDS = Histogram(
    "graphmem_stage_seconds", "Time of a stage or leg of recall", ["stage"], registry=REGISTRY, buckets=FINE
)
LEG_FAILURES = Counter("graphmem_leg_failures", "Legs that could not answer", ["leg"], registry=REGISTRY)
MODEL_SECONDS = Histogram(
    "graphmem_model_seconds", "Time a model took", ["model", "use"], registry=REGISTRY, buckets=FINE
)
QUEUE_JOBS = Gauge("graphmem_queue_jobs", "Jobs that are not done", ["kind", "state"], registry=REGISTRY)
TASKS = Gauge("graphmem_tasks", "Tasks of the event loop of this process", registry=REGISTRY)
QUEUE_AGE = Gauge("graphmem_queue_oldest_seconds", "How long the oldest is due", ["kind", "state"], registry=REGISTRY)


def observe_recall(trace: Mapping[str, Any], missing: Sequence[Missing], model: str) -> None:
    """Measure one search from its trace."""
    for name, leg in trace["legs"].items():
        STAGE_SECONDS.labels(f"leg_{name}").observe(leg["took_ms"] / 1000)
        if "embed_ms" in leg:
            MODEL_SECONDS.labels(model, "query").observe(leg["embed_ms"] / 1000)
    for stage in trace["stages"]:
        STAGE_SECONDS.labels(stage["name"]).observe(stage["took_ms"] / 1000)
    for one in missing:
        LEG_FAILURES.labels(one.leg).inc()


def exposition(depths: Sequence[QueueDepth]) -> bytes:
    """Everything in Prometheus's text form, with the queue and the tasks as they are now."""
    TASKS.set(len(asyncio.all_tasks()))
    QUEUE_JOBS.clear()
    QUEUE_AGE.clear()
    for depth in depths:
        QUEUE_JOBS.labels(depth.kind, depth.state).set(depth.jobs)
        QUEUE_AGE.labels(depth.kind, depth.state).set(depth.oldest_seconds)
    return generate_latest(REGISTRY)
