"""Simulated EBANX, by what its documentation says; each rule names its page of docs.ebanx.com.

What the documentation does not say is a made-up value here, and a setting of the adapter: `UNKNOWN`
as the error of a query about a reference that EBANX does not have, and whether payouts are open
until they are committed.
"""

import asyncio
import hashlib
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

KEY = "simulated-integration-key"
UNKNOWN = "SIM-UNKNOWN"
SILENCE_S = 60


@dataclass
class SimulatedPayout:
    """A payout. `form` is what was sent; `uid` is as in docs/payout/general/consultPayout."""

    form: dict[str, str]
    uid: str
    status: str
    at: float
    cancelled: dict[str, str] | None = None
    paid_date: str | None = None


@dataclass
class SimulatedEbanx:
    """EBANX with its faults. `silent` and `broken` are names of calls that are done before."""

    settles_after_s: float = 0.0
    is_open: bool = False
    is_never_committed: bool = False
    silent: set[str] = field(default_factory=set[str])
    broken: set[str] = field(default_factory=set[str])
    # Errors of orders, in place of a payout.
    error: str | None = None
    # What a query answers otherwise than it is.
    lies: dict[str, Any] = field(default_factory=dict[str, Any])
    garbled: bytes | None = None
    hidden_queries: int = 0
    payouts: dict[str, SimulatedPayout] = field(default_factory=dict[str, SimulatedPayout])
    calls: Counter[str] = field(default_factory=Counter[str])

    def app(self) -> web.Application:
        """Return the server. Paths: docs/payout/createPayout and docs/payout/general."""
        app = web.Application()
        for name in ("create", "retrieve", "commit"):
            app.router.add_post(f"/ws/payout/{name}", self._answer)
        return app

    def only(self) -> SimulatedPayout:
        """Return the one payout that was ordered."""
        (payout,) = self.payouts.values()
        return payout

    async def _answer(self, request: web.Request) -> web.Response:
        name = request.path.rpartition("/")[2]
        form = {key: str(value) for key, value in (await request.post()).items()}
        self.calls[name] += 1
        # docs/payout/createPayout/br/createPixPayoutBR: the key is a field of the body.
        if form.pop("integration_key", None) != KEY:
            return _error("authentication_error", "SIM-KEY", status=401)
        handler = {"create": self._create, "retrieve": self._retrieve, "commit": self._commit}
        answer = handler[name](form)
        if name in self.silent:
            await asyncio.sleep(SILENCE_S)
        if name in self.broken:
            return _error("api_error", "SIM-BROKEN", status=500)
        if name == "retrieve" and self.garbled is not None:
            return web.Response(body=self.garbled, content_type="application/json")
        return answer

    def _create(self, form: dict[str, str]) -> web.Response:
        """Order once per reference. Source: docs/payout/createPayout/payoutErrorCodes."""
        reference = form.get("external_reference", "")
        if self.error is not None:
            return _error("invalid_request_error", self.error)
        if not 6 <= len(reference) <= 40:
            return _error("invalid_request_error", "HP-CM-02")
        if reference in self.payouts:
            return _error("invalid_request_error", "HP-CM-03")
        if not form.get("amount"):
            return _error("invalid_request_error", "HP-CM-09")
        if form.get("country") == "br" and not form.get("target_account"):
            return _error("invalid_request_error", "HP-BR-02")
        payout = SimulatedPayout(
            form=form,
            uid=hashlib.sha256(reference.encode()).hexdigest()[:41],
            status="OP" if self.is_open else "PE",
            at=time.monotonic(),
        )
        self.payouts[reference] = payout
        answer = {"uid": payout.uid, "status": payout.status}
        return web.json_response({"type": "success", "payout": answer})

    def _retrieve(self, form: dict[str, str]) -> web.Response:
        """Query by reference or uid. Source: docs/payout/general/consultPayout."""
        found = self._find(form)
        if found is not None and self.hidden_queries > 0:
            self.hidden_queries -= 1
            found = None
        if found is None:
            return _error("invalid_request_error", UNKNOWN)
        if found.status == "PE" and time.monotonic() - found.at >= self.settles_after_s:
            found.status, found.paid_date = "PA", "2026-01-02 10:00:00"
        shown = {
            "uid": found.uid,
            "external_reference": found.form["external_reference"],
            "status": found.status,
            "paid_date": found.paid_date,
            "request_amount": found.form["amount"],
            "request_currency": found.form["currency_code"],
            **({"error": found.cancelled} if found.cancelled else {}),
            **self.lies,
        }
        return web.json_response({"type": "success", "payout": shown})

    def _commit(self, form: dict[str, str]) -> web.Response:
        """Commit an open payout. Source: ebanx-integration/ebanx-ruby, payout_commit.rb."""
        found = self._find(form)
        if found is None or found.status != "OP" or self.is_never_committed:
            return _error("request_error", "SIM-NOT-OPEN")
        found.status, found.at = "PE", time.monotonic()
        return web.json_response({"type": "success"})

    def _find(self, form: dict[str, str]) -> SimulatedPayout | None:
        if "uid" in form:
            return next((each for each in self.payouts.values() if each.uid == form["uid"]), None)
        return self.payouts.get(form.get("external_reference", ""))


def _error(kind: str, code: str, *, status: int = 400) -> web.Response:
    """Return an error object. Source: docs/payout/createPayout/payoutErrorCodes."""
    body = {"type": kind, "message": "A text", "status_code": code, "code": code}
    return web.json_response(body, status=status)
