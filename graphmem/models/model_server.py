"""A server that speaks OpenAI's protocol: asked again while busy or away, given up with a sentence that names it."""

import asyncio
import ipaddress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import httpx
import msgspec

from graphmem.errors import ModelUnavailableError, SettingsError
from graphmem.models.retries import Retries

TOO_MANY, AWAY = 429, 503
# What a server answers when it dislikes the request itself, mostly for its length.
REFUSALS = {400, 413, 422}


class RefusedError(ModelUnavailableError):
    """The server will not have this request; a shorter one may pass."""


class UnreachableError(ModelUnavailableError):
    """Nobody answers at the address, or it says that it is away."""


@dataclass(frozen=True)
class ModelServer:
    """One address of one server; no message of its errors has a text or the key in it."""

    noun: str
    model: str
    address: httpx.URL
    headers: dict[str, str]
    timeout_seconds: float
    retries: Retries

    @cached_property
    def client(self) -> httpx.AsyncClient:
        """The connections; no proxy is asked for this machine."""
        direct = is_loopback(self.address.host)
        return httpx.AsyncClient(headers=self.headers, timeout=self.timeout_seconds, trust_env=not direct)

    async def ask(self, body: dict[str, Any], *, within_seconds: float | None = None) -> bytes:
        """What the server answers to this, asked for again while it is busy or away and there is time."""
        try:
            async with asyncio.timeout(within_seconds):
                return await self._ask(msgspec.json.encode(body))
        except TimeoutError as error:
            raise self.unavailable(f"did not answer within {within_seconds:g} s") from error

    async def _ask(self, content: bytes) -> bytes:
        failed = 0
        while True:
            response, reason = await self._post(content)
            if response is not None and response.is_success:
                return response.content
            failed += 1
            pause = self.retries.pause_seconds(
                failed, response.headers.get("retry-after") if response is not None else None
            )
            if pause is None:
                away = response is None or response.status_code == AWAY
                raise UnreachableError(self.sentence(reason)) if away else self.unavailable(reason)
            await asyncio.sleep(pause)

    async def _post(self, body: bytes) -> tuple[httpx.Response | None, str]:
        """The server's answer, or none, and what is wrong with it; raises when asking again is of no use."""
        try:
            response = await self.client.post(self.address, content=body, headers={"content-type": "application/json"})
        except httpx.TimeoutException as error:
            raise self.unavailable(f"did not answer within {self.timeout_seconds:g} s") from error
        except httpx.TransportError as error:
            return None, f"cannot be reached ({type(error).__name__})"
        except httpx.HTTPError as error:
            raise self.unavailable(f"sent what cannot be read ({type(error).__name__})") from error
        reason = f"answered {response.status_code} {response.reason_phrase}"
        if response.status_code in REFUSALS:
            raise RefusedError(self.sentence(reason))
        if response.is_success or response.is_server_error or response.status_code == TOO_MANY:
            return response, reason
        raise self.unavailable(reason)

    def unavailable(self, reason: str) -> ModelUnavailableError:
        """The error that says why the server is of no use now."""
        return ModelUnavailableError(self.sentence(reason))

    def sentence(self, reason: str) -> str:
        """A sentence that names the server without the credentials its address may have."""
        place = f"{self.address.scheme}://{self.address.netloc.decode('ascii')}{self.address.path}"
        return f"The {self.noun} server {place} {reason} (model {self.model})."

    async def close(self) -> None:
        """Close the connections."""
        await self.client.aclose()


def endpoint(url: str, path: str, setting: str) -> httpx.URL:
    """Where a server whose address up to /v1 is set is asked.

    >>> endpoint("http://localhost:11434/v1/", "/embeddings", "GRAPHMEM_EMBEDDER__URL")
    URL('http://localhost:11434/v1/embeddings')
    """
    try:
        address = httpx.URL(url.strip().rstrip("/").removesuffix(path) + path)
    except httpx.InvalidURL as error:
        raise SettingsError(f"{setting} is not an address: {error}.") from error
    if address.scheme not in {"http", "https"} or not address.host:
        raise SettingsError(f"{setting} must be the address of a server up to /v1, such as http://localhost:11434/v1.")
    return address


def authorization(api_key: str, setting: str) -> dict[str, str]:
    """The header that carries the key, or none."""
    key = api_key.strip()
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(f"{setting} has characters that no key has: copy it again.")
    return {"authorization": f"Bearer {key}"} if key else {}


def sendable(text: str) -> str:
    """The text with half surrogates replaced, which JSON cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, which no proxy of the environment can reach for us.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("api.openai.com")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
