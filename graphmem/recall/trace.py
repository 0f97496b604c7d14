"""What each stage did, so that every number of an answer can be recomputed by hand."""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from graphmem.memory import Hit, LegNote, MemoryId, Scores
from graphmem.recall.ranking.fuse import Ranking, ranks
from graphmem.recall.ranking.rerank import Unanimity


@dataclass
class Trace:
    """A notebook that the pipeline writes in; times are taken always, the rest is cheap to keep."""

    query: dict[str, Any] = field(default_factory=dict[str, Any])
    expansion: dict[str, Any] = field(
        default_factory=lambda: {
            "strategy": None,
            "place": None,
            "hypothetical": None,
            "skipped_reason": "disabled",
        }
    )
    legs: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    attempts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    fusion: dict[str, Any] = field(default_factory=dict[str, Any])
    factors: dict[str, Scores] = field(default_factory=dict[str, Scores])
    unanimity: Unanimity | None = None
    rerank: dict[str, Any] = field(default_factory=dict[str, Any])
    propagation: dict[str, Any] = field(default_factory=lambda: {"seeds": [], "hops": 0, "charges": []})
    distinct: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    diversify: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    relevance: dict[str, dict[str, float | None]] = field(default_factory=dict[str, dict[str, float | None]])
    reads: dict[str, float] = field(default_factory=dict[str, float])
    runs: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    stages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def leg(self, name: str, hits: Sequence[Hit], took_ms: float, **more: Any) -> None:
        """How many hits a leg gave, and what it has to say about them."""
        self.legs[name] = {"hits": len(hits), "took_ms": round(took_ms, 3), "error": None} | more

    def rank(self, rankings: Mapping[str, Ranking], values: Mapping[str, Mapping[MemoryId, float]]) -> None:
        """The lists as they are fused: tied hits may share a rank, and what is gone has none."""
        self.runs = {
            name: [{"id": one, "rank": rank, "score": values[name][one]} for one, rank in ranks(ranking).items()]
            for name, ranking in rankings.items()
        }

    def notes(self, leg: str) -> dict[MemoryId, LegNote]:
        """Where a leg placed each memory."""
        return {hit["id"]: LegNote(hit["rank"], hit["score"]) for hit in self.runs[leg]}

    def failed_leg(self, name: str, reason: str, took_ms: float) -> None:
        """A leg could not run."""
        self.legs[name] = {"hits": 0, "took_ms": round(took_ms, 3), "error": reason}

    @contextmanager
    def stage(self, name: str) -> "Generator[StageNote]":
        """Time a stage and keep the scores it leaves."""
        note = StageNote()
        begun = time.perf_counter()
        yield note
        took_ms = (time.perf_counter() - begun) * 1000
        self.stages.append({"name": name, "took_ms": round(took_ms, 3), "scores": dict(note.scores)})

    @contextmanager
    def read(self, name: str) -> Generator[None]:
        """Time what is read between stages; what is read twice counts twice."""
        begun = time.perf_counter()
        yield
        took_ms = (time.perf_counter() - begun) * 1000
        self.reads[f"{name}_ms"] = round(self.reads.get(f"{name}_ms", 0.0) + took_ms, 3)

    def answer(self) -> dict[str, Any]:
        """The trace as the API shows it."""
        return {
            "query": self.query,
            "expansion": self.expansion,
            "legs": self.legs,
            "attempts": self.attempts,
            "fusion": self.fusion,
            "factors": self.factors,
            "unanimity": self.unanimity._asdict() if self.unanimity else None,
            "rerank": self.rerank,
            "propagation": self.propagation,
            "distinct": self.distinct,
            "diversify": self.diversify,
            "relevance": self.relevance,
            "reads": self.reads,
            "runs": self.runs,
            "stages": self.stages,
        }


@dataclass
class StageNote:
    """Where a stage leaves its scores for the trace."""

    scores: Mapping[str, float] = field(default_factory=dict[str, float])

    def keep(self, scores: Scores) -> Scores:
        """Note the scores and hand them on."""
        self.scores = scores
        return scores
