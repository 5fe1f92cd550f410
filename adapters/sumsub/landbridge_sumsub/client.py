"""Client of the Sumsub API: an answer, a refusal by its status and code, or no answer.

Sources: docs.sumsub.com/reference/authentication, /review-api-health (errors), and the page that
each call names.
"""

import hmac
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar
from uuid import UUID

import msgspec

from landbridge.providers.packages.http_client import (
    NoAnswer,
    ProviderAnswer,
    ProviderHttp,
    path_segment,
)
from landbridge_sumsub.messages import SumsubApplicant
from landbridge_sumsub.settings import SumsubSettings

# Keys, permissions and limits: the request was not taken, and can be sent again.
UNAUTHORIZED = 401
NOT_TAKEN = frozenset({UNAUTHORIZED, 403, 429})
_OK, _REDIRECTS, _ERRORS, _SERVER_ERRORS = 200, 300, 400, 500

_T = TypeVar("_T")


class SumsubExistence(msgspec.Struct, frozen=True):
    """Whether there is an applicant. Source: reference/check-applicant-existence-by-..."""

    exists: bool
    applicant: msgspec.Raw = msgspec.Raw(b"null")


class SumsubIdentifier(msgspec.Struct, frozen=True):
    """Sumsub's own name for an applicant."""

    id: str


class SumsubLink(msgspec.Struct, frozen=True):
    """Address of the page for one applicant. Source: reference/generate-websdk-external-link."""

    url: str


class SumsubDone(msgspec.Struct, frozen=True):
    """Answer to a call that returns nothing which is read."""


class SumsubError(msgspec.Struct, frozen=True, rename="camel"):
    """Error. Its description is for people, and may have anything in it: it is not read."""

    error_code: int | None = None


class SumsubRefusal(Exception):
    """Sumsub refused a request, with this status; the code says why, if there is one."""

    def __init__(self, status: int, error_code: int | None) -> None:
        self.status = status
        self.error_code = error_code
        super().__init__(f"status {status}, code {error_code}")


class SumsubApi:
    """Calls of the API. All raise `SumsubRefusal`, `NotDone` and `NoAnswer`."""

    def __init__(self, settings: SumsubSettings, now_s: Callable[[], int]) -> None:
        self._settings = settings
        self._now_s = now_s
        self._http = ProviderHttp(
            settings.options.base_url,
            timeout_s=settings.options.timeout_s,
            headers={"X-App-Token": settings.app_token},
            sign=self._sign,
        )

    async def close(self) -> None:
        """Close idle connections."""
        await self._http.close()

    async def find(self, key: UUID) -> SumsubApplicant | None:
        """Return the applicant of a key; None only if Sumsub says that there is none.

        Sources: reference/check-applicant-existence-by-externaluserid and /get-applicant-data.
        """
        path = f"/resources/applicants/-/byExternalUserId/{key}"
        found = _read(await self._http.get(path), SumsubExistence)
        if not found.exists:
            return None
        try:
            name = msgspec.json.decode(found.applicant, type=SumsubIdentifier)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise NoAnswer("an applicant exists, and has no name") from None
        path = f"/resources/applicants/{path_segment(name.id)}/one"
        applicant = _read(await self._http.get(path), SumsubApplicant)
        if (applicant.id, applicant.external_user_id) != (name.id, str(key)):
            raise NoAnswer("the answer is about another applicant")
        return applicant

    async def create(self, level: str, body: Mapping[str, Any]) -> None:
        """Create an applicant. Source: reference/create-applicant."""
        await self._send("POST", "/resources/applicants", {"levelName": level}, body)

    async def reuse(self, key: UUID, level: str, share_token: str) -> None:
        """Create an applicant from what another client of Sumsub has verified.

        Sources: reference/reuse-applicant-for-reusable-kyc, and github.com/sumsub/agent-skills
        (sumsub-integrate-id-connect) for `userId`.
        """
        query = {"shareToken": share_token, "levelName": level, "userId": str(key)}
        await self._send("POST", "/resources/api/reusableIdentity/reuse", query)

    async def set_metadata(self, applicant: SumsubApplicant, items: Mapping[str, str]) -> None:
        """Set items of an applicant's metadata. Source: reference/change-profile-data-details."""
        body = {"id": applicant.id, "metadata": applicant.metadata_with(items)}
        await self._send("PATCH", "/resources/applicants", {}, body)

    async def link(self, key: UUID, level: str, ttl_s: int) -> str:
        """Return an address of the page. Source: reference/generate-websdk-external-link."""
        path = "/resources/sdkIntegrations/levels/-/websdkLink"
        body = {"levelName": level, "userId": str(key), "ttlInSecs": ttl_s}
        return _read(await self._http.post(path, body), SumsubLink).url

    async def simulate(self, applicant: SumsubApplicant, result: Mapping[str, Any]) -> None:
        """Have the sandbox review an applicant. Source: reference/simulate-review-response-..."""
        path = f"/resources/applicants/{path_segment(applicant.id)}/status/testCompleted"
        await self._send("POST", path, {}, result)

    async def _send(
        self,
        method: Literal["POST", "PATCH"],
        path: str,
        query: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
    ) -> None:
        encoded = None if body is None else msgspec.json.encode(body)
        answer = await self._http.send(method, path, query=query, body=encoded)
        _read(answer, SumsubDone)

    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        """Sign a request. Source: reference/authentication."""
        at_s = str(self._now_s())
        signed = f"{at_s}{method}{target}".encode() + body
        signature = hmac.digest(self._settings.secret_key.encode(), signed, "sha256").hex()
        return {"X-App-Access-Ts": at_s, "X-App-Access-Sig": signature}


def _read(answer: ProviderAnswer, kind: type[_T]) -> _T:
    status = answer.status
    if _OK <= status < _REDIRECTS:
        return answer.read(kind)
    if _ERRORS <= status < _SERVER_ERRORS:
        raise SumsubRefusal(status, answer.read(SumsubError).error_code)
    raise NoAnswer(f"Sumsub answered with status {status}")
