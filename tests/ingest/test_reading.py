"""Episodes read by a language model, through Graphiti: once, whole or not at all, and taken back like any other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from graphmem.errors import GraphUnavailableError
from graphmem.memory import Job, NewEpisode, Query, StatedFact
from graphmem.recall.profiles import PROFILES
from graphmem.service import Service, open_service
from graphmem.settings import LanguageModel, Neo4j, Settings, Worker
from tests.graphs import graph_of, ledger_of
from tests.ingest.scholar import Known, Scholar
from tests.models.small_server import Request, http, said, serving

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
REDS, BLUES, AGAIN = "Ann captains the Reds", "Ann captains the Blues", "Annie leads the Reds as captain"
TEXTS = {
    "I captain the Reds": Known(["Ann", "Reds"], [("Ann", "CAPTAINS", "Reds", REDS, "2020-01-01T00:00:00Z")]),
    "I captain the Blues": Known(["Ann", "Blues"], [("Ann", "CAPTAINS", "Blues", BLUES, "2026-02-01T00:00:00Z")]),
    "Annie leads": Known(["Annie", "Reds"], [("Annie", "LEADS", "Reds", AGAIN, "2021-01-01T00:00:00Z")]),
}
THREE = {"a": "I captain the Reds", "b": "I captain the Blues", "c": "Annie leads the Reds, I thought"}


def scholar(**more: Any) -> Scholar:
    """A model that knows what Ann is the captain of, and was."""
    return Scholar(TEXTS, same={AGAIN: REDS}, opposite={BLUES: REDS}, names={"Annie": "Ann"}, **more)


@asynccontextmanager
async def reading(model: Scholar, settings: Settings, neo4j: Neo4j, **limits: Any) -> AsyncIterator[Service]:
    """A service whose episodes this model reads."""
    async with serving(model) as url:
        language_model = LanguageModel(url=url, model="scholar", **limits)
        whole = msgspec.structs.replace(settings, neo4j=neo4j, language_model=language_model)
        async with open_service(whole) as service:
            await service.claim_vectors()
            yield service


async def tell(service: Service, namespace: str, **texts: str) -> None:
    """Say these, by the id of each, an hour between them, and let the worker do all that is due."""
    for number, (name, text) in enumerate(texts.items()):
        new = NewEpisode(id=name, content=text, speaker="Ann", session="s")
        await service.ingester.add(namespace, new, now=NOW + timedelta(hours=number))
        await service.drainer.drain(namespace)


async def facts(service: Service, namespace: str) -> dict[str, tuple[str | None, list[str]]]:
    """By the words of each fact, when it ended and the episodes that support it."""
    rows = await service.postgres.rows("select id::text from fact where namespace = %(n)s", n=namespace)
    found = await service.ledger.facts(namespace, [row["id"] for row in rows])
    return {one["fact"]: (one["invalid_at"] and f"{one['invalid_at']:%Y-%m}", one["episodes"]) for one in found}


async def job_of(service: Service, namespace: str, episode: str) -> Job:
    """The job of an episode as its writer sees it: all its parts as one."""
    [first, *_] = await service.jobs.of_episode(namespace, episode)
    job = await service.jobs.by_id(namespace, first.id)
    assert job is not None
    return job


async def test_what_the_model_decides_is_in_the_ledger_and_a_rebuild_gives_the_same_graph(
    settings: Settings, neo4j_settings: Neo4j, namespace: str
) -> None:
    model = scholar()
    async with reading(model, settings, neo4j_settings) as service:
        await tell(service, namespace, **THREE)
        told, asked = await facts(service, namespace), len(model.asked)
        graph, ledger = await graph_of(service, namespace), await ledger_of(service, namespace)
        cost = [(await job_of(service, namespace, one)).cost for one in "abc"]
        [usage] = await service.postgres.rows("select calls, tokens from usage where namespace = %(n)s", n=namespace)

        assert service.rebuilder is not None
        await service.rebuilder.rebuild(namespace)
        rebuilt = await graph_of(service, namespace)
        await service.postgres.rows("update job set state = 'waiting', due_at = now()")
        await service.drainer.drain(namespace)

        assert told == {REDS: ("2026-02", ["a", "c"]), BLUES: (None, ["b"])}
        assert rebuilt == graph
        assert await graph_of(service, namespace) == graph
        assert await ledger_of(service, namespace) == ledger
        assert len(model.asked) == asked
        assert usage == {"calls": asked, "tokens": asked * 30}
        assert sum(one["calls"] for one in cost) == asked


async def test_a_deleted_or_replaced_episode_takes_back_what_only_it_said_and_ended(
    settings: Settings, neo4j_settings: Neo4j, namespace: str
) -> None:
    async with reading(scholar(), settings, neo4j_settings) as service:
        await tell(service, namespace, **THREE)

        await service.ingester.forget(namespace, ["a"])
        await service.drainer.drain(namespace)
        without_a = await facts(service, namespace)
        new = NewEpisode(content="Nothing of note", speaker="Ann")
        await service.ingester.replace(namespace, "b", new, now=NOW + timedelta(days=1))
        await service.drainer.drain(namespace)
        without_b = await facts(service, namespace)
        await service.ingester.forget(namespace, ["b", "c"])
        await service.drainer.drain(namespace)

        assert without_a == {REDS: ("2026-02", ["c"]), BLUES: (None, ["b"])}
        assert without_b == {REDS: (None, ["c"])}
        assert await graph_of(service, namespace) == []
        assert {name: rows for name, rows in (await ledger_of(service, namespace)).items() if rows} == {}


async def test_a_reading_that_is_cut_off_leaves_nothing_and_the_next_one_all(
    settings: Settings, neo4j_settings: Neo4j, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(scholar(), settings, neo4j_settings) as service:
        await tell(service, namespace, a="I captain the Reds")
        drainer = replace(service.drainer, settings=Worker(retry_seconds=1e-6))

        async def cut_off(*_: object, **__: object) -> None:
            raise GraphUnavailableError("gone")

        owns = StatedFact(source="Ann", relation="owns", target="a boat", fact="Ann owns a boat")
        new = NewEpisode(id="b", content="I captain the Blues", speaker="Ann", facts=(owns,))
        await service.ingester.add(namespace, new, now=NOW + timedelta(hours=1))
        with monkeypatch.context() as patched:
            patched.setattr(type(service.ledger), "describe_entities", cut_off)
            await drainer.drain(namespace)
        between = await facts(service, namespace)
        await drainer.drain(namespace)

        assert between == {REDS: (None, ["a"]), "Ann owns a boat": (None, ["b"])}
        assert await facts(service, namespace) == {
            REDS: ("2026-02", ["a"]),
            BLUES: (None, ["b"]),
            "Ann owns a boat": (None, ["b"]),
        }


FAILURES = {
    "garbage": (said("Sure! Ann lives..."), "not a JSON object"),
    "shape": (said('{"extracted_entities": [{"title": "secret"}]}'), "ExtractedEntities.extracted_entities.0.name"),
    "busy": (http("429 Too Many Requests", retry_after="3600"), "answered 429 Too Many Requests"),
    "half": (http("200 OK", b'{"choices": [{"mess'), "not of the chat completions format"),
    "short": (said('{"extracted_entities": [', finish="length"), "cut short after 4096 tokens"),
}


async def test_a_model_that_fails_is_asked_again_until_the_job_is_dead_and_says_why(
    settings: Settings, neo4j_settings: Neo4j, namespace: str
) -> None:
    model = scholar(failures={f"text of {name}": answer for name, (answer, _) in FAILURES.items()})
    async with reading(model, settings, neo4j_settings) as service:
        drainer = replace(service.drainer, settings=Worker(max_attempts=2, retry_seconds=1e-6))
        news = [NewEpisode(id=name, content=f"The text of {name}") for name in FAILURES]
        await service.ingester.add_batch(namespace, news, now=NOW)
        await drainer.drain(namespace)

        jobs = {name: (await service.jobs.of_episode(namespace, name))[-1] for name in FAILURES}
        assert {name: (job.kind, job.state, job.attempts) for name, job in jobs.items()} == dict.fromkeys(
            FAILURES, ("read", "dead", 2)
        )
        assert [name for name, (_, why) in FAILURES.items() if why not in (jobs[name].error or "")] == []
        assert "secret" not in str(jobs)
        assert await found(service, namespace, "busy") == ["busy"]
        assert await facts(service, namespace) == {}


async def test_a_model_that_is_too_slow_fails_the_job_and_one_that_is_away_is_waited_for(
    settings: Settings, neo4j_settings: Neo4j, namespace: str
) -> None:
    over = asyncio.Event()

    class Slow(Scholar):
        async def __call__(self, request: Request) -> bytes:
            await over.wait()
            return b""

    async with reading(Slow(), settings, neo4j_settings, timeout_seconds=0.05) as service:
        drainer = replace(service.drainer, settings=Worker(max_attempts=2, retry_seconds=1e-6))
        await service.ingester.add(namespace, NewEpisode(id="a", content="Hello"), now=NOW)
        await drainer.drain(namespace)
        slow = await job_of(service, namespace, "a")
        over.set()

    gone = msgspec.structs.replace(settings.language_model, url="http://127.0.0.1:9/v1", model="scholar")
    whole = msgspec.structs.replace(settings, neo4j=neo4j_settings, language_model=gone)
    async with open_service(whole) as service:
        await service.jobs.retry(namespace, slow.id)
        await service.drainer.drain(namespace)
        away = await job_of(service, namespace, "a")

    assert (slow.state, slow.attempts) == ("dead", 2)
    assert "did not answer within 0.05 s" in (slow.error or "")
    assert (away.state, away.cost) == ("waiting", {"calls": 0, "tokens": 0})
    assert "cannot be reached" in (away.error or "")


async def test_a_spent_budget_lets_episodes_wait_and_says_so_while_the_rest_goes_on(
    settings: Settings, neo4j_settings: Neo4j, namespace: str
) -> None:
    model = scholar()
    async with reading(model, settings, neo4j_settings, monthly_tokens=1) as service:
        await tell(service, namespace, a="I captain the Reds")
        asked = len(model.asked)
        owns = StatedFact(source="Ann", relation="owns", target="a boat", fact="Ann owns a boat")
        new = NewEpisode(id="b", content="I captain the Blues", facts=(owns,))
        await service.ingester.add(namespace, new, now=NOW)
        await service.ingester.forget(namespace, ["a"])
        await service.drainer.drain(namespace)
        job = await job_of(service, namespace, "b")

        assert len(model.asked) == asked > 0
        assert (job.state, job.attempts) == ("waiting", 1)
        assert "spent its 1 tokens of this month" in (job.error or "")
        assert await facts(service, namespace) == {"Ann owns a boat": (None, ["b"])}


async def test_an_episode_that_is_replaced_while_it_is_read_is_read_anew(
    settings: Settings, neo4j_settings: Neo4j, namespace: str
) -> None:
    services: list[Service] = []

    class Interrupted(Scholar):
        async def __call__(self, request: Request) -> bytes:
            if not self.asked:
                new = NewEpisode(content="I captain the Blues", speaker="Ann")
                await services[0].ingester.replace(namespace, "a", new, now=NOW + timedelta(hours=1))
            return await super().__call__(request)

    async with reading(Interrupted(TEXTS), settings, neo4j_settings) as service:
        services.append(service)
        await tell(service, namespace, a="I captain the Reds")

        assert await facts(service, namespace) == {BLUES: (None, ["a"])}
        assert (await job_of(service, namespace, "a")).state == "done"


async def found(service: Service, namespace: str, words: str) -> list[str]:
    """The episodes that keyword search finds."""
    query = Query(namespace=namespace, text=words, mode="keyword")
    answer = await service.recaller.recall(query, PROFILES["default"], now=NOW)
    return [hit.id for hit in answer.results]
