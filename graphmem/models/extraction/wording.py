"""A sentence as a third person would say it."""

from spacy.tokens import Span, Token

LONGEST = 600
NOT_SIMPLE = frozenset(["we", "us", "our", "ours", "ourselves", "you", "your", "yours", "yourself", "let's"])
SIMPLE = {"me": "{}", "i": "{}", "my": "{}'s", "mine": "{}'s", "myself": "{}"}
CONTRACTED = {"'ll": " will", "\u2019ll": " will", "'d": " would", "\u2019d": " would"}
THIRD_PERSON = {
    "am": "is",
    "are": "are",
    "'m": " is",
    "\u2019m": " is",
    "have": "has",
    "'ve": " has",
    "\u2019ve": " has",
    "do": "does",
}


def worded(sentence: Span, speaker: str | None) -> str:
    """The sentence with the speaker's name for "I" and "my" where that is simple, else with the name before it."""
    tokens = [token for token in sentence if not (token.is_space and "\n" in token.text)]
    plain = " ".join(sentence.text.split())[:LONGEST]
    spoken = {token.lower_ for token in tokens}
    if not speaker or not spoken & (SIMPLE.keys() | NOT_SIMPLE):
        return plain
    if spoken & NOT_SIMPLE:
        return f"{speaker}: {plain}"
    return " ".join("".join(word(token, speaker) + token.whitespace_ for token in tokens).split())[:LONGEST]


def word(token: Token, speaker: str) -> str:
    """One word of it, in the third person."""
    if token.lower_ in SIMPLE:
        return SIMPLE[token.lower_].format(speaker)
    if token.lower_ in CONTRACTED and token.i and token.nbor(-1).lower_ == "i":
        return CONTRACTED[token.lower_]
    if not agrees_with_speaker(token):
        return token.text
    return THIRD_PERSON.get(token.lower_) or (inflected(token.text) if token.tag_ == "VBP" else token.text)


def agrees_with_speaker(token: Token) -> bool:
    """Whether the verb's form goes with an "I": its own subject, or that of the verb it helps or is joined to."""
    helper = token.dep_ in {"aux", "auxpass"}
    helped = any(child.lemma_ == "do" or child.tag_ == "MD" for child in token.children if child.dep_ == "aux")
    if token.tag_ not in {"VBP", "VB"} or (token.tag_ == "VB" and (helped or token.lower_ not in THIRD_PERSON)):
        return False
    verb = token.head if helper else token
    while verb.dep_ == "conj" and not any(child.dep_.startswith("nsubj") for child in verb.children):
        verb = verb.head
    return any(child.dep_.startswith("nsubj") and child.lower_ == "i" for child in verb.children)


def inflected(verb: str) -> str:
    """The verb with the ending of the third person.

    >>> inflected("live"), inflected("study"), inflected("go")
    ('lives', 'studies', 'goes')
    """
    if verb.endswith("y") and verb[-2:-1] not in set("aeiou"):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s"
