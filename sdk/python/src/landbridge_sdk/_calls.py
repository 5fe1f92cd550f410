"""Calls of operations: how one is sent, sent again, and answered. Shared by both clients."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol, cast
from urllib.parse import quote

import httpx
import msgspec

from landbridge_sdk._errors import LandbridgeError, NotReached, error_of

_encoder = msgspec.json.Encoder(decimal_format="number")
# The service was not reached, or says that the same request may be sent again.
_KEY_HEADER = "Idempotency-Key"
_TEMPORARY = frozenset({429, 502, 503, 504})
_FIRST_PAUSE_S, _PAUSE_MAX_S = 0.2, 30.0


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operation.

    `id_member` names the member of the body that identifies the request; without one, the header
    `Idempotency-Key` does. The client fills in whichever the operation has and the caller left
    out, so that a retry after a lost answer never does the same twice.
    """

    method: str
    path: str
    body: Any = None
    upload: tuple[str, bytes] | None = None
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    headers: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    id_member: str | None = None
    timeout: float | None = None

    def identified(self) -> Call:
        """Return the call with the id that the caller has left out."""
        headers, body = self.headers, self.body
        if _KEY_HEADER in headers and headers[_KEY_HEADER] is None:
            headers = {**headers, _KEY_HEADER: str(uuid.uuid4())}
        if self.id_member is not None and isinstance(body, Mapping):
            body = {self.id_member: str(uuid.uuid4()), **cast("Mapping[str, Any]", body)}
        return replace(self, headers=headers, body=body)

    @property
    def idempotency_key(self) -> str | None:
        """Return the id under which the request may be sent again; None if it has none."""
        if self.id_member is not None and isinstance(self.body, Mapping):
            return str(cast("Mapping[str, Any]", self.body)[self.id_member])
        return self.headers.get(_KEY_HEADER)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `httpx.Client.request`."""
        headers = {name: value for name, value in self.headers.items() if value is not None}
        found: dict[str, Any] = {
            "method": self.method,
            "url": self.path,
            "params": list(_pairs(self.query)),
            "headers": headers,
        }
        if self.timeout is not None:
            found["timeout"] = self.timeout
        if self.upload is not None:
            return found | {"files": {"file": self.upload}}
        if self.body is None:
            return found
        headers["Content-Type"] = "application/json"
        return found | {"content": _encoder.encode(self.body)}

    def pause_s(self, attempt: int, response: httpx.Response | None) -> float | None:
        """Return how long to wait before the next attempt; None if there must be none.

        `response` is None if no answer arrived: the request may have been carried out.
        """
        if response is not None and response.status_code not in _TEMPORARY:
            return None
        asked = None if response is None else response.headers.get("Retry-After")
        if asked is not None and asked.isdigit():
            return min(float(asked), _PAUSE_MAX_S)
        return min(_FIRST_PAUSE_S * 2**attempt, _PAUSE_MAX_S) * random.uniform(0.5, 1.5)  # noqa: S311


class Sender(Protocol):
    """Sends calls, and waits."""

    def send(self, call: Call, reply: Any) -> Any:
        """Return the reply; raises `LandbridgeError`."""
        ...

    def download(self, call: Call) -> bytes:
        """Return the bytes of the response; raises `LandbridgeError`."""
        ...


class AsyncSender(Protocol):
    """Sends calls in an event loop."""

    async def send(self, call: Call, reply: Any) -> Any:
        """Return the reply; raises `LandbridgeError`."""
        ...

    async def download(self, call: Call) -> bytes:
        """Return the bytes of the response; raises `LandbridgeError`."""
        ...


def path_of(template: str, *values: str) -> str:
    """Return a path with its parameters in their order, each escaped.

    Raises `LandbridgeError` for a parameter that would make it the path of another operation.
    """
    for each in values:
        if "/" in each or not each.strip("."):
            raise LandbridgeError(f"{each[:100]!r} can't be part of {template}")
    parts = iter(values)
    return "/".join(
        quote(next(parts), safe="") if each.startswith("{") else each
        for each in template.split("/")
    )


def not_reached(base_url: httpx.URL, call: Call, lost: Exception | None) -> NotReached:
    """Return the error of a call without an answer, with the id under which to send it again."""
    # An address may contain a name and a password, which no message shows.
    address = str(base_url.copy_with(userinfo=b"")).rstrip("/")
    error = NotReached(f"no answer to {call.method} {address}{call.path}: {lost}")
    error.idempotency_key = call.idempotency_key
    return error


def checked(response: httpx.Response) -> httpx.Response:
    """Return a response that succeeded; raises the error of any other."""
    if not response.is_success:
        raise error_of(response)
    return response


def decoded(response: httpx.Response, reply: Any) -> Any:
    """Return the reply; members that this version does not know are left out."""
    # Amounts in what has no type of its own, such as rows of reports, are exact too.
    decoder = msgspec.json.Decoder(reply, float_hook=Decimal)
    return decoder.decode(checked(response).content)


def _pairs(query: Mapping[str, Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in query.items():
        values = cast("list[Any]", value) if isinstance(value, list | tuple) else [value]
        found += [(name, _text(each)) for each in values if each is not None]
    return found


def _text(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.isoformat()
        case _:
            return str(value)
