"""Simulated Sumsub, by what its documentation says; each rule names its page of docs.sumsub.com.

What the documentation does not say is a made-up value here, and decides nothing in the adapter: the
status of an error about a name that is taken, for one.
"""

import asyncio
import hmac
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

# github.com/SumSubstance/AppTokenUsageExamples has tokens of Sandbox mode by their beginning.
TOKEN, SANDBOX_TOKEN = "prd:simulated-token", "sbx:simulated-token"
KEY, WEBHOOK_SECRET = "simulated-secret-key", "simulated-webhook-secret"
SHARE_TOKEN = "_act-jwt-simulated"
LEVELS = {"basic-kyc level": "individual", "basic-kyb": "company"}
SILENCE_S = 60
_CLOCK_S = 300

_Handler = Callable[[web.Request, bytes], Awaitable[web.Response]]


@dataclass
class SimulatedApplicant:
    """An applicant. `content` is what was sent to create it."""

    id: str
    external_user_id: str
    level: str
    content: dict[str, Any]
    metadata: list[dict[str, Any]]
    review: dict[str, Any] = field(default_factory=lambda: {"reviewStatus": "init"})

    def shown(self) -> dict[str, Any]:
        """Return the profile. Source: reference/get-applicant-data."""
        return {
            "id": self.id,
            "createdAt": "2026-11-01 10:00:00",
            "clientId": "ExampleClient",
            "inspectionId": f"{self.id}i",
            "externalUserId": self.external_user_id,
            "type": self.content.get("type", "individual"),
            "fixedInfo": self.content.get("fixedInfo", {}),
            "metadata": self.metadata,
            "review": {"reviewId": "a1", "levelName": self.level, **self.review},
        }


@dataclass
class SimulatedSumsub:
    """Sumsub with its faults. `silent` and `broken` are names of calls that are done before."""

    silent: set[str] = field(default_factory=set[str])
    broken: set[str] = field(default_factory=set[str])
    # Status and code of an error in place of what a call does, by the name of the call.
    refuses: dict[str, tuple[int, int | None]] = field(
        default_factory=dict[str, tuple[int, int | None]]
    )
    # What a profile has otherwise than it is.
    lies: dict[str, Any] = field(default_factory=dict[str, Any])
    garbled: dict[str, bytes] = field(default_factory=dict[str, bytes])
    link: str = "https://in.sumsub.example/websdk/p/simulated"
    # The review of whoever is made by a share token; docs/reusable-kyc-via-api has these cases.
    reused_review: dict[str, Any] = field(default_factory=lambda: {"reviewStatus": "init"})
    loses_metadata: bool = False
    hidden_queries: int = 0
    applicants: dict[str, SimulatedApplicant] = field(default_factory=dict[str, SimulatedApplicant])
    links: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    calls: Counter[str] = field(default_factory=Counter[str])
    requests: list[str] = field(default_factory=list[str])

    def app(self) -> web.Application:
        """Return the server. Paths: reference, the pages at each call."""
        app = web.Application()
        router, applicants = app.router, "/resources/applicants"
        router.add_post(applicants, self._named("create", self._create))
        router.add_patch(applicants, self._named("change", self._change))
        router.add_get(
            f"{applicants}/-/byExternalUserId/{{key}}", self._named("exists", self._exists)
        )
        router.add_get(f"{applicants}/{{id}}/one", self._named("get", self._get))
        router.add_post(
            f"{applicants}/{{id}}/status/testCompleted", self._named("simulate", self._simulate)
        )
        router.add_post("/resources/api/reusableIdentity/reuse", self._named("reuse", self._reuse))
        router.add_post(
            "/resources/sdkIntegrations/levels/-/websdkLink", self._named("link", self._link)
        )
        return app

    def only(self) -> SimulatedApplicant:
        """Return the one applicant that was created."""
        (applicant,) = self.applicants.values()
        return applicant

    def review(self, answer: str, reject_type: str | None = None, *labels: str) -> None:
        """Complete the review of the one applicant, with comments that nobody may see."""
        result: dict[str, Any] = {"reviewAnswer": answer, "rejectLabels": list(labels)}
        if reject_type is not None:
            result |= {
                "reviewRejectType": reject_type,
                "moderationComment": "Comment-Marker",
                "clientComment": "Comment-Marker",
            }
        self.only().review = {"reviewStatus": "completed", "reviewResult": result}

    def _named(
        self, name: str, handler: _Handler
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            body = await request.read()
            self.calls[name] += 1
            self.requests.append(f"{request.method} {request.raw_path} {body.decode()}")
            if not _is_signed(request, body):
                # reference/generate-websdk-external-link has this error.
                return _error(401, 4003, "Request signature mismatch")
            if name in self.refuses:
                return _error(*self.refuses[name])
            answer = await handler(request, body)
            if name in self.silent:
                await asyncio.sleep(SILENCE_S)
            if name in self.broken:
                return _error(500)
            if name in self.garbled:
                return web.Response(body=self.garbled[name], content_type="application/json")
            return answer

        return handle

    async def _create(self, request: web.Request, body: bytes) -> web.Response:
        """Create an applicant. Source: reference/create-applicant."""
        content, level = json.loads(body), request.query.get("levelName", "")
        if LEVELS.get(level) != content.get("type", "individual"):
            return _error(404)
        if content["externalUserId"] in self.applicants:
            return _error(409)
        made = self._add(content["externalUserId"], level, content)
        return web.json_response(made.shown(), status=201)

    async def _reuse(self, request: web.Request, body: bytes) -> web.Response:
        """Create one by a share token. Source: reference/reuse-applicant-for-reusable-kyc."""
        assert body == b""
        query = request.query
        if query["shareToken"] != SHARE_TOKEN:
            return _error(401, None, "Token is invalid: Token is invalid now")
        if query["userId"] in self.applicants:
            return _error(409)
        made = self._add(query["userId"], query["levelName"], {})
        made.review = dict(self.reused_review)
        return web.json_response(made.shown())

    async def _change(self, _request: web.Request, body: bytes) -> web.Response:
        """Change a profile; metadata is replaced. Source: reference/change-profile-data-details."""
        content = json.loads(body)
        (found,) = [each for each in self.applicants.values() if each.id == content["id"]]
        if not self.loses_metadata:
            found.metadata = content["metadata"]
        return web.json_response(found.shown())

    async def _exists(self, request: web.Request, _body: bytes) -> web.Response:
        """Source: reference/check-applicant-existence-by-externaluserid."""
        found = self.applicants.get(request.match_info["key"])
        if found is not None and self.hidden_queries > 0:
            self.hidden_queries -= 1
            found = None
        if found is None:
            return web.json_response({"exists": False})
        return web.json_response({"exists": True, "applicant": {"id": found.id}})

    async def _get(self, request: web.Request, _body: bytes) -> web.Response:
        """Source: reference/get-applicant-data."""
        found = self._by_id(request)
        return web.json_response({**found.shown(), **self.lies})

    async def _link(self, _request: web.Request, body: bytes) -> web.Response:
        """Source: reference/generate-websdk-external-link."""
        self.links.append(json.loads(body))
        return web.json_response({"url": self.link})

    async def _simulate(self, request: web.Request, body: bytes) -> web.Response:
        """Source: reference/simulate-review-response-in-sandbox."""
        if request.headers["X-App-Token"] != SANDBOX_TOKEN:
            return _error(400, None, "This method is only supported on sandbox env")
        result = json.loads(body)
        self._by_id(request).review = {"reviewStatus": "completed", "reviewResult": result}
        return web.json_response({"ok": 1})

    def _add(self, key: str, level: str, content: dict[str, Any]) -> SimulatedApplicant:
        # 24 digits and letters. Source: reference/get-applicant-data.
        name = f"{len(self.applicants) + 1:024x}"
        made = SimulatedApplicant(name, key, level, content, content.get("metadata", []))
        self.applicants[key] = made
        return made

    def _by_id(self, request: web.Request) -> SimulatedApplicant:
        name = request.match_info["id"]
        (found,) = [each for each in self.applicants.values() if each.id == name]
        return found


def webhook(
    key: str, *, secret: str = WEBHOOK_SECRET, algorithm: str = "sha256", **changes: Any
) -> tuple[bytes, Mapping[str, str]]:
    """Return body and headers of a webhook. Source: docs/user-verification-webhooks."""
    body = json.dumps(
        {
            "applicantId": "5cb56e8e0a975a35f333cb83",
            "correlationId": "req-1",
            "externalUserId": key,
            "levelName": "basic-kyc level",
            "type": "applicantReviewed",
            "reviewResult": {"reviewAnswer": "GREEN"},
            "reviewStatus": "completed",
            "createdAtMs": "2026-11-01 10:00:00.000",
            **changes,
        }
    ).encode()
    return body, {
        "x-payload-digest": hmac.digest(secret.encode(), body, algorithm).hex(),
        "x-payload-digest-alg": f"HMAC_{algorithm.upper()}_HEX",
    }


def _is_signed(request: web.Request, body: bytes) -> bool:
    """Source: reference/authentication."""
    at_s = request.headers.get("X-App-Access-Ts", "")
    signed = f"{at_s}{request.method}{request.raw_path}".encode() + body
    expected = hmac.digest(KEY.encode(), signed, "sha256").hex()
    return (
        request.headers.get("X-App-Token") in {TOKEN, SANDBOX_TOKEN}
        and request.headers.get("X-App-Access-Sig") == expected
        and abs(time.time() - int(at_s)) < _CLOCK_S
    )


def _error(status: int, code: int | None = None, text: str = "Error-Marker") -> web.Response:
    """Source: reference/review-api-health."""
    content: dict[str, Any] = {"description": text, "code": status, "correlationId": "req-1"}
    if code is not None:
        content |= {"errorCode": code, "errorName": "simulated"}
    return web.json_response(content, status=status)
