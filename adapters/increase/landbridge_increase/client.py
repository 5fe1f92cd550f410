"""Client of the Increase API: an answer, a refusal by the type of its error, or no answer.

Sources: increase.com/documentation/errors and /idempotency-keys.
"""

from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from landbridge.providers.packages.http_client import NoAnswer, ProviderAnswer, ProviderHttp
from landbridge_increase.settings import IncreaseSettings

KEY_USED = "idempotency_key_already_used_error"
NOT_FOUND = "object_not_found_error"
INVALID_OPERATION = "invalid_operation_error"
INVALID_PARAMETERS = "invalid_parameters_error"
# The request was not taken: of the operator's own making, or to be sent again later.
NOT_TAKEN = frozenset(
    {
        "api_method_not_found_error",
        "environment_mismatch_error",
        "insufficient_permissions_error",
        "invalid_api_key_error",
        "malformed_request_error",
        "private_feature_error",
        "rate_limited_error",
        NOT_FOUND,
    }
)
_OK, _REDIRECTS, _ERRORS, _SERVER_ERRORS = 200, 300, 400, 500

_T = TypeVar("_T")


class IncreasePage(msgspec.Struct, frozen=True, kw_only=True):
    """Page of a list. `next_cursor` is null on the last one."""

    data: tuple[msgspec.Raw, ...]
    next_cursor: str | None

    def read(self, kind: type[_T]) -> tuple[_T, ...]:
        """Return the objects of the page; raises `NoAnswer`."""
        try:
            return tuple(msgspec.json.decode(each, type=kind) for each in self.data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise NoAnswer(f"an object of a list is no valid {kind.__name__}") from None


class IncreaseError(msgspec.Struct, frozen=True):
    """Error, as RFC 9457 says: `type` is for programs, the other members are for people."""

    type: str


class IncreaseRefusal(Exception):
    """Increase refused a request: it says by the type of the error why."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        super().__init__(kind)


class IncreaseApi:
    """Calls of the API. All raise `IncreaseRefusal`, `NotDone` and `NoAnswer`."""

    def __init__(self, settings: IncreaseSettings) -> None:
        self._http = ProviderHttp(
            settings.options.base_url,
            timeout_s=settings.options.timeout_s,
            headers={"Authorization": f"Bearer {settings.api_key}"},
        )

    async def close(self) -> None:
        """Close idle connections."""
        await self._http.close()

    async def create(self, path: str, body: Mapping[str, Any], kind: type[_T], *, key: UUID) -> _T:
        """Create an object once per key, and return it."""
        answer = await self._http.post(path, body, headers={"Idempotency-Key": str(key)})
        return _read(answer, kind)

    async def act(self, path: str, body: Mapping[str, Any], kind: type[_T]) -> _T:
        """Act on an object, and return it: its state says whether that was done."""
        return _read(await self._http.post(path, body), kind)

    async def get(self, path: str, kind: type[_T]) -> _T:
        """Return an object."""
        return _read(await self._http.get(path), kind)

    async def page(self, path: str, query: Mapping[str, str]) -> IncreasePage:
        """Return a page of a list."""
        return _read(await self._http.get(path, query), IncreasePage)

    async def find(self, path: str, key: UUID, kind: type[_T]) -> _T | None:
        """Return the object of a list that was created with this key, if there is one."""
        found = (await self.page(path, {"idempotency_key": str(key)})).read(kind)
        if len(found) > 1:
            raise NoAnswer("several objects have one idempotency key")
        return found[0] if found else None


def _read(answer: ProviderAnswer, kind: type[_T]) -> _T:
    status = answer.status
    if _OK <= status < _REDIRECTS:
        return answer.read(kind)
    if _ERRORS <= status < _SERVER_ERRORS:
        raise IncreaseRefusal(answer.read(IncreaseError).type)
    raise NoAnswer(f"Increase answered with status {status}")
