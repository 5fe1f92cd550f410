"""The interface from within this process: pages ask it as customers do, for who signed in.

So whatever a page can do the interface can do, is checked where that is checked, and is refused in
the same words. Nothing goes over a socket.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from landbridge.core.errors import Broken, Busy, Refused, ResourceNotFound
from landbridge.web.caller import Caller
from landbridge.web.errors import REFUSAL
from landbridge.web.gate import INSIDE
from landbridge.web.reply import encode

# Values that are None are left out.
Query: TypeAlias = Mapping[str, str | int | Sequence[str] | None]

# Amounts stay what they are.
_decoder = msgspec.json.Decoder(Any, float_hook=Decimal)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a route answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Interface:
    """All routes under /v2, for one caller.

    Every verb raises the `Refused` or `Busy` that the route was refused with, and `Broken` for a
    fault of ours. JSON numbers with a point come as `Decimal`. An address with an empty id
    is that of nothing: `ResourceNotFound`.
    """

    def __init__(self, app: ASGIApp, caller: Caller) -> None:
        self._app = app
        self._caller = caller

    async def get(self, path: str, /, **query: str | int | Sequence[str] | None) -> Any:
        """What a GET answers."""
        return await self._json("GET", path, query)

    async def post(self, path: str, body: Any = None, *, query: Query | None = None) -> Any:
        """What a POST answers."""
        return await self._json("POST", path, query or {}, body)

    async def patch(self, path: str, body: Any = None) -> Any:
        """What a PATCH answers."""
        return await self._json("PATCH", path, {}, body)

    async def put(self, path: str, body: Any = None) -> Any:
        """What a PUT answers."""
        return await self._json("PUT", path, {}, body)

    async def delete(self, path: str) -> Any:
        """What a DELETE answers."""
        return await self._json("DELETE", path, {})

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The whole answer, such as a file; the body goes out as it is."""
        _check_path(path)
        scope = self._scope(method, path, query or {}, headers or {})
        started: dict[str, Any] = {}
        chunks: list[bytes] = []

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.update(message)
            elif message["type"] == "http.response.body":
                chunks.append(message["body"])

        await self._app(scope, _once(body), tell)
        answer = Answer(started["status"], _texts(started["headers"]), b"".join(chunks))
        _check(answer, scope)
        return answer

    def passing(
        self,
        path: str,
        /,
        *,
        body: Any = None,
        around: Mapping[str, str] | None = None,
        **query: str | int | Sequence[str] | None,
    ) -> ASGIApp:
        """An application that answers what this route answers, chunk by chunk: for long files.

        A GET, or a POST of `body`. A refusal is not raised but answered as its sentence, in plain
        text. `around` are headers that the answer has besides its own, whatever it is.
        """
        _check_path(path)
        raw = b"" if body is None else encode(body)
        headers = {"content-type": "application/json"} if raw else {}

        async def passed(_: Scope, receive: Receive, send: Send) -> None:
            scope = self._scope("POST" if raw else "GET", path, query, headers)
            await self._app(scope, _then(raw, receive), _plainly(scope, send, around or {}))

        return passed

    async def _json(self, method: str, path: str, query: Query, body: Any = None) -> Any:
        raw = b"" if body is None else encode(body)
        headers = {"content-type": "application/json"} if raw else None
        answer = await self.send(method, path, query=query, body=raw, headers=headers)
        return _decoder.decode(answer.body) if answer.body else None

    def _scope(self, method: str, path: str, query: Query, headers: Mapping[str, str]) -> Any:
        told = {name: value for name, value in query.items() if value is not None}
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": quote(path).encode(),
            "root_path": "",
            "query_string": urlencode(told, doseq=True).encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
            "client": None,
            "server": ("landbridge", None),
            "extensions": {},
            INSIDE: self._caller,
        }


def _check_path(path: str) -> None:
    """Raise `ResourceNotFound` for an empty id: without it the address would be another one's."""
    if "" in path.split("/")[1:]:
        raise ResourceNotFound


def _once(body: bytes) -> Receive:
    messages: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        return messages.pop() if messages else {"type": "http.disconnect"}

    return receive


def _then(body: bytes, receive: Receive) -> Receive:
    """The body, and then what the client does: it may go away."""
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
    """Sends on what is good; of a refusal the status and the sentence, for a person to read."""
    is_refused = False
    besides = [(name.lower().encode(), value.encode()) for name, value in around.items()]

    async def told(message: Message) -> None:
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

    return told


def _texts(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def _check(answer: Answer, scope: Mapping[str, Any]) -> None:
    if answer.status < HTTPStatus.BAD_REQUEST:
        return
    refusal = scope.get(REFUSAL)
    if isinstance(refusal, Refused | Busy):
        raise refusal
    raise Broken(f"{scope['method']} {scope.get('path_template')} answered {answer.status}")
