"""What a clause commits its speaker to: nothing, a fact, a plan, a taste, or the end of something."""

from collections.abc import Iterator

from msgspec import Struct
from spacy.tokens import Span, Token

from graphmem.models.extraction.words import DOUBTS, PASSING, PLANS, SUPPOSING, TASTES, UNSURE

NEGATIONS = frozenset({"not", "n't", "never", "no", "nor", "neither"})
WILL = frozenset({"will", "shall", "'ll", "\u2019ll"})
STOPPING = frozenset({"stop", "quit"})
WHENEVER = frozenset({"when", "whenever", "once", "as"})
QUOTES = frozenset({'"', "“", "”", "``", "''"})
NO_MORE = frozenset({"anymore", "longer", "more"})
SUBORDINATE = frozenset({"xcomp", "ccomp", "advcl", "relcl", "acl", "pcomp", "conj"})


class Stance(Struct, frozen=True):
    """What is said by saying it."""

    manner: str = ""
    """What goes before the relation: "plans to", "likes"."""
    planned: bool = False
    """Whether it is still to come."""
    over: bool = False
    """Whether it is said to be so no more."""


def stance(verb: Token) -> Stance | None:
    """What the clause of a verb commits its speaker to; None when it asserts nothing that holds."""
    if is_question(verb.sent) or is_quoted(verb) or is_supposed(verb) or is_unsure(verb):
        return None
    own = own_stance(verb)
    return governed(verb, own) if own else None


def own_stance(verb: Token) -> Stance | None:
    """What the verb itself says with its negation and its auxiliaries."""
    modals = {child.lemma_.lower() for child in verb.children if child.tag_ == "MD"}
    if modals - WILL:
        return None
    if is_negated(verb):
        return Stance(over=True) if says_no_more(verb) else None
    return Stance(planned=bool(modals))


def governed(verb: Token, own: Stance) -> Stance | None:
    """What is left of a verb's stance under the verb it depends on."""
    head = verb.head
    if verb.dep_ == "conj" and head.pos_ in {"VERB", "AUX"}:
        return own if has_subject(verb) else joined(own, stance(head))
    if verb.dep_ == "xcomp":
        return complement(verb, own)
    if verb.dep_ == "ccomp" and head.pos_ == "VERB":
        return own if head.lemma_ not in DOUBTS and stance(head) else None
    if verb.dep_ in {"pcomp", "acl", "csubj"} or (verb.tag_ == "VB" and is_infinitive(verb)):
        return None
    return own


def complement(verb: Token, own: Stance) -> Stance | None:
    """The stance of "learning" in "I started learning", of "visit" in "I plan to visit"."""
    head = verb.head
    outer = stance(head) if head.pos_ == "VERB" else None
    if outer is None or outer.over:
        return None
    if head.lemma_ in STOPPING or (head.lemma_ == "use" and head.tag_ in {"VBD", "VBN"}):
        return Stance(over=True)
    if head.lemma_ in PLANS:
        return Stance(manner=PLANS[head.lemma_], planned=True)
    if head.lemma_ in TASTES:
        return Stance(manner=TASTES[head.lemma_])
    if head.lemma_ in {"go", "gon"} and is_infinitive(verb):
        return Stance(planned=True)
    return joined(own, outer) if head.lemma_ in PASSING else None


def joined(own: Stance, outer: Stance | None) -> Stance | None:
    """A verb that shares the auxiliaries of another."""
    if outer is None:
        return None
    return Stance(own.manner or outer.manner, own.planned or outer.planned, own.over or outer.over)


def is_question(sentence: Span) -> bool:
    """Whether a sentence asks: by its mark, or by a verb before its subject."""
    text = sentence.text.rstrip(" \n\"')\u201d\u2019")
    if text.endswith("?") or "?!" in text:
        return True
    first = next((token for token in sentence if not token.is_punct and not token.is_space), None)
    if first is None or first.pos_ != "AUX":
        return False
    subjects = (child.i for child in first.head.children if child.dep_ in {"nsubj", "nsubjpass"})
    return any(place > first.i for place in subjects)


def is_quoted(verb: Token) -> bool:
    """Whether the verb stands in somebody's quoted words."""
    sentence = verb.sent
    before = sum(1 for token in verb.doc[sentence.start : verb.i] if token.text in QUOTES)
    after = sum(1 for token in verb.doc[verb.i : sentence.end] if token.text in QUOTES)
    return before % 2 == 1 and after > 0


def is_supposed(verb: Token) -> bool:
    """Whether the clause, or one it is part of, hangs on an "if", or on a "when" that has not come yet."""
    chain = list(clause_heads(verb))
    if verb.dep_ == "advcl" and not is_past(verb) and any(child.lower_ in WHENEVER for child in verb.children):
        return True
    if any(child.lower_ in SUPPOSING for link in chain for child in link.children if child.dep_ in {"mark", "advmod"}):
        return True
    conditions = (child for link in chain for child in link.children if child.dep_ == "advcl")
    return any(part.lower_ in {"if", "unless"} for clause in conditions for part in clause.children)


def clause_heads(verb: Token) -> Iterator[Token]:
    """The verb, and the verbs it depends on."""
    yield verb
    while verb.dep_ in SUBORDINATE and verb.head is not verb:
        verb = verb.head
        yield verb


def is_unsure(verb: Token) -> bool:
    """Whether the speaker takes it half back: "maybe", "almost"."""
    return any(
        child.lower_ in UNSURE for link in (verb, verb.head) for child in link.children if child.dep_ == "advmod"
    )


def is_negated(verb: Token) -> bool:
    """Whether the verb or its subject is denied."""
    if any(child.dep_ == "neg" or child.lower_ in NEGATIONS for child in verb.children):
        return True
    subjects = (child for child in verb.children if child.dep_ in {"nsubj", "nsubjpass"})
    denied = {"nobody", "none", "nothing", "neither", "noone"}
    return says_no_more(verb) or any(
        part.lower_ in denied | {"no"} for subject in subjects for part in (subject, *subject.children)
    )


def says_no_more(verb: Token) -> bool:
    """Whether it is denied from now on: "no longer", "not any more"."""
    for child in verb.children:
        if child.lower_ in NO_MORE and child.dep_ in {"advmod", "npadvmod"}:
            return child.lower_ == "anymore" or any(part.lower_ in {"no", "any"} for part in child.children)
    return False


def is_infinitive(verb: Token) -> bool:
    """Whether it stands with "to"."""
    return any(child.lower_ in {"to", "na"} and child.dep_ == "aux" for child in verb.children)


def has_subject(verb: Token) -> bool:
    """Whether it has a subject of its own."""
    return any(child.dep_ in {"nsubj", "nsubjpass", "expl", "csubj"} for child in verb.children)


def subjects_of(verb: Token) -> list[Token]:
    """Who does it: its own subjects, or those of the verb it shares them with."""
    own = [child for child in verb.children if child.dep_ in {"nsubj", "nsubjpass"}]
    if own or has_subject(verb):
        return [part for subject in own for part in with_conjuncts(subject)]
    if verb.dep_ in {"conj", "xcomp"} and verb.head.pos_ in {"VERB", "AUX"} and not raised_object(verb):
        return subjects_of(verb.head)
    return []


def raised_object(verb: Token) -> bool:
    """Whether somebody else does it: "I want Anna to visit"."""
    return verb.dep_ == "xcomp" and any(child.dep_ in {"dobj", "dative"} for child in verb.head.children)


def with_conjuncts(token: Token) -> list[Token]:
    """The token and those joined to it by "and"; none when "or" leaves it open."""
    group = [token, *token.conjuncts]
    joined_by_or = any(child.lower_ in {"or", "nor"} for part in group for child in part.children if child.dep_ == "cc")
    return [] if joined_by_or else group


def is_past(verb: Token) -> bool:
    """Whether it is told as gone by: "lived", "was living", "had lived", but not "have lived"."""
    auxiliaries = [child for child in verb.children if child.dep_ in {"aux", "auxpass"}]
    if verb.tag_ == "VBD":
        return True
    return verb.tag_ in {"VBN", "VBG"} and any(child.tag_ == "VBD" for child in auxiliaries)


def is_perfect(verb: Token) -> bool:
    """Whether it began before and goes on: "have lived", "have been living"."""
    auxiliaries = [child for child in verb.children if child.dep_ in {"aux", "auxpass"}]
    return verb.tag_ in {"VBN", "VBG"} and any(
        child.lemma_ == "have" and child.tag_ in {"VBP", "VBZ", "VB"} for child in auxiliaries
    )
