"""Words that the rules know, by what they do in a sentence: the lists in words.toml."""

import tomllib
from pathlib import Path

_lists = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_lists[name].split())


GREETINGS = _words("greetings")
NOT_NAMES = GREETINGS | _words("not_names")
CALENDAR = _words("calendar")
POINTING = _words("pointing")
KIN = _words("kin")
PETS = _words("pets")
GENERIC = _words("generic")
MEASURES = _words("measures")
STATUSES = _words("statuses")
DOUBTS = _words("doubts")
PASSING = _words("passing")
SUPPOSING = _words("supposing")
UNSURE = _words("unsure")
EMPTY_VERBS = _words("empty_verbs")
LIGHT_VERBS = _words("light_verbs")
MOVING = _words("moving")

FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"})
# Verbs that make a plan or a taste of what follows; the relation says so: PLANS_TO_VISIT, LIKES_TO_PLAY.
PLANS = {"plan": "plans to", "want": "wants to", "hope": "hopes to", "intend": "plans to", "decide": "plans to"}
TASTES = {
    "love": "likes to",
    "like": "likes to",
    "enjoy": "likes to",
    "adore": "likes to",
    "hate": "dislikes to",
    "dislike": "dislikes",
}
