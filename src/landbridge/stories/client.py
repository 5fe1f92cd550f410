"""The API as a customer's program calls it, with one key."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

import aiohttp

from landbridge import __version__
from landbridge.core.errors import LandbridgeError
from landbridge.simulation.plans import HEADER

_TIMEOUT_S = 60
_GOOD = 200
# What a server answers that is busy, and a proxy before one that is restarted.
_AWAY = frozenset({429, 502, 503, 504})
_FORM = "application/x-www-form-urlencoded"
# Of an answer that is no JSON, so much is shown.
_SHOWN_LENGTH = 300


class NotAnswered(LandbridgeError):
    """The server can't be reached, or can't answer now."""


class StoryFailed(LandbridgeError):
    """A story did not go as it should."""


class Send(Protocol):
    """Sends a request with the key; answers status and body. Raises `NotAnswered`."""

    async def __call__(
        self, method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """Answer what the server answers, whatever it is."""
        ...


@dataclass(frozen=True, slots=True)
class Client:
    """Requests whose answers must be good."""

    send: Send

    async def get(self, path: str, **query: str | int) -> Any:
        """The JSON of an answer."""
        return json.loads(await self.raw(path, **query))

    async def raw(self, path: str, **query: str | int) -> bytes:
        """The answer as it came: what is passed on keeps its numbers."""
        told = f"?{urlencode(query)}" if query else ""
        return await self._ask("GET", f"{path}{told}")

    async def post(self, path: str, body: Any = None, *, plan: str | None = None) -> Any:
        """The JSON of an answer; `plan` is what the sandbox is to force."""
        return await self._json("POST", path, body, plan)

    async def delete(self, path: str) -> Any:
        """The JSON of an answer."""
        return await self._json("DELETE", path, None, None)

    async def press(self, path: str, form: Mapping[str, str]) -> None:
        """Send a form of a hosted page, as a browser does."""
        content, headers = urlencode(form).encode(), {"Content-Type": _FORM}
        status, _ = await self.send("POST", path, content=content, headers=headers)
        if status not in {_GOOD, 303}:
            raise StoryFailed(f"the form {urlsplit(path).path} was answered with {status}")

    async def pass_time(self, seconds: int = 0) -> None:
        """Let time pass in the sandbox; what falls due is done when this answers."""
        await self.post("/v2/sandbox/clock/advance", {"seconds": seconds})

    async def _json(self, method: str, path: str, body: Any, plan: str | None) -> Any:
        headers = {} if plan is None else {HEADER: plan}
        content = None if body is None else json.dumps(body).encode()
        answer = await self._ask(method, path, content, headers)
        return json.loads(answer) if answer else None

    async def _ask(
        self,
        method: str,
        path: str,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        told = {"Content-Type": "application/json", **(headers or {})}
        status, answer = await self.send(method, path, content=content, headers=told)
        if status in _AWAY:
            raise NotAnswered("the server is busy, or being restarted")
        if not _GOOD <= status < _GOOD + 100:
            raise StoryFailed(f"{method} {path} was answered with {status}: {_said(answer)}")
        return answer


def _said(answer: bytes) -> str:
    """What an error says to a person, or its beginning."""
    try:
        return str(json.loads(answer)["errorDetails"])
    except (ValueError, TypeError, KeyError):
        return answer[:_SHOWN_LENGTH].decode(errors="replace")


@asynccontextmanager
async def connected(url: str, key: str) -> AsyncGenerator[Client]:
    """The API at an address; proxies that the environment names are not asked."""
    base = url.rstrip("/")
    own = {"Authorization": f"Bearer {key}", "User-Agent": f"landbridge-cli/{__version__}"}
    timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout) as session:

        async def send(
            method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
        ) -> tuple[int, bytes]:
            try:
                async with session.request(
                    method,
                    base + path,
                    data=content,
                    headers={**own, **headers},
                    allow_redirects=False,
                ) as answer:
                    return answer.status, await answer.read()
            except (aiohttp.InvalidURL, ValueError) as error:
                raise StoryFailed(f"{url} is no address of a server") from error
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                raise NotAnswered(f"{url} does not answer; is the server running?") from error

        yield Client(send)
