"""Client of Elliptic's AML API, version 2: signed requests, and what their answers mean.

Sources: developers.elliptic.co/docs/authentication, /docs/copy-of-conventions-and-limits, and the
OpenAPI document "AML API V2", which is named by the path of each call.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from landbridge.providers.packages.http_client import NoAnswer, ProviderAnswer, ProviderHttp
from landbridge.providers.packages.interface import NotDone
from landbridge_elliptic.messages import EllipticAnalysis, EllipticListed
from landbridge_elliptic.settings import EllipticSettings

# An analysis lists each contribution to a wallet; those of exchanges have thousands.
_BYTES_MAX = 16 * 1024 * 1024
_PER_PAGE = 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_OK, _NOT_FOUND = 200, 404
# Keys, permissions and the limit of requests: nothing was analysed.
_NOT_TAKEN = frozenset({401, 403, 429})
_NOT_IN_BLOCKCHAIN = "NotInBlockchain"

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class EllipticService:
    """Kind of analyses: of an address, or of an output of a transaction.

    By `sort` a list begins with the oldest.
    """

    path: str
    sort: str


WALLETS = EllipticService("/v2/wallet", "analysed_at")
TRANSACTIONS = EllipticService("/v2/analyses", "created_at")


class EllipticPage(msgspec.Struct, frozen=True):
    """First page of a list."""

    items: tuple[EllipticListed, ...]


class EllipticError(msgspec.Struct, frozen=True):
    """Error: `name` is for programs, the message is for people."""

    name: str


class EllipticApi:
    """Calls of the API. All raise `NotDone` and `NoAnswer`."""

    def __init__(self, settings: EllipticSettings, now: Callable[[], datetime]) -> None:
        self._settings = settings
        self._now = now
        self._http = ProviderHttp(
            settings.options.base_url,
            timeout_s=settings.options.timeout_s,
            headers={"x-access-key": settings.api_key},
            sign=self._sign,
            bytes_max=_BYTES_MAX,
        )

    async def close(self) -> None:
        """Close idle connections."""
        await self._http.close()

    async def analyse(
        self, service: EllipticService, body: Mapping[str, Any]
    ) -> EllipticAnalysis | None:
        """Have a subject analysed, and return the result; None if Elliptic knows no such subject.

        What was analysed for the same customer before is analysed again, and stays one analysis.
        Source: help.elliptic.co/en/articles/6930102-risk-score-change.
        """
        answer = await self._http.post(f"{service.path}/synchronous", body)
        if answer.status == _NOT_FOUND and answer.read(EllipticError).name == _NOT_IN_BLOCKCHAIN:
            return None
        return _read(answer, EllipticAnalysis)

    async def get(self, service: EllipticService, analysis_id: UUID) -> EllipticAnalysis:
        """Return an analysis."""
        return _read(await self._http.get(f"{service.path}/{analysis_id}"), EllipticAnalysis)

    async def find(self, service: EllipticService, reference: str) -> tuple[EllipticListed, ...]:
        """Return analyses of customers with a reference that has this text, the oldest first."""
        query = {
            "customer_reference_contains": reference,
            "per_page": str(_PER_PAGE),
            "sort": service.sort,
        }
        return _read(await self._http.get(service.path, query), EllipticPage).items

    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        at_ms = (self._now() - _EPOCH) // _MS
        signature = sign_request(self._settings.api_secret, at_ms, method, target, body or None)
        return {"x-access-timestamp": str(at_ms), "x-access-sign": signature}


def sign_request(secret: bytes, at_ms: int, method: str, path: str, body: bytes | None) -> str:
    """Return the signature of a request; `path` has its query. Source: docs/authentication."""
    text = f"{at_ms}{method}{path.lower()}".encode() + (b"{}" if body is None else body)
    return base64.b64encode(hmac.digest(secret, text, hashlib.sha256)).decode()


def _read(answer: ProviderAnswer, kind: type[_T]) -> _T:
    if answer.status == _OK:
        return answer.read(kind)
    if answer.status in _NOT_TAKEN:
        raise NotDone(f"Elliptic answered with status {answer.status}")
    raise NoAnswer(f"Elliptic answered with status {answer.status}")
