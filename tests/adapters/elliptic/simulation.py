"""Simulated Elliptic, by what its documentation says; each rule names its page or schema.

The schemas are those of the OpenAPI document "AML API V2" of developers.elliptic.co. What it does
not say is a fault here that a test chooses: a list that lags, and an analysis that is doubled.
"""

import asyncio
import base64
import hashlib
import hmac
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

import msgspec
from aiohttp import web

API_KEY, API_SECRET = "simulated-api-key", "c2ltdWxhdGVkLXNlY3JldC1vZi1hLXRlc3Q="
DARK_MARKET = "0a52f7a2-5da8-4256-b230-df0da6f8449b"
SILENCE_S = 60
_SPACE = UUID("b7535048-76f8-4f60-bdd3-9d659298f9e7")
# Seconds by which a signature may be old: the documentation does not say how many.
_TOLERANCE_S = 60


@dataclass
class SimulatedAnalysis:
    """An analysis of `service`, `wallet` or `analyses`; `status` as in `process_status`."""

    id: str
    service: str
    order: dict[str, Any]
    status: str
    score: float | None
    is_predictive: bool
    created_at: str
    screenings: int = 1


@dataclass
class SimulatedElliptic:
    """Elliptic with its faults. `scores` are of all subjects that it knows, by their hash.

    `silent` and `broken` are names of calls that are done before; `limited` ones are not done.
    """

    scores: dict[str, float | None] = field(default_factory=dict[str, float | None])
    sanctioned: set[str] = field(default_factory=set[str])
    statuses: list[str] = field(default_factory=list[str])
    predictive: set[str] = field(default_factory=set[str])
    assets: list[str] | None = None
    silent: set[str] = field(default_factory=set[str])
    broken: set[str] = field(default_factory=set[str])
    limited: set[str] = field(default_factory=set[str])
    # Status and body of an error in place of an analysis.
    error: tuple[int, dict[str, str]] | None = None
    # What an analysis says otherwise than it is; a member that is `...` is left out.
    lies: dict[str, Any] = field(default_factory=dict[str, Any])
    garbled: bytes | None = None
    lagging_lists: int = 0
    is_doubling: bool = False
    analyses: list[SimulatedAnalysis] = field(default_factory=list[SimulatedAnalysis])
    calls: Counter[str] = field(default_factory=Counter[str])

    def app(self) -> web.Application:
        """Return the server, with the paths of the document."""
        app = web.Application()
        for service in ("wallet", "analyses"):
            app.router.add_post(f"/v2/{service}/synchronous", self._answer)
            app.router.add_get(f"/v2/{service}", self._answer)
            app.router.add_get(f"/v2/{service}/{{id}}", self._answer)
        return app

    def only(self) -> SimulatedAnalysis:
        """Return the one analysis that was made."""
        (analysis,) = self.analyses
        return analysis

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.read()
        service = request.path.split("/")[2]
        name = "list"
        if request.method == "POST":
            name = "analyse"
        elif "id" in request.match_info:
            name = "get"
        self.calls[name] += 1
        if not _is_signed(request, body):
            return web.json_response("Unauthorized", status=401)
        if name in self.limited:
            return _error(429, "TooManyRequestsError")
        if name == "analyse":
            answer = self._analyse(service, msgspec.json.decode(body))
        elif name == "get":
            answer = self._get(service, request.match_info["id"])
        else:
            answer = self._list(service, request.query)
        if name in self.silent:
            await asyncio.sleep(SILENCE_S)
        if name in self.broken:
            return _error(500, "GenericErrorName")
        if name != "list" and self.garbled is not None:
            return web.Response(body=self.garbled, content_type="application/json")
        return answer

    def _analyse(self, service: str, order: dict[str, Any]) -> web.Response:
        """Analyse a subject (`WalletRequestSingle`, `TransactionAnalysisRequestSingle`)."""
        subject = order["subject"]
        if self.error is not None:
            return web.json_response(self.error[1], status=self.error[0])
        if not order.get("customer_reference") or subject["asset"] != "holistic":
            return _error(400, "BadRequestError")
        if subject["hash"] not in self.scores:
            # The response `NotInBlockchain`.
            return _error(404, "NotInBlockchain")
        return self._shown(self._analysis(service, order))

    def _analysis(self, service: str, order: dict[str, Any]) -> SimulatedAnalysis:
        """Return a new analysis, or the one of the same hash and customer, made again.

        Source: help.elliptic.co/en/articles/6930102-risk-score-change.
        """
        subject = order["subject"]
        made = SimulatedAnalysis(
            id=str(uuid5(_SPACE, f"{service} {len(self.analyses)}")),
            service=service,
            order=order,
            status=self.statuses.pop(0) if self.statuses else "complete",
            score=self.scores[subject["hash"]],
            is_predictive=subject["hash"] in self.predictive,
            created_at=f"2026-01-02T10:00:00.{len(self.analyses):03}Z",
        )
        known = [each for each in self.analyses if each.order == order]
        if not known or self.is_doubling:
            self.analyses.append(made)
            return made
        again = known[0]
        again.status, again.score, again.is_predictive = made.status, made.score, made.is_predictive
        again.screenings += 1
        return again

    def _get(self, service: str, analysis_id: str) -> web.Response:
        """Return an analysis by its id."""
        for each in self.analyses:
            if (each.service, each.id) == (service, analysis_id):
                return self._shown(each)
        return _error(404, "NotFoundError")

    def _list(self, service: str, query: Any) -> web.Response:
        """Return a page of analyses, by their customers' references."""
        assert query["sort"] in {"wallet": {"analysed_at"}, "analyses": {"created_at"}}[service]
        part, per_page = query["customer_reference_contains"], int(query["per_page"])
        found = [
            each
            for each in self.analyses
            if each.service == service and part in each.order["customer_reference"]
        ]
        if found and self.lagging_lists > 0:
            self.lagging_lists -= 1
            found = []
        items = [{**_about(each), "risk_score": each.score} for each in found[:per_page]]
        return web.json_response(
            {
                "page": 1,
                "per_page": per_page,
                "total_pages": -(-len(found) // per_page),
                "total_items": len(found),
                "items": items,
            }
        )

    def _shown(self, analysis: SimulatedAnalysis) -> web.Response:
        """Return an analysis as `WalletAnalysisResponse` or `TransactionAnalysisSingleResponse`."""
        is_complete = analysis.status == "complete"
        rules = self._rules(analysis) if is_complete and analysis.score is not None else []
        shown: dict[str, Any] = {
            **_about(analysis),
            "risk_score": analysis.score if is_complete else None,
            "evaluation_detail": rules,
        }
        if analysis.service == "wallet":
            shown["evaluation_detail"] = {"source": [], "destination": rules}
        else:
            ours = ["USDC/polygon", "MATIC/polygon"]
            shown["asset_list"] = ours if self.assets is None else self.assets
            shown["predictive"] = analysis.is_predictive
        shown = {name: value for name, value in {**shown, **self.lies}.items() if value is not ...}
        return web.json_response(shown)

    def _rules(self, analysis: SimulatedAnalysis) -> list[dict[str, Any]]:
        """Return the rules that were triggered (`EvaluationDetail`, `MatchedElement`)."""
        is_sanctioned = analysis.order["subject"]["hash"] in self.sanctioned
        contribution: dict[str, Any] = {
            "entity": "The name of an entity",
            "entity_id": DARK_MARKET,
            "risk_triggers": {"name": "A name", "is_sanctioned": is_sanctioned, "country": []},
        }
        element: dict[str, Any] = {
            "category": "Dark Market",
            "category_id": DARK_MARKET,
            "contribution_percentage": 50,
            "contribution_value": {"usd": 383.83838},
            "contributions": [contribution],
        }
        rule: dict[str, Any] = {
            "rule_id": str(_SPACE),
            "rule_name": "Illict",
            "risk_score": analysis.score,
            "matched_elements": [element],
        }
        return [rule]


def _about(analysis: SimulatedAnalysis) -> dict[str, Any]:
    """Return the members that lists have too."""
    return {
        "id": analysis.id,
        "type": analysis.order["type"],
        "subject": analysis.order["subject"],
        "customer": {"id": str(_SPACE), "reference": analysis.order["customer_reference"]},
        "created_at": analysis.created_at,
        "process_status": analysis.status,
        "error": {"message": "A text"} if analysis.status == "error" else None,
    }


def _is_signed(request: web.Request, body: bytes) -> bool:
    """Return whether the headers are those of developers.elliptic.co/docs/authentication."""
    at_ms = request.headers.get("x-access-timestamp", "0")
    text = f"{at_ms}{request.method}{request.path_qs.lower()}".encode() + (body or b"{}")
    signature = hmac.digest(base64.b64decode(API_SECRET), text, hashlib.sha256)
    return (
        request.headers.get("x-access-key") == API_KEY
        and request.headers.get("x-access-sign") == base64.b64encode(signature).decode()
        and abs(int(at_ms) / 1_000 - time.time()) < _TOLERANCE_S
    )


def _error(status: int, name: str) -> web.Response:
    """Return an error, which has its name and a message."""
    return web.json_response({"name": name, "message": "A text"}, status=status)
