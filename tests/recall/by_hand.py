"""An answer worked out by hand from its trace: plain arithmetic, and nothing of the code that is checked."""

import re
from typing import Any

Scores = dict[str, float]


def answer_of(trace: dict[str, Any], texts: dict[str, str]) -> Scores:
    """The scores of the last stage in their order, each stage computed from the one before."""
    scores: Scores = {}
    for stage in trace["stages"]:
        scores = STAGES[stage["name"]](scores, trace, texts)
        given = stage["scores"]
        assert list(scores) == list(given), stage["name"]
        assert all(abs(scores[one] - given[one]) <= 1e-12 for one in given), stage["name"]
    return scores


def ordered(scores: Scores, order: list[str]) -> Scores:
    """Highest first, and equal ones in that order."""
    place = {one: number for number, one in enumerate(order)}
    return dict(sorted(scores.items(), key=lambda pair: (-pair[1], place[pair[0]])))


def fuse(_: Scores, trace: dict[str, Any], texts: dict[str, str]) -> Scores:
    """Weight / (k + rank) over the lists, and the bonus; ties are the profile's matter, taken from the trace."""
    fusion, scores = trace["fusion"], dict[str, float]()
    for name, run in trace["runs"].items():
        for hit in run if fusion["weights"][name] else []:
            scores[hit["id"]] = scores.get(hit["id"], 0) + fusion["weights"][name] / (fusion["k"] + hit["rank"])
    for one, bonus in fusion["bonus"].items():
        scores[one] += bonus
    assert len(scores) == fusion["candidates"]
    given = list(trace["stages"][0]["scores"])
    rounded = {one: round(score, 12) for one, score in scores.items()}
    return {one: scores[one] for one in ordered(rounded, given)}


def weighed(factor: str) -> Any:
    """Each score times what it was multiplied by."""

    def stage(scores: Scores, trace: dict[str, Any], texts: dict[str, str]) -> Scores:
        factors = trace["factors"][factor]
        return ordered({one: score * factors[one] for one, score in scores.items()}, list(scores))

    return stage


def propagate(scores: Scores, trace: dict[str, Any], texts: dict[str, str]) -> Scores:
    """Score + weight x prior / (k + rank of the charge), newcomers after those that were there."""
    note = trace["propagation"]
    charges = [one["charge"] for one in note["charges"]]
    assert charges == sorted(charges, reverse=True)
    assert [one["rank"] for one in note["charges"]] == list(range(1, len(charges) + 1))
    sums = dict(scores)
    for one in note["charges"]:
        sums[one["id"]] = sums.get(one["id"], 0) + note["weight"] * one["prior"] / (note["k"] + one["rank"])
    return ordered(sums, list(sums))


def distinct(scores: Scores, trace: dict[str, Any]) -> Scores:
    """Without those that say the same as another, where the profile wants variety."""
    dropped = {one["id"] for one in trace["distinct"]}
    return {one: score for one, score in scores.items() if one not in dropped}


def rerank(scores: Scores, trace: dict[str, Any], texts: dict[str, str]) -> Scores:
    """The head in the judge's order, with the head's scores dealt out anew."""
    note, scores = trace["rerank"], distinct(scores, trace)
    head, tail = list(scores)[: note["top_n"]], list(scores)[note["top_n"] :]
    order = sorted(head, key=lambda one: -note["scores"][one])
    return dict(zip(order, (scores[one] for one in head), strict=True)) | {one: scores[one] for one in tail}


def words(text: str) -> set[str]:
    """The words of a text."""
    return set(re.findall(r"[^\W_]+", text.lower()))


def alike(one: str, other: str) -> float:
    """The share of words in common."""
    return len(words(one) & words(other)) / len(words(one) | words(other))


def diversify(scores: Scores, trace: dict[str, Any], texts: dict[str, str]) -> Scores:
    """Each pick's balance x relevance - (1 - balance) x greatest similarity to the picks before it."""
    knobs, picks, scores = trace["query"]["tuning"], trace["diversify"], distinct(scores, trace)
    unit = max(scores.values()) if trace["query"]["rules"]["relevance"] == "relative" else 1.0
    for number, pick in enumerate(picks):
        nearest = max((alike(texts[pick["id"]], texts[other["id"]]) for other in picks[:number]), default=0.0)
        value = knobs["mmr_lambda"] * scores[pick["id"]] / unit - (1 - knobs["mmr_lambda"]) * nearest
        assert abs(pick["value"] - value) <= 1e-12
    picked = [pick["id"] for pick in picks]
    return {one: scores[one] for one in [*picked, *(one for one in scores if one not in picked)]}


STAGES: dict[str, Any] = {
    "fuse": fuse,
    "intent": weighed("intent"),
    "decay": weighed("decay"),
    "time": weighed("time"),
    "propagate": propagate,
    "rerank": rerank,
    "diversify": diversify,
}
