"""What one answer is worth, and what many are worth together (pure)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from graphmem.evaluate.measures import interval, median, ndcg, percentile, recall, reciprocal_rank, repeated, separation
from graphmem.evaluate.questions import Case
from graphmem.recall.pipeline import Answer

# How deep an answer is marked.
DEPTH = 20
# A stale memory among the first few is read by an assistant; further down it does little harm.
STALE_WITHIN = 3
DUPLICATES_WITHIN = 10
MOST_MISSED = 100


class Mark(Struct, frozen=True, kw_only=True):
    """One answer to one question; what cannot be said of it is none.

    `relevance` is that of the first result. `outdated`: a stale memory is among the first three; `beaten`: one is
    above every gold one. `took` holds milliseconds by stage.
    """

    question: str
    category: str | None
    recall_at_1: float | None = None
    recall_at_5: float | None = None
    recall_at_10: float | None = None
    recall_at_20: float | None = None
    mrr: float | None = None
    ndcg_at_10: float | None = None
    outdated: float | None = None
    beaten: float | None = None
    duplicates: float = 0.0
    answerable: bool | None = None
    relevance: float | None = None
    missing: tuple[str, ...] = ()
    took: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def has_gold(self) -> bool:
        """Whether something answers the question."""
        return self.recall_at_20 is not None


# Of these measures there is a mean, with its interval, over the questions that have gold.
MEASURES = ("recall_at_1", "recall_at_5", "recall_at_10", "recall_at_20", "mrr", "ndcg_at_10")


def mark(case: Case, answer: Answer, *, name: str) -> Mark:
    """What an answer is worth."""
    found = [result.id for result in answer.results]
    ranks: dict[str, Any] = {}
    if case.gold:
        ranks = {f"recall_at_{k}": recall(found, case.gold, k) for k in (1, 5, 10, DEPTH)}
        ranks |= {"mrr": reciprocal_rank(found, case.gold), "ndcg_at_10": ndcg(found, case.gold, 10)}
    if case.stale:
        ranks["outdated"] = float(bool(set(found[:STALE_WITHIN]) & set(case.stale)))
    if case.stale and case.gold:
        ranks["beaten"] = float(reciprocal_rank(found, case.stale) > reciprocal_rank(found, case.gold))
    return Mark(
        question=name,
        category=case.category,
        duplicates=repeated([result.text for result in answer.results[:DUPLICATES_WITHIN]]),
        answerable=answer.answerable,
        relevance=answer.results[0].relevance if answer.results else 0.0,
        missing=tuple(missing.leg for missing in answer.missing),
        took=milliseconds(answer),
        **ranks,
    )


def milliseconds(answer: Answer) -> dict[str, float]:
    """How long each part of a search took: the whole, legs, what is read between stages, the stages."""
    trace = answer.trace
    legs = {f"leg {name}": leg["took_ms"] for name, leg in trace["legs"].items()}
    reads = {f"read {name.removesuffix('_ms')}": took for name, took in trace["reads"].items()}
    stages = {f"stage {stage['name']}": stage["took_ms"] for stage in trace["stages"]}
    return {"whole": answer.took_ms, **legs, **reads, **stages}


class Summary(Struct, frozen=True, kw_only=True):
    """What many answers are worth together.

    `measures` and `stale` hold a mean with its 95 % interval; `answerability` says how often a question without gold
    was refused and one with gold was not, and how well the first result's relevance tells them apart (1 is always, 0.5
    no better than chance). `missed` names questions with no gold memory among the first twenty.
    """

    questions: int
    with_gold: int
    measures: dict[str, dict[str, float]]
    stale: dict[str, dict[str, float]]
    duplicate_rate: float
    answerability: dict[str, float | None]
    categories: dict[str, dict[str, float]]
    took_ms: dict[str, dict[str, float]]
    missing_legs: dict[str, int]
    missed: list[str]


def summary(marks: Sequence[Mark]) -> Summary:
    """All of it."""
    with_gold = [one for one in marks if one.has_gold]
    return Summary(
        questions=len(marks),
        with_gold=len(with_gold),
        measures=estimates(marks, MEASURES),
        stale=estimates(marks, ("outdated", "beaten")),
        duplicate_rate=mean(one.duplicates for one in marks),
        answerability=answerability(marks),
        categories=by_category(with_gold),
        took_ms=times(marks),
        missing_legs=dict(Counter(leg for one in marks for leg in one.missing)),
        missed=[one.question for one in with_gold if not one.recall_at_20][:MOST_MISSED],
    )


def estimates(marks: Sequence[Mark], names: Iterable[str]) -> dict[str, dict[str, float]]:
    """A mean and its interval for each measure that applies to any question."""
    given = {name: values(marks, name) for name in names}
    return {name: interval(found)._asdict() for name, found in given.items() if found}


def values(marks: Iterable[Mark], name: str) -> list[float]:
    """One measure of each question to which it applies."""
    every = (getattr(one, name) for one in marks)
    return [value for value in every if value is not None]


def mean(given: Iterable[float]) -> float:
    """The mean; of nothing it is 0.

    >>> mean([1, 2]), mean([])
    (1.5, 0.0)
    """
    found = list(given)
    return sum(found) / len(found) if found else 0.0


def answerability(marks: Sequence[Mark]) -> dict[str, float | None]:
    """How well questions that nothing answers are told from the others; none where that cannot be said."""
    gold, none = [one for one in marks if one.has_gold], [one for one in marks if not one.has_gold]
    return {
        "refused_without_gold": share(none, lambda one: not one.answerable),
        "answered_with_gold": share(gold, lambda one: bool(one.answerable)),
        "separation": separation(values(gold, "relevance"), values(none, "relevance")),
    }


def share(marks: Sequence[Mark], holds: Callable[[Mark], bool]) -> float | None:
    """Of how many it holds, where there is a verdict."""
    judged = [one for one in marks if one.answerable is not None]
    return mean(float(holds(one)) for one in judged) if judged else None


def by_category(marks: Sequence[Mark]) -> dict[str, dict[str, float]]:
    """Means of the questions of each category, in order of their names."""
    found: defaultdict[str, list[Mark]] = defaultdict(list)
    for one in marks:
        if one.category is not None:
            found[one.category].append(one)
    return {
        name: {"questions": len(some), **{measure: mean(values(some, measure)) for measure in MEASURES}}
        for name, some in sorted(found.items())
    }


def times(marks: Sequence[Mark]) -> dict[str, dict[str, float]]:
    """Milliseconds by stage: the median, and what 95 of 100 do not exceed."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for one in marks:
        for stage, took in one.took.items():
            found[stage].append(took)
    return {stage: {"p50": median(took), "p95": percentile(took, 95)} for stage, took in found.items()}


def differences(marks: Mapping[str, Sequence[Mark]], name: str, base: str, other: str) -> list[float]:
    """How much better the base is than another way, question by question."""
    return [
        getattr(one, name) - getattr(two, name)
        for one, two in zip(marks[base], marks[other], strict=True)
        if getattr(one, name) is not None
    ]
