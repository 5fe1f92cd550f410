"""Simulated Increase, by what its documentation says; each rule names its page.

Pages are under https://increase.com/documentation. What it does not say is made up here, and
decided by nothing but the settings of the adapter: `error` answers an order with any type of error.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web

from tests.adapters.increase.inbound import SimulatedInbound

KEY = "simulated-api-key"
SECRET = "simulated-webhook-secret"
SILENCE_S = 60
# api/ach-transfers, api/wire-transfers, api/real-time-payments-transfers, api/fednow-transfers.
TYPES = {
    "ach_transfers": "ach_transfer",
    "wire_transfers": "wire_transfer",
    "real_time_payments_transfers": "real_time_payments_transfer",
    "fednow_transfers": "fednow_transfer",
}
FIRST_STATUS = {
    "ach_transfers": "pending_submission",
    "wire_transfers": "pending_creating",
    "real_time_payments_transfers": "pending_submission",
    "fednow_transfers": "pending_submitting",
}
# The fields that a request must have, on the same pages.
REQUIRED = {
    "ach_transfers": {"account_id", "amount", "statement_descriptor"},
    "wire_transfers": {"account_id", "amount", "creditor", "remittance"},
    "real_time_payments_transfers": {
        "amount",
        "creditor_name",
        "source_account_number_id",
        "unstructured_remittance_information",
    },
    "fednow_transfers": {
        "account_id",
        "amount",
        "creditor_name",
        "debtor_name",
        "source_account_number_id",
        "unstructured_remittance_information",
    },
}
STATUSES = {
    "invalid_parameters_error": 400,
    "malformed_request_error": 400,
    "invalid_api_key_error": 401,
    "environment_mismatch_error": 403,
    "insufficient_permissions_error": 403,
    "private_feature_error": 403,
    "object_not_found_error": 404,
    "idempotency_key_already_used_error": 409,
    "invalid_operation_error": 409,
    "rate_limited_error": 429,
    "internal_server_error": 500,
}


@dataclass
class SimulatedIncrease:
    """Increase with its faults. `silent` and `broken` are names of calls that are done before."""

    silent: set[str] = field(default_factory=set[str])
    broken: set[str] = field(default_factory=set[str])
    # Type of the error that answers an order, in place of a transfer.
    error: str | None = None
    # What is shown otherwise than it is.
    lies: dict[str, Any] = field(default_factory=dict[str, Any])
    garbled: bytes | None = None
    # Set by tests of kills: an order is answered once it is.
    answers: asyncio.Event | None = None
    settles_at_once: bool = False
    transfers: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    calls: Counter[str] = field(default_factory=Counter[str])
    inbound: SimulatedInbound = field(default_factory=SimulatedInbound)
    _requests: dict[str, Any] = field(default_factory=dict[str, Any])

    def app(self) -> web.Application:
        """Return the server."""
        app = web.Application()
        for path in TYPES:
            app.router.add_post(f"/{path}", self._create)
            app.router.add_get(f"/{path}", self._list)
            app.router.add_get(f"/{path}/{{id}}", self._get)
            app.router.add_post(f"/simulations/{path}/{{id}}/{{verb}}", self._simulate)
        self.inbound.add_routes(app, self._guarded)
        return app

    def only(self) -> dict[str, Any]:
        """Return the one transfer that was ordered."""
        (transfer,) = self.transfers.values()
        return transfer

    def request(self) -> Mapping[str, Any]:
        """Return the body of the one order."""
        (body,) = self._requests.values()
        return body

    def complete(self, transfer: dict[str, Any]) -> None:
        """Have the network carry out a transfer. Sources: the pages of the transfers."""
        at = _now()
        match transfer["type"]:
            case "ach_transfer":
                transfer["status"] = "submitted"
                transfer["submission"] = {"trace_number": "058349238292834", "submitted_at": at}
                transfer["settlement"] = {"settled_at": at}
            case "wire_transfer":
                transfer["status"] = "complete"
                transfer["submission"] = {
                    "input_message_accountability_data": "20200131MMQFMP9X000001",
                    "submitted_at": at,
                }
            case _:
                transfer["status"] = "complete"
                transfer["submission"] = {
                    "transaction_identification": "20200131234567891TRAN987",
                    "submitted_at": at,
                }

    async def _guarded(
        self, name: str, request: web.Request, answer: Callable[[], web.Response]
    ) -> web.Response:
        """Answer a call. Source: the documentation's page on authentication by bearer."""
        self.calls[name] += 1
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return error("invalid_api_key_error")
        found = answer()
        if name in self.silent:
            await asyncio.sleep(SILENCE_S)
        if name in self.broken:
            return error("internal_server_error")
        return found

    async def _create(self, request: web.Request) -> web.Response:
        body, path = await request.json(), request.path.removeprefix("/")
        answer = await self._guarded("create", request, lambda: self._created(request, path, body))
        if self.answers is not None:
            await self.answers.wait()
        return answer

    def _created(self, request: web.Request, path: str, body: Any) -> web.Response:
        """Create a transfer once per key. Source: idempotency-keys."""
        key = request.headers["Idempotency-Key"]
        if self.error is not None:
            return error(self.error)
        if key in self._requests:
            if self._requests[key] != {"path": path, **body}:
                return error("idempotency_key_already_used_error")
            return self._show(self.transfers[key], {"Idempotent-Replayed": "true"})
        if not REQUIRED[path] <= set(body) or not isinstance(body["amount"], int):
            return error("invalid_parameters_error")
        self._requests[key] = {"path": path, **body}
        transfer = {
            "id": f"{TYPES[path]}_{len(self.transfers) + 1:020}",
            "type": TYPES[path],
            "status": FIRST_STATUS[path],
            "amount": body["amount"],
            "currency": "USD",
            "account_number": body["account_number"],
            "routing_number": body["routing_number"],
            "idempotency_key": key,
            "submission": None,
            "statement_descriptor": body.get("statement_descriptor"),
            "remittance": body.get("remittance"),
            "unstructured_remittance_information": body.get("unstructured_remittance_information"),
        }
        self.transfers[key] = transfer
        if self.settles_at_once:
            self.complete(transfer)
        return self._show(transfer)

    async def _list(self, request: web.Request) -> web.Response:
        """List by idempotency key. Source: idempotency-keys."""
        kind = TYPES[request.path.removeprefix("/")]
        found = self.transfers.get(request.query["idempotency_key"])
        shown = [self._shown(found)] if found is not None and found["type"] == kind else []

        def answer() -> web.Response:
            if self.garbled is not None:
                return web.Response(body=self.garbled, content_type="application/json")
            return web.json_response({"data": shown, "next_cursor": None})

        return await self._guarded("find", request, answer)

    async def _get(self, request: web.Request) -> web.Response:
        return await self._guarded("get", request, lambda: self._found(request))

    async def _simulate(self, request: web.Request) -> web.Response:
        body = await request.json()
        return await self._guarded(
            "simulate", request, lambda: self._simulated(request, request.match_info["verb"], body)
        )

    def _simulated(self, request: web.Request, verb: str, body: Any) -> web.Response:
        """Advance a transfer. Sources: the simulations on the pages of the transfers."""
        transfer = self._by_id(request.match_info["id"])
        if transfer is None:
            return error("object_not_found_error")
        match verb:
            case "return" | "reverse":
                self.send_back(transfer)
            case "complete" if "rejection" in body:
                transfer["status"] = "rejected"
                transfer["rejection"] = body["rejection"]
            case _:
                self.complete(transfer)
        return self._show(transfer)

    def send_back(self, transfer: dict[str, Any], **changes: Any) -> None:
        """Have the payee's bank return a transfer. Sources: ach-returns, wire-reversals."""
        if transfer["type"] == "ach_transfer":
            transfer["status"] = "returned"
            transfer["return"] = {"return_reason_code": "no_account", **changes}
        else:
            transfer["status"] = "reversed"
            transfer["reversal"] = {"amount": transfer["amount"], **changes}

    def _found(self, request: web.Request) -> web.Response:
        found = self._by_id(request.match_info["id"])
        return error("object_not_found_error") if found is None else self._show(found)

    def _by_id(self, identifier: str) -> dict[str, Any] | None:
        return next((each for each in self.transfers.values() if each["id"] == identifier), None)

    def _show(
        self, transfer: dict[str, Any], headers: Mapping[str, str] | None = None
    ) -> web.Response:
        return web.json_response(self._shown(transfer), headers=headers)

    def _shown(self, transfer: dict[str, Any]) -> dict[str, Any]:
        return {**transfer, **self.lies}


def error(kind: str) -> web.Response:
    """Return an error object. Source: errors."""
    status = STATUSES.get(kind, 400)
    return web.json_response({"type": kind, "status": status, "title": "A title"}, status=status)


def _now() -> str:
    return (datetime.now(UTC) - timedelta(seconds=1)).isoformat()
