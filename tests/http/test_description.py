"""The description at /openapi.json is true: requests made from it get the answers it promises, and never a 5xx."""

import asyncio
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import FailureGroup, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from graphmem.http.app import application
from tests.http.serving import Running, settings_for

pytestmark = pytest.mark.anyio

# The HTTP parser refuses longer ones by itself, before there is a request.
LONGEST_ADDRESS = 65_536
ALWAYS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
CHECKS = {GenerationMode.POSITIVE: ALWAYS, GenerationMode.NEGATIVE: [*ALWAYS, negative_data_rejection]}
DESCRIPTION: dict[str, Any] = application(settings_for("postgresql://nowhere")).openapi_schema.to_schema()
OPERATIONS = [(method, path) for path, item in DESCRIPTION["paths"].items() for method in item]
# Every request carries a good key: what happens without one is tested elsewhere.
for place in OPERATIONS:
    DESCRIPTION["paths"][place[1]][place[0]].pop("security", None)


def explore(running: Running, secret: str, operation: tuple[str, str], mode: GenerationMode) -> str:
    """Send requests that the description allows, or forbids; where an answer is not as described, the first such."""
    method, path = operation
    strategy = schemathesis.openapi.from_dict(DESCRIPTION)[path][method].as_strategy(generation_mode=mode)
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {secret}"

        @settings(
            max_examples=10,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=strategy)
        def holds(case: schemathesis.Case) -> None:
            response = case.call(base_url=running.url, session=session)
            assume(len(response.request.url or "") < LONGEST_ADDRESS)
            case.validate_response(response, checks=CHECKS[mode])

        try:
            holds()
        except FailureGroup as failures:
            return "\n".join(str(failure) for failure in failures.exceptions)
        except Unsatisfiable:
            return ""  # Nothing can be wrong with a path that takes any text.
        return ""


@pytest.mark.parametrize("operation", OPERATIONS, ids=" ".join)
async def test_what_is_described_as_right_is_answered_as_described(
    plain_server: Running, operation: tuple[str, str]
) -> None:
    secret = await plain_server.secret("admin", ["*"])

    wrong = await asyncio.to_thread(explore, plain_server, secret, operation, GenerationMode.POSITIVE)

    assert wrong == ""


TAKING = [
    (method, path)
    for method, path in OPERATIONS
    if {"parameters", "requestBody"} & set(DESCRIPTION["paths"][path][method])
]


@pytest.mark.parametrize("operation", TAKING, ids=" ".join)
async def test_what_is_described_as_wrong_is_refused(plain_server: Running, operation: tuple[str, str]) -> None:
    secret = await plain_server.secret("admin", ["*"])

    wrong = await asyncio.to_thread(explore, plain_server, secret, operation, GenerationMode.NEGATIVE)

    assert wrong == ""
