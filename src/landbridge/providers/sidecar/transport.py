"""Transport of one sidecar's calls: signs each request, and verifies each answer.

Guarantees:
- an answer counts only if it is signed for this request, and within its bounds;
- `NothingDone` is raised only if no connection was made, or the sidecar has confirmed it;
- no error contains a value that the sidecar sent.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import wraps
from http import HTTPStatus
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

import msgspec

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unavailable, Unclear
from landbridge.platform.http.egress import Egress, EgressExchange
from landbridge.providers.sidecar.configuration import SidecarSettings
from landbridge.providers.sidecar.model import AnswerUnusable, NothingDone, OrderProblem
from landbridge.providers.sidecar.protocol import ErrorCode, SidecarError
from landbridge.providers.sidecar.signing import (
    SIGNATURE_HEADER,
    SignatureInvalid,
    SignedPurpose,
    sign,
    verify,
)

# Maximum bytes of an answer; usual are a few hundred. A page of credits has a limit of its own.
_BYTES_MAX = 64 * 1024
_CONNECTIONS = 32
_S = TypeVar("_S", bound=msgspec.Struct)
P = ParamSpec("P")
R = TypeVar("R")


class SidecarTransport:
    """Transport of one sidecar's calls."""

    def __init__(self, settings: SidecarSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._egress = Egress.for_operator(
            is_plain=not settings.url.startswith("https://"), connections=_CONNECTIONS
        )

    @property
    def name(self) -> str:
        """Return the provider's name in the providers file."""
        return self._settings.name

    async def close(self) -> None:
        """Close idle connections."""
        await self._egress.close()

    def counting(self) -> AbstractAsyncContextManager[None]:
        """Return a context that counts the call made in it; this client does not count."""
        return nullcontext()

    async def _address(self) -> str:
        """Return the sidecar's URL; raises `NothingDone`."""
        return self._settings.url

    async def _call(
        self, path: str, message: msgspec.Struct, *, bytes_max: int = _BYTES_MAX
    ) -> tuple[int, bytes]:
        """Send a message; return status and body of the verified answer."""
        address, body = await self._address(), msgspec.json.encode(message)
        at_s = int(self._clock.now().timestamp())
        key = self._settings.keys[0]
        headers = sign(key, SignedPurpose.REQUEST, f"POST {path}", body, at_s=at_s)
        found = await self._egress.exchange(
            f"{address}{path}",
            body=body,
            headers={
                "content-type": "application/json",
                "user-agent": "Landbridge/1",
                **headers,
            },
            timeout_s=self._settings.timeout_s,
            bytes_max=bytes_max,
        )
        if found.is_unsent:
            raise NothingDone(f"provider {self.name}: {found.error}", is_unsent=True)
        if found.status is None:
            raise Unclear(f"provider {self.name}: {found.error}")
        self._verify(found, found.status, headers[SIGNATURE_HEADER])
        return found.status, found.content

    def _verify(self, found: EgressExchange, status: int, request_signature: str) -> None:
        try:
            verify(
                self._settings.keys,
                found.headers,
                SignedPurpose.ANSWER,
                f"{status} {request_signature}",
                found.content,
                at_s=int(self._clock.now().timestamp()),
            )
        except SignatureInvalid as invalid:
            raise self._unusable(f"HTTP status {status}, not validly signed: {invalid}") from None

    def _check_key(self, answered: UUID, key: UUID) -> None:
        if answered != key:
            raise self._unusable("something about another key")

    def _decoded(self, body: bytes, kind: type[_S]) -> _S:
        try:
            return msgspec.json.decode(body, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise self._unusable(f"no valid {kind.__name__}") from None

    def _check_answered(self, status: int, *, unavailable: str = "can't say now") -> None:
        """Raise `Unavailable` if the sidecar answers so, and `AnswerUnusable` for other errors."""
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            raise Unavailable(f"provider {self.name} {unavailable}")
        if status != HTTPStatus.OK:
            raise self._unusable(f"HTTP status {status}")

    def _check_conflict(self, status: int, what: str) -> None:
        """Raise `AnswerUnusable` if the sidecar has something else under our key."""
        if status == HTTPStatus.CONFLICT:
            raise AnswerUnusable(OrderProblem.KEY_CONFLICT, f"provider {self.name} has {what}")

    def _check_unknown(self, status: int, body: bytes) -> None:
        """Raise `AnswerUnusable` unless this 404 says that the key is unknown."""
        if self._decoded(body, SidecarError).code is not ErrorCode.UNKNOWN_KEY:
            raise self._unusable(f"HTTP status {status}")

    def _unusable(self, what: str) -> AnswerUnusable:
        return AnswerUnusable(OrderProblem.ANSWER_INVALID, f"provider {self.name} answered {what}")


C = TypeVar("C", bound=SidecarTransport)


def counted_call(
    call: "Callable[Concatenate[C, P], CoroutineType[Any, Any, R]]",
) -> "Callable[Concatenate[C, P], CoroutineType[Any, Any, R]]":
    """Decorate a call, so that clients which count their calls count it."""

    @wraps(call)
    async def counted_method(client: C, *args: P.args, **kwargs: P.kwargs) -> R:
        async with client.counting():
            return await call(client, *args, **kwargs)

    return counted_method
