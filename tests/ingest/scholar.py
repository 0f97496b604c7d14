"""A language model that knows its texts by heart: a real server, whose answers a test writes down beforehand."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.models.small_server import Request, said

# One of the facts that a prompt lists, with its number.
LISTED = re.compile(r"'idx': (\d+), 'fact': '([^']+)'")
NEW = re.compile(r"<NEW FACT>\n(.*)\n</NEW FACT>")
# An entity that a prompt lists, found just now, or in the graph.
FOUND = re.compile(r'"id": (\d+), "name": "([^"]+)"')
IN_GRAPH = re.compile(r'"candidate_id": (\d+), "name": "([^"]+)"')


class Known(NamedTuple):
    """What it says of a text: who is in it, and facts as (source, relation, target, fact, valid_at)."""

    entities: Sequence[str] = ()
    facts: Sequence[tuple[str, str, str, str, str | None]] = ()


@dataclass
class Scholar:
    """Answers Graphiti's requests by their schema.

    `same` and `opposite` are facts in their words, the new one first; `names` are other names of entities.
    """

    texts: Mapping[str, Known] = field(default_factory=dict[str, Known])
    same: Mapping[str, str] = field(default_factory=dict[str, str])
    opposite: Mapping[str, str] = field(default_factory=dict[str, str])
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    failures: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    asked: list[str] = field(default_factory=list[str])

    async def __call__(self, request: Request) -> bytes:
        prompt = request.body["messages"][-1]["content"]
        shape = request.body["response_format"]["json_schema"]["name"]
        self.asked.append(shape)
        failure = self.failures.get(latest(self.failures, prompt))
        return failure or said(json.dumps(self.answer(shape, prompt)))

    def answer(self, shape: str, prompt: str) -> dict[str, Any]:
        """What it says, in the shape that is wanted."""
        known = self.texts.get(latest(self.texts, prompt), Known())
        match shape:
            case "ExtractedEntities":
                return {"extracted_entities": [{"name": name, "entity_type_id": 1} for name in known.entities]}
            case "ExtractedEdges":
                return {"edges": [edge(*fact) for fact in known.facts]}
            case "NodeResolutions":
                return {"entity_resolutions": [*self.resolved(prompt)]}
            case "EdgeDuplicate":
                return self.compared(prompt)
            case _:
                return {}

    def resolved(self, prompt: str) -> Iterator[dict[str, Any]]:
        """Who of those just found is in the graph already, under the name that it knows them by."""
        there = {name: int(number) for number, name in IN_GRAPH.findall(prompt)}
        for number, name in FOUND.findall(prompt):
            candidate = there.get(self.names.get(name, ""), -1)
            yield {"id": int(number), "name": name, "duplicate_candidate_id": candidate}

    def compared(self, prompt: str) -> dict[str, Any]:
        """Which of the listed facts are the new one, and which cannot be true beside it."""
        [new] = NEW.findall(prompt)

        def numbers(pairs: Mapping[str, str]) -> list[int]:
            return [int(number) for number, fact in LISTED.findall(prompt) if fact == pairs.get(new)]

        return {"duplicate_facts": numbers(self.same), "contradicted_facts": numbers(self.opposite)}


def latest(texts: Collection[str], prompt: str) -> str:
    """Which of the texts stands last in a prompt: before it stand those that were said before."""
    return max((text for text in texts if text in prompt), key=prompt.rfind, default="")


def edge(source: str, relation: str, target: str, fact: str, valid_at: str | None) -> dict[str, Any]:
    """A fact in Graphiti's words."""
    return {
        "source_entity_name": source,
        "target_entity_name": target,
        "relation_type": relation,
        "fact": fact,
        "valid_at": valid_at,
    }
