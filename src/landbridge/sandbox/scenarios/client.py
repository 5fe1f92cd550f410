"""API client of the scenarios, with one key."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

import aiohttp

from landbridge import __version__
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.formats.texts import is_allowed
from landbridge.providers.simulation.outcome_plans import HEADER
from landbridge.sandbox.scenarios.overrides import BodyOverrides

_TIMEOUT_S = 60
_GOOD = 200
# Statuses of a busy server, and of a proxy whose server restarts.
_UNAVAILABLE = frozenset({429, 502, 503, 504})
_FORM = "application/x-www-form-urlencoded"
# Characters shown of a response that is not JSON.
_SHOWN_LENGTH = 300


class ServerUnavailable(LandbridgeError):
    """The server can't be reached, or can't answer now."""


class ScenarioFailed(LandbridgeError):
    """A scenario did not run as expected."""


class Send(Protocol):
    """Sends a request with the key; returns status and body. Raises `ServerUnavailable`."""

    async def __call__(
        self, method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """Return the server's response, whatever its status."""
        ...


@dataclass(frozen=True, slots=True)
class ScenarioClient:
    """API client that raises `ScenarioFailed` on error responses."""

    send: Send
    overrides: BodyOverrides = field(default_factory=BodyOverrides)

    async def get(self, path: str, **query: str | int) -> Any:
        """Return the JSON of a response."""
        return json.loads(await self.raw(path, **query))

    async def raw(self, path: str, **query: str | int) -> bytes:
        """Return the response body unchanged, so that forwarded numbers keep their digits."""
        suffix = f"?{urlencode(query)}" if query else ""
        return await self._send("GET", f"{path}{suffix}")

    async def post(self, path: str, body: Any = None, *, plan: str | None = None) -> Any:
        """Return the JSON of a response; `plan` scripts outcomes of the sandbox."""
        return await self._json("POST", path, body, plan)

    async def put(self, path: str, body: Any) -> Any:
        """Return the JSON of a response."""
        return await self._json("PUT", path, body, None)

    async def delete(self, path: str) -> Any:
        """Return the JSON of a response."""
        return await self._json("DELETE", path, None, None)

    async def press(self, path: str, form: Mapping[str, str]) -> None:
        """Submit a form of a hosted page, as a browser does."""
        content, headers = urlencode(form).encode(), {"Content-Type": _FORM}
        status, _ = await self.send("POST", path, content=content, headers=headers)
        if status not in {_GOOD, 303}:
            raise ScenarioFailed(f"the form {urlsplit(path).path} was answered with {status}")

    async def pass_time(self, seconds: int = 0) -> None:
        """Advance the sandbox's clock; everything that falls due is done before this returns."""
        await self.post("/v2/sandbox/clock/advance", {"seconds": seconds})

    async def _json(self, method: str, path: str, body: Any, plan: str | None) -> Any:
        headers = {} if plan is None else {HEADER: plan}
        body = self.overrides.apply(path, body)
        content = None if body is None else json.dumps(body).encode()
        response = await self._send(method, path, content, headers)
        return json.loads(response) if response else None

    async def _send(
        self,
        method: str,
        path: str,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        all_headers = {"Content-Type": "application/json", **(headers or {})}
        status, response = await self.send(method, path, content=content, headers=all_headers)
        if status in _UNAVAILABLE:
            raise ServerUnavailable("the server is busy, or being restarted")
        if not _GOOD <= status < _GOOD + 100:
            raise ScenarioFailed(
                f"{method} {path} was answered with {status}: {_error_text(response)}"
            )
        return response


def shown(text: str) -> str:
    """Return one line of what a server has sent, without what a terminal would obey."""
    return "".join(each if is_allowed(each) else "\ufffd" for each in text)


def _error_text(response: bytes) -> str:
    """Return the message of an error response, or its beginning."""
    try:
        return shown(str(json.loads(response)["errorDetails"]))
    except (ValueError, TypeError, KeyError):
        return shown(response[:_SHOWN_LENGTH].decode(errors="replace"))


@asynccontextmanager
async def connected(
    url: str, key: str, overrides: BodyOverrides | None = None
) -> AsyncGenerator[ScenarioClient]:
    """Connect to the API at an address; proxies of the environment are not used."""
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
                ) as response:
                    return response.status, await response.read()
            except (aiohttp.InvalidURL, ValueError) as error:
                raise ScenarioFailed(f"{url} is no address of a server") from error
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                raise ServerUnavailable(f"{url} does not answer; is the server running?") from error

        yield ScenarioClient(send, overrides or BodyOverrides())
