"""What someone is: "Anna is a nurse", "I'm allergic to nuts", "Tom is Anna's boss"."""

from collections.abc import Iterator

from spacy.tokens import Token

from graphmem.models.extraction.clauses import stance, subjects_of, with_conjuncts
from graphmem.models.extraction.mentions import Mentions
from graphmem.models.extraction.statements import Statement
from graphmem.models.extraction.words import KIN, PETS, STATUSES
from graphmem.models.extractor import FoundEntity
from graphmem.relations import is_known


def descriptions(mentions: Mentions) -> Iterator[Statement]:
    """What each "is" says of its subject."""
    for verb in mentions.doc:
        if verb.lemma_ not in {"be", "become", "get"} or verb.dep_ in {"aux", "auxpass"}:
            continue
        subjects = subjects_of(verb)
        said = stance(verb) if subjects else None
        if said is None:
            continue
        for subject in subjects:
            for source, words, target in introduced(verb, subject, mentions):
                yield Statement(source, words, target, verb, said, certain=True)
            for source, words, target in described(verb, subject, mentions):
                yield Statement(source, words, target, verb, said)


def described(verb: Token, subject: Token, mentions: Mentions) -> Iterator[tuple[FoundEntity, str, FoundEntity]]:
    """Source, words and target of what "is" says of one subject."""
    yield from favourites(verb, subject, mentions)
    source = mentions.subject(subject)
    if source is None:
        return
    for child in verb.children:
        if child.dep_ == "attr":
            for noun in with_conjuncts(child):
                yield from ((source, words, target) for words, target in identity(noun, mentions))
        elif child.dep_ == "acomp":
            yield from ((source, words, target) for words, target in quality(verb, child, mentions))
        elif child.dep_ == "prep" and child.lower_ in {"from", "in", "into"}:
            for token in (part for part in child.children if part.dep_ == "pobj" and mentions.name_at(part)):
                if target := mentions.entity(token):
                    yield source, f"be {child.lower_}", target


def introduced(verb: Token, subject: Token, mentions: Mentions) -> Iterator[tuple[FoundEntity, str, FoundEntity]]:
    """ "My sister is Anna", "My wife's name is Priya"."""
    kin = subject
    if subject.lower_ == "name":
        kin = next((child for child in subject.children if child.dep_ == "poss"), subject)
    owner = mentions.owner(kin) if kin.lemma_ in KIN | PETS else None
    for child in verb.children:
        if owner and child.dep_ == "attr" and mentions.name_at(child) and (person := mentions.entity(child)):
            yield FoundEntity(person.name, "person"), f"{kin.lemma_} of", owner


def favourites(verb: Token, subject: Token, mentions: Mentions) -> Iterator[tuple[FoundEntity, str, FoundEntity]]:
    """ "My favourite city is Lisbon"."""
    loved = any(child.lower_ in {"favorite", "favourite", "fave"} for child in subject.children)
    owner = mentions.owner(subject) if loved else None
    for child in (child for child in verb.children if owner and child.dep_ == "attr"):
        target = mentions.entity(child)
        if owner and target:
            yield owner, f"favourite {subject.lemma_}", target


def identity(noun: Token, mentions: Mentions) -> Iterator[tuple[str, FoundEntity]]:
    """ "… is my sister", "… is the capital of France", "… is a nurse"."""
    owner = mentions.owner(noun)
    if owner is not None:
        if noun.lemma_ in KIN | PETS:
            yield f"{noun.lemma_} of", owner
        return
    parts = [child for child in noun.children if child.dep_ == "prep" and child.lower_ == "of"]
    for token in (part for link in parts for part in link.children if part.dep_ == "pobj"):
        if (target := mentions.entity(token)) and (mentions.name_at(token) or is_known(f"{noun.lemma_} of")):
            yield f"{noun.lemma_} of", target
            return
    for token in (part for link in noun.children if link.lower_ in {"at", "for"} for part in link.children):
        if token.dep_ == "pobj" and mentions.name_at(token) and (employer := mentions.entity(token)):
            yield "work at", employer
    indefinite = any(child.lower_ in {"a", "an"} and child.dep_ == "det" for child in noun.children)
    target = mentions.entity(noun) if indefinite else None
    if target and target.type == "thing":
        yield "be", target


def quality(verb: Token, adjective: Token, mentions: Mentions) -> Iterator[tuple[str, FoundEntity]]:
    """ "… is allergic to nuts", "… is retired", "… is 30 years old"."""
    if adjective.lower_ in STATUSES and not any(child.dep_ == "prep" for child in adjective.children):
        yield "status", FoundEntity(adjective.lower_, "thing")
    if adjective.lower_ == "old":
        years = [child for child in adjective.children if child.dep_ == "npadvmod"]
        for token in years:
            yield "age", FoundEntity(" ".join(part.lower_ for part in (*token.subtree, adjective)), "thing")
    for link in (child for child in adjective.children if child.dep_ == "prep"):
        for token in (part for child in link.children if child.dep_ == "pobj" for part in with_conjuncts(child)):
            words = f"{verb.lemma_} {adjective.lower_} {link.lower_}"
            if is_known(words) and (target := mentions.entity(token)):
                yield words, target
