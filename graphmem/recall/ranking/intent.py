"""Weigh memories by what the question is after: advice that fits a person, or facts that can be counted."""

import re
from collections.abc import Collection
from typing import NamedTuple

from graphmem.memory import Trait

FLAGS = re.IGNORECASE | re.ASCII

PREFERENCE_QUERY = re.compile(
    r"\b(?:recommend|suggest|recommendation|suggestion|tips?|advice|ideas?|what should i|which should i)\b", FLAGS
)
ENUMERATION_OR_TOTAL_QUERY = re.compile(r"\b(?:how many|count|total|in total|sum|add up|list|what are all)\b", FLAGS)
FIRST_PERSON_FACT_LOOKUP = re.compile(r"\b(?:did i|have i|was i|were i)\b", FLAGS)
FACT_LOOKUP_VERB = re.compile(
    r"\b(?:pick(?:ed)? up|bought|ordered|spent|earned|sold|drove|travelled|traveled|watched|visited|completed"
    r"|finished|submitted|booked)\b",
    FLAGS,
)


class Intents(NamedTuple):
    """What a question is after; both may hold, or neither."""

    preference: bool = False
    concrete_fact: bool = False


NO_INTENTS = Intents()


def intents(question: str) -> Intents:
    """What an English question is after; of any other nothing is known.

    >>> intents("How many tips did I get?")
    Intents(preference=True, concrete_fact=True)
    >>> intents("When was I booked?"), intents("Quel conseil ?")
    (Intents(preference=False, concrete_fact=True), Intents(preference=False, concrete_fact=False))
    """
    text = question.lower()
    looked_up = bool(FIRST_PERSON_FACT_LOOKUP.search(text) and FACT_LOOKUP_VERB.search(text))
    return Intents(
        preference=bool(PREFERENCE_QUERY.search(text)),
        concrete_fact=bool(ENUMERATION_OR_TOTAL_QUERY.search(text)) or looked_up,
    )


def multiplier(traits: Collection[Trait], asked: Intents) -> float:
    """What a note's score is multiplied by; where both intents hold, by both.

    >>> multiplier({"global", "user_preference"}, Intents(preference=True))
    2.35
    """
    preference = preference_multiplier(traits) if asked.preference else 1.0
    return preference * (concrete_fact_multiplier(traits) if asked.concrete_fact else 1.0)


def preference_multiplier(traits: Collection[Trait]) -> float:
    """For a question after advice.

    >>> round(preference_multiplier({"generic", "rollup"}), 3)
    0.738
    """
    product = 1.0
    if "global" in traits and "user_preference" in traits:
        product *= 2.35
    elif "global" in traits and "preference" in traits:
        product *= 2.1
    if "global" not in traits and "generic" in traits:
        product *= 0.82
    return product * 0.9 if "rollup" in traits else product


def concrete_fact_multiplier(traits: Collection[Trait]) -> float:
    """For a question after what can be counted or looked up.

    >>> concrete_fact_multiplier({"rollup", "generic"}), concrete_fact_multiplier({"rollup", "user_fact"})
    (0.3375, 0.9900000000000001)
    """
    rollup = "rollup" in traits
    concrete = "user_fact" in traits or (not rollup and ("dated" in traits or "event" in traits))
    product = 2.2 if concrete else 1.0
    if rollup:
        product *= 0.45
    if not concrete and "global" not in traits and "generic" in traits:
        product *= 0.75
    return product
