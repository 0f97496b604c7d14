"""Who did what: subject, verb and object of each clause."""

from collections.abc import Iterator

from msgspec import Struct
from spacy.tokens import Token

from graphmem.models.extraction.clauses import Stance, is_past, stance, subjects_of, with_conjuncts
from graphmem.models.extraction.entities import NUMBERS
from graphmem.models.extraction.mentions import Mentions
from graphmem.models.extraction.words import EMPTY_VERBS, GENERIC, LIGHT_VERBS
from graphmem.models.extractor import FoundEntity
from graphmem.relations import ended_by, is_known

LONGEST_VERB = 30
# With a preposition and no object, these say nothing unless the table knows the two together: "get at", "be in".
VAGUE = LIGHT_VERBS - {"go"}
JOBS = frozenset({"job", "position", "role", "internship"})
TAKING = frozenset({"get", "start", "have", "take", "land", "accept", "find", "begin"})
LEAVING = frozenset({"quit", "leave", "lose", "resign"})
BEFORE_A_TIME = frozenset({"since", "until", "till", "during", "before", "after", "by", "for", "like", "as"})


class Statement(Struct, frozen=True):
    """One relation as the text says it, with the verb that says it; times and wording follow from that."""

    source: FoundEntity
    words: str
    target: FoundEntity
    verb: Token
    stance: Stance = Stance()
    certain: bool = False
    """Whether the type of its source is beyond doubt."""


def statements(mentions: Mentions) -> Iterator[Statement]:
    """What each verb says of its subjects."""
    for verb in mentions.doc:
        if verb.pos_ != "VERB" or len(verb) > LONGEST_VERB or verb.dep_ in {"aux", "auxpass", "amod", "compound"}:
            continue
        subjects = subjects_of(verb)
        said = stance(verb) if subjects else None
        if said is None:
            continue
        sources = [entity for token in subjects if (entity := mentions.subject(token))]
        for words, target in [*predicates(verb, mentions)]:
            for source in sources:
                yield Statement(source, words, target, verb, said)


def predicates(verb: Token, mentions: Mentions) -> Iterator[tuple[str, FoundEntity]]:
    """What is said of the subject: the relation in words, and its target."""
    words = "had" if verb.lemma_ == "have" and is_past(verb) else phrase(verb)
    objects = [child for child in verb.children if child.dep_ == "dobj"]
    telling = verb.lemma_ not in EMPTY_VERBS
    if is_passive(verb):
        words = f"be {verb.lower_}"
        yield from prepositional(verb, words, mentions, names_only=False)
        return
    if not objects and verb.dep_ == "relcl":
        yield from gap(verb, words, mentions)
    for token in (part for item in objects for part in with_conjuncts(item)):
        if token.lemma_ in JOBS:
            yield from employment(verb, token, mentions)
            return
        target = mentions.entity(token)
        if target and (telling or is_known(words)) and token.ent_type_ not in NUMBERS:
            yield words, target
    if not objects:
        names_only = not telling or verb.dep_ == "relcl"
        yield from prepositional(verb, words, mentions, names_only=names_only)
    elif loaded := with_object(verb, words, objects[0]):
        yield from prepositional(verb, loaded, mentions, names_only=True)


def with_object(verb: Token, words: str, item: Token) -> str | None:
    """The verb with its object, for what its prepositions add: "take kid" to Paris, "buy bike" from Tom."""
    if item.pos_ == "NOUN" and item.lemma_.lower() not in GENERIC:
        return f"{words} {item.lemma_.lower()}"
    return None if verb.lemma_ in LIGHT_VERBS or item.pos_ == "NOUN" else words


def gap(verb: Token, words: str, mentions: Mentions) -> Iterator[tuple[str, FoundEntity]]:
    """What a relative clause leaves out, since it stands before it: "the parade I went to", "the bike I bought"."""
    links = [child for child in verb.children if child.dep_ == "prep"]
    dangling = [link for link in links if not any(child.dep_ in {"pobj", "pcomp"} for child in link.children)]
    relation = " ".join([words, *(link.lower_ for link in dangling[:1])])
    explained = any(child.tag_ in {"WRB", "WP"} or child.dep_ in {"dobj", "ccomp", "xcomp"} for child in verb.children)
    subjects = [child for child in verb.children if child.dep_ == "nsubj"]
    telling = verb.lemma_ not in EMPTY_VERBS and (dangling or not links)
    whole = telling and not explained and subjects and subjects[0].tag_ not in {"WDT", "WP"}
    if whole and (target := mentions.entity(verb.head)):
        yield relation, target


def phrase(verb: Token) -> str:
    """The verb in its base form, with its particle: "give up"."""
    particles = [child.lower_ for child in verb.children if child.dep_ == "prt"]
    # spaCy has "hat" for "hates".
    mistaken = verb.tag_ == "VBZ" and is_known(verb.lower_) and not is_known(verb.lemma_)
    lemma = verb.lower_ if mistaken else verb.lemma_.lower()
    return " ".join([lemma, *particles])


def is_passive(verb: Token) -> bool:
    """Whether something is done to the subject."""
    return any(child.dep_ in {"nsubjpass", "auxpass"} for child in verb.children)


def prepositional(
    verb: Token, words: str, mentions: Mentions, *, names_only: bool
) -> Iterator[tuple[str, FoundEntity]]:
    """What the verb's prepositions add: "live in", "move to"."""
    for link in verb.children:
        if link.dep_ not in {"prep", "agent"}:
            continue
        inner = next((child for child in link.children if child.dep_ == "prep"), None)
        relation = f"{words} {link.lower_}" + (f" {inner.lower_}" if inner else "")
        known = (not names_only or verb.dep_ == "relcl") and (is_known(relation) or bool(ended_by(relation)))
        if link.lower_ in BEFORE_A_TIME and not known:
            continue
        for token in (
            part for child in (inner or link).children if child.dep_ == "pobj" for part in with_conjuncts(child)
        ):
            target = mentions.entity(token)
            vague = words in VAGUE or (names_only and not mentions.name_at(token))
            if target and token.ent_type_ not in NUMBERS and (known or not vague):
                yield relation, target


def employment(verb: Token, job: Token, mentions: Mentions) -> Iterator[tuple[str, FoundEntity]]:
    """ "got a job at Acme", "left my position with Acme"."""
    for link in (*job.children, *verb.children):
        if link.dep_ == "prep" and link.lower_ in {"at", "with", "for"}:
            for token in (child for child in link.children if child.dep_ == "pobj"):
                target = mentions.entity(token)
                if target and verb.lemma_ in TAKING | LEAVING:
                    yield ("get a job at" if verb.lemma_ in TAKING else "resign from"), target
