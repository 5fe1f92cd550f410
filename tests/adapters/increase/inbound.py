"""What comes in to the simulated Increase: account numbers, transfers and transactions.

Sources: https://increase.com/documentation/api/account-numbers, /transactions and the pages of the
inbound transfers.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web

_Guard = Callable[[str, web.Request, Callable[[], web.Response]], Awaitable[web.Response]]
ACCOUNT = "account_simulated"
# Path of the transfers, category of the transaction, its member with their id, and the status.
NETWORKS = {
    "ach": ("inbound_ach_transfer", "inbound_ach_transfer", "accepted"),
    "wire": ("inbound_wire_transfer", "inbound_wire_transfer", "accepted"),
    "rtp": (
        "inbound_real_time_payments_transfer",
        "inbound_real_time_payments_transfer_confirmation",
        "confirmed",
    ),
    "fednow": ("inbound_fednow_transfer", "inbound_fednow_transfer_confirmation", "confirmed"),
}
_TEXTS: dict[str, dict[str, Any]] = {
    "ach": {
        "originator_company_name": "Payer Incorporated",
        "originator_company_entry_description": "PAYMENT",
        "originator_routing_number": "101050001",
        "addenda": {
            "category": "freeform",
            "freeform": {"entries": [{"payment_related_information": "LB2345"}]},
        },
    },
    "wire": {
        "debtor_name": "Payer Incorporated",
        "instructing_agent_routing_number": "101050001",
        "unstructured_remittance_information": "LB2345",
    },
    "rtp": {
        "debtor_name": "Payer Incorporated",
        "debtor_account_number": "987654321",
        "debtor_routing_number": "101050001",
        "unstructured_remittance_information": "LB2345",
    },
}
_TEXTS["fednow"] = _TEXTS["rtp"]
_ACTS = {
    "transfer_return": ("returned", "transfer_return", "inbound_ach_transfer_return_intention"),
    "reverse": ("reversed", "reversal", "inbound_wire_transfer_reversal"),
}


@dataclass
class SimulatedInbound:
    """Account numbers, inbound transfers and the transactions that they make."""

    numbers: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    transfers: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    transactions: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    # Type of the error that answers a return, and whether it is done before.
    error: str | None = None
    page_size: int = 100
    # Whether a return is taken, and shown later.
    reverses_late: bool = False
    _taken: set[str] = field(default_factory=set[str])

    def add_routes(self, app: web.Application, guard: _Guard) -> None:
        """Add the calls of the documentation."""

        async def create_number(request: web.Request) -> web.Response:
            body = await request.json()
            return await guard("number", request, lambda: self._create_number(request, body))

        async def list_numbers(request: web.Request) -> web.Response:
            found = self.numbers.get(request.query["idempotency_key"])
            page = {"data": [] if found is None else [found], "next_cursor": None}
            return await guard("numbers", request, lambda: web.json_response(page))

        async def get_number(request: web.Request) -> web.Response:
            found = [
                each for each in self.numbers.values() if each["id"] == request.match_info["id"]
            ]
            return await guard("number", request, lambda: _shown(found[0] if found else None))

        async def list_transactions(request: web.Request) -> web.Response:
            return await guard("transactions", request, lambda: self._list(request))

        async def get_transfer(request: web.Request) -> web.Response:
            found = self.transfers.get(request.match_info["id"])
            return await guard("inbound", request, lambda: _shown(found))

        async def act(request: web.Request) -> web.Response:
            body = await request.json()
            return await guard("act", request, lambda: self._act(request, body["reason"]))

        app.router.add_post("/account_numbers", create_number)
        app.router.add_get("/account_numbers", list_numbers)
        app.router.add_get("/account_numbers/{id}", get_number)
        app.router.add_get("/transactions", list_transactions)
        for name, _, _ in NETWORKS.values():
            app.router.add_get(f"/{name}s/{{id}}", get_transfer)
            app.router.add_post(f"/{name}s/{{id}}/{{verb}}", act)

    def pay_in(
        self, network: str, cents: int, number: dict[str, Any], *, ago_s: float = 3_600, **more: Any
    ) -> str:
        """Have money arrive; return the id of the transfer."""
        name, category, status = NETWORKS[network]
        identifier = f"{name}_{len(self.transfers) + 1:020}"
        self.transfers[identifier] = {
            "id": identifier,
            "account_number_id": number["id"],
            "amount": cents,
            "status": status,
            "type": name,
            **_TEXTS[network],
            **more,
        }
        self.book(category, cents, {"transfer_id": identifier}, ago_s)
        return identifier

    def book(self, category: str, cents: int, detail: dict[str, Any], ago_s: float) -> None:
        """Add a transaction. Source: api/transactions."""
        at = datetime.now(UTC).replace(microsecond=0) - timedelta(seconds=ago_s)
        self.transactions.append(
            {
                "id": f"transaction_{len(self.transactions) + 1:020}",
                "account_id": ACCOUNT,
                "amount": cents,
                "currency": "USD",
                "created_at": at.isoformat().replace("+00:00", "Z"),
                "source": {"category": category, category: detail},
            }
        )

    def send_back(self, identifier: str, verb: str, reason: str, *, ago_s: float = 0) -> None:
        """Return or reverse a transfer. Sources: the pages of the inbound transfers."""
        transfer = self.transfers[identifier]
        status, member, category = _ACTS[verb]
        transfer["status"], transfer[member] = status, {"reason": reason}
        detail = {f"{transfer['type']}_id": identifier}
        self.book(category, -transfer["amount"], detail, ago_s)

    def _create_number(self, request: web.Request, body: dict[str, Any]) -> web.Response:
        key = request.headers["Idempotency-Key"]
        if key not in self.numbers:
            count = len(self.numbers) + 1
            self.numbers[key] = {
                **body,
                "id": f"account_number_{count:020}",
                "account_number": f"{count:012}",
                "routing_number": "101050001",
                "idempotency_key": key,
                "status": "active",
            }
        return web.json_response(self.numbers[key])

    def _list(self, request: web.Request) -> web.Response:
        """List newest first, in pages. Source: api/transactions."""
        query = request.query
        since = datetime.fromisoformat(query["created_at.on_or_after"])
        before = datetime.fromisoformat(query["created_at.before"])
        categories = query["category.in"].split(",")
        found = [
            each
            for each in self.transactions
            if since <= datetime.fromisoformat(each["created_at"]) < before
            and each["source"]["category"] in categories
            and each["account_id"] == query["account_id"]
        ]
        found.sort(key=lambda each: each["created_at"], reverse=True)
        begin = int(query.get("cursor", "0"))
        size = min(int(query["limit"]), self.page_size)
        end = begin + size
        cursor = str(end) if end < len(found) else None
        return web.json_response({"data": found[begin:end], "next_cursor": cursor})

    def _act(self, request: web.Request, reason: str) -> web.Response:
        identifier, verb = request.match_info["id"], request.match_info["verb"]
        if self.error is not None:
            status = 409 if self.error == "invalid_operation_error" else 400
            return web.json_response({"type": self.error, "status": status}, status=status)
        is_taken, self._taken = identifier in self._taken, {*self._taken, identifier}
        if is_taken or self.transfers[identifier]["status"] != "accepted":
            return web.json_response({"type": "invalid_operation_error"}, status=409)
        if not self.reverses_late:
            self.send_back(identifier, verb, reason)
        return web.json_response(self.transfers[identifier])


def _shown(found: dict[str, Any] | None) -> web.Response:
    if found is None:
        return web.json_response({"type": "object_not_found_error"}, status=404)
    return web.json_response(found)
