"""Which entity a word of the parse stands for."""

from dataclasses import dataclass

from spacy.tokens import Doc, Token

from graphmem.models.extraction.entities import LONGEST_NAME, NUMBERS, Named
from graphmem.models.extraction.words import FIRST_PERSON, GENERIC, KIN, MEASURES, PETS, POINTING
from graphmem.models.extractor import EntityType, FoundEntity
from graphmem.names import normalised

MOST_WORDS = 5
MODIFIERS = frozenset({"compound", "amod", "nmod", "nummod", "advmod"})
WHO = frozenset({"who", "whom", "which", "that"})


@dataclass(frozen=True)
class Mentions:
    """The names of one parse, and who speaks."""

    doc: Doc
    names: tuple[Named, ...]
    speaker: str | None

    def name_at(self, token: Token) -> Named | None:
        """The name that the token is a part of."""
        return next((item for item in self.names if item.start <= token.i < item.end), None)

    def entity(self, token: Token) -> FoundEntity | None:
        """Whom or what a noun or pronoun stands for; None when this text alone does not tell."""
        token = antecedent(token)
        if token.lower_ in FIRST_PERSON:
            return FoundEntity(self.speaker, "person") if self.speaker else None
        if item := self.name_at(token):
            return FoundEntity(item.name, item.type)
        return self._described(token) if token.pos_ == "NOUN" else None

    def subject(self, token: Token) -> FoundEntity | None:
        """Like `entity`, but only who can have facts of their own: names, the speaker, and the speaker's own people."""
        token = antecedent(token)
        if token.pos_ in {"PRON", "PROPN"} or self.name_at(token):
            return self.entity(token)
        return self.relative(token)

    def relative(self, token: Token) -> FoundEntity | None:
        """Someone known by whose they are: "my sister" is Ravi's sister, when Ravi speaks."""
        owner = self.owner(token)
        if (
            token.lemma_.lower() not in KIN | PETS
            or token.tag_ == "NNS"
            or owner is None
            or len(owner.name) > LONGEST_NAME
        ):
            return None
        if called := self.called(token):
            return FoundEntity(called.name, called.type)
        kind: EntityType = "thing" if token.lemma_.lower() in PETS else "person"
        return FoundEntity(f"{owner.name}'s {token.lower_}", kind)

    def owner(self, token: Token) -> FoundEntity | None:
        """Whose it is: "my …", "Anna's …"."""
        for child in token.children:
            if child.dep_ == "poss":
                if child.lower_ in {"his", "her"}:
                    return self.only_person_before(child)
                known = child.lower_ in FIRST_PERSON or self.name_at(child)
                return self.entity(child) if known else self.relative(child)
        return None

    def only_person_before(self, token: Token) -> FoundEntity | None:
        """Whom a "his" or "her" means, when just one person was named in its sentence so far."""
        start = token.sent.start
        people = {item.name for item in self.names if item.type == "person" and start <= item.start < token.i}
        return FoundEntity(people.pop(), "person") if len(people) == 1 else None

    def called(self, noun: Token) -> Named | None:
        """The name that follows a noun at once: "my sister Anna", "my sister, Anna"."""
        for child in noun.children:
            if child.dep_ in {"acl", "amod"} and child.lower_ in {"named", "called"}:
                named = (item for part in child.children if (item := self.name_at(part)))
                return next(named, None)
        comma = noun.i + 1 < len(self.doc) and self.doc[noun.i + 1].text == ","
        place = noun.i + 1 + comma
        item = self.name_at(self.doc[place]) if place < len(self.doc) else None
        if item is None or item.start != place or item.type == "place":
            return None
        tokens = self.doc[item.start : item.end]
        apposed = any(token.dep_ == "appos" and token.head == noun for token in tokens)
        tied = any(token.head == noun or noun.head == token for token in tokens)
        return item if apposed or (tied and not comma) else None

    def _described(self, token: Token) -> FoundEntity | None:
        """A thing known by its description: "a red bike" is the thing "red bike"."""
        if (measured := measured_by(token)) is not token:
            return self.entity(measured)
        if any(child.lower_ in {"named", "called"} for child in token.children) and (called := self.called(token)):
            return FoundEntity(called.name, called.type)
        if relative := self.relative(token):
            return relative
        if token.lemma_.lower() in GENERIC or token.lower_ in GENERIC or token.lemma_.lower() in KIN or points(token):
            return None
        words = description(token)
        name = " ".join(words)
        if len(words) > MOST_WORDS or len(name) > LONGEST_NAME or token.ent_type_ in NUMBERS or not normalised(name):
            return None
        owner = self.owner(token)
        of_another = f"{owner.name}'s " if owner and owner.name != self.speaker else ""
        return FoundEntity(of_another + name, "thing")


def antecedent(token: Token) -> Token:
    """What a "who" or "which" of a relative clause refers to, or the token itself."""
    if token.lower_ not in WHO or token.pos_ != "PRON":
        return token
    clause = next((ancestor for ancestor in token.ancestors if ancestor.dep_ == "relcl"), None)
    if clause is None:
        return token
    subjects = (child for child in clause.head.head.children if child.dep_ == "nsubj")
    # "Marie is a physicist who was born in Warsaw": not the physicist was, but Marie.
    return next(subjects, clause.head) if clause.head.dep_ == "attr" else clause.head


def measured_by(token: Token) -> Token:
    """What a measure is of ("a cup of coffee"), or the token itself."""
    if token.lemma_.lower() in MEASURES:
        for child in token.children:
            if child.dep_ == "prep" and child.lower_ == "of":
                return next((part for part in child.children if part.dep_ == "pobj"), token)
    return token


def points(token: Token) -> bool:
    """Whether the phrase points at something that was named elsewhere: "this song", "your dog"."""
    return any(child.lower_ in POINTING and child.dep_ in {"det", "poss", "amod", "predet"} for child in token.children)


def description(token: Token) -> list[str]:
    """The words of a noun phrase from its first modifier to its head, in lower case."""
    left = [child for child in token.lefts if child.dep_ in MODIFIERS and child.pos_ not in {"DET", "PRON", "ADV"}]
    start = min((descendant.i for child in left for descendant in child.subtree), default=token.i)
    span = token.doc[start : token.i + 1]
    return [part.lower_ for part in span if not part.is_punct and not part.is_space]
