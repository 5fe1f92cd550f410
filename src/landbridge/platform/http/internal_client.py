"""In-process client of the API: dashboard pages call routes for a signed-in member.

So the API can do whatever a page can do, with the same checks and error messages. No socket is
involved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from http import HTTPStatus
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from landbridge.platform.core.errors import Busy, InvariantBroken, Refused, ResourceNotFound
from landbridge.platform.http.auth_guard import INSIDE
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.error_responses import REFUSAL
from landbridge.platform.http.responses import encode

# Query parameters; those with the value None are left out.
Query: TypeAlias = Mapping[str, str | int | Sequence[str] | None]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class InternalResponse:
    """Response of a route."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class InternalClient:
    """Client for all routes under /v2, on behalf of one caller.

    Every method raises the `Refused` or `Busy` of the route, and `InvariantBroken` for an internal
    error. In untyped parts of a reply, JSON numbers with a fraction are `Decimal`. A path with an
    empty id raises `ResourceNotFound`.
    """

    def __init__(self, app: ASGIApp, caller: Caller) -> None:
        self._app = app
        self._caller = caller

    async def read(
        self, reply: type[T], path: str, /, **query: str | int | Sequence[str] | None
    ) -> T:
        """Return the reply to a GET, as the struct that its route returns."""
        return _decoder_of(reply).decode((await self.send("GET", path, query=query)).body)

    async def submit(
        self,
        reply: type[T],
        path: str,
        body: object = None,
        /,
        *,
        method: str = "POST",
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """Return the reply to a POST or another method, as the struct that its route returns."""
        response = await self._send_json(method, path, query or {}, body, headers or {})
        return _decoder_of(reply).decode(response.body)

    async def post(self, path: str, body: object = None) -> None:
        """POST to a route, and discard the reply."""
        await self._send_json("POST", path, {}, body, {})

    async def patch(self, path: str, body: object) -> None:
        """PATCH a route, and discard the reply."""
        await self._send_json("PATCH", path, {}, body, {})

    async def put(self, path: str, body: object) -> None:
        """PUT to a route, and discard the reply."""
        await self._send_json("PUT", path, {}, body, {})

    async def delete(self, path: str) -> None:
        """DELETE a route, and discard the reply."""
        await self.send("DELETE", path)

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> InternalResponse:
        """Return the complete response, such as a file; its body is not decoded."""
        _check_path(path)
        scope = self._scope(method, path, query or {}, headers or {})
        started: dict[str, Any] = {}
        chunks: list[bytes] = []

        async def collect(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.update(message)
            elif message["type"] == "http.response.body":
                chunks.append(message["body"])

        await self._app(scope, _once(body), collect)
        response = InternalResponse(started["status"], _texts(started["headers"]), b"".join(chunks))
        _check(response, scope)
        return response

    def passing(
        self,
        path: str,
        /,
        *,
        body: Any = None,
        around: Mapping[str, str] | None = None,
        **query: str | int | Sequence[str] | None,
    ) -> ASGIApp:
        """Return an ASGI application that streams a route's response, for long files.

        The route gets a GET, or a POST if there is a `body`. A refusal is not raised but sent as
        its sentence in plain text. `around` are headers added to every response.
        """
        _check_path(path)
        raw = b"" if body is None else encode(body)
        headers = {"content-type": "application/json"} if raw else {}

        async def passed(_: Scope, receive: Receive, send: Send) -> None:
            scope = self._scope("POST" if raw else "GET", path, query, headers)
            await self._app(scope, _then(raw, receive), _plainly(scope, send, around or {}))

        return passed

    async def _send_json(
        self, method: str, path: str, query: Query, body: object, headers: Mapping[str, str]
    ) -> InternalResponse:
        raw = b"" if body is None else encode(body)
        headers = {"content-type": "application/json", **headers} if raw else headers
        return await self.send(method, path, query=query, body=raw, headers=headers)

    def _scope(self, method: str, path: str, query: Query, headers: Mapping[str, str]) -> Any:
        present = {name: value for name, value in query.items() if value is not None}
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": quote(path).encode(),
            "root_path": "",
            "query_string": urlencode(present, doseq=True).encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
            "client": None,
            "server": ("landbridge", None),
            "extensions": {},
            INSIDE: self._caller,
        }


@cache
def _decoder_of(reply: type[T]) -> msgspec.json.Decoder[T]:
    # Decimal keeps all digits of an amount.
    return msgspec.json.Decoder(reply, float_hook=Decimal)


def _check_path(path: str) -> None:
    """Raise `ResourceNotFound` for an empty id, without which the path would be another route's."""
    if "" in path.split("/")[1:]:
        raise ResourceNotFound


def _once(body: bytes) -> Receive:
    messages: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        return messages.pop() if messages else {"type": "http.disconnect"}

    return receive


def _then(body: bytes, receive: Receive) -> Receive:
    """Yield the body, then the client's own messages, such as its disconnect."""
    once = _once(body)
    is_read = False

    async def received() -> Any:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return await once()

    return received


def _plainly(scope: Mapping[str, Any], send: Send, around: Mapping[str, str]) -> Send:
    """Forward a successful response; reduce a refusal to its status and its sentence."""
    is_refused = False
    besides = [(name.lower().encode(), value.encode()) for name, value in around.items()]

    async def forward(message: Message) -> None:
        nonlocal is_refused
        if message["type"] == "http.response.start" and message["status"] >= HTTPStatus.BAD_REQUEST:
            is_refused = True
            message["headers"] = [(b"content-type", b"text/plain; charset=utf-8")]
        if message["type"] == "http.response.start":
            own = [each for each in message["headers"] if each[0].lower() not in dict(besides)]
            message["headers"] = [*own, *besides]
        elif is_refused and message["type"] == "http.response.body":
            refusal = scope.get(REFUSAL)
            sentence = str(refusal) if isinstance(refusal, Refused) else "Please try again."
            message["body"] = sentence.encode()
        await send(message)

    return forward


def _texts(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def _check(response: InternalResponse, scope: dict[str, Any]) -> None:
    if response.status < HTTPStatus.BAD_REQUEST:
        return
    # The error holds these frames, so nothing in them may hold the error.
    refusal = scope.pop(REFUSAL, None)
    if isinstance(refusal, Refused | Busy):
        try:
            raise refusal
        finally:
            del refusal
    raise InvariantBroken(
        f"{scope['method']} {scope.get('path_template')} answered {response.status}"
    )
