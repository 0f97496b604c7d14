"""How well a memory fits the question, 0 to 1, comparable between questions; and whether there is an answer at all.

The constants are a logistic regression: relevant memories of questions with an answer, against what was found first for
questions without one. Those were the unanswerable questions of two public sets, and questions of six sets asked in a
memory that is not about them; each set weighed the same, half of the questions was used. On the other half the best
memory reached ANSWERABLE for 94 % of the questions with an answer, for 5 % of those asked in another set's memory, and
for 30 % of those asked in another conversation of the same kind. A question that memory nearly answers passes, nine
times in ten: this tells what was never talked about, not what was left open.
"""

import math
import re
from collections.abc import Collection, Iterable

INTERCEPT, SIMILARITY, COVERAGE = -12.5, 18.1, 5.2
# Without a vector on either side, words alone must tell.
WORDS_INTERCEPT, WORDS_COVERAGE = -2.3, 7.9
ANSWERABLE = 0.65

WORD = re.compile(r"\w+")
STEM = 5


def relevance(similarity: float | None, covered: float) -> float:
    """1 / (1 + exp(12.5 - 18.1 x similarity - 5.2 x covered)); by words alone where no similarity is known.

    `similarity` is the cosine of question and memory, `covered` the share of the question's words that it has.

    >>> round(relevance(0.7, 0.6), 2), round(relevance(0.5, 0.2), 2), round(relevance(None, 0.0), 2)
    (0.96, 0.08, 0.09)
    """
    odds = WORDS_INTERCEPT + WORDS_COVERAGE * covered
    if similarity is not None:
        odds = INTERCEPT + SIMILARITY * similarity + COVERAGE * covered
    return 1 / (1 + math.exp(-odds))


def coverage(words: Collection[str], text: str) -> float:
    """The share of the question's telling words that a text has, whatever their endings; half where it has none.

    >>> coverage(["painting", "sunrise"], "She painted it."), coverage([], "She painted it.")
    (0.5, 0.5)
    """
    if not words:
        return 0.5
    said = {stem(word) for word in WORD.findall(text.lower())}
    return sum(stem(word) in said for word in words) / len(words)


def stem(word: str) -> str:
    """The beginning of a word, which its forms share.

    >>> stem("painting"), stem("paints"), stem("art")
    ('paint', 'paint', 'art')
    """
    return word[:STEM]


def answerable(relevances: Iterable[float]) -> bool:
    """Whether any memory fits well enough that the question was talked about.

    >>> answerable([0.3, 0.8]), answerable([])
    (True, False)
    """
    return any(one >= ANSWERABLE for one in relevances)
