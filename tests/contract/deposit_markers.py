"""Deposits on a virtual account with markers in everything that a payer writes."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from tests.onramps import settle
from tests.payments.virtual_accounts.virtual_account_setup import (
    RULES,
    account_body,
    at,
    deposit_body,
    make_receiver,
)
from tests.tenants import Tenant


class Send(Protocol):
    def __call__(
        self, method: str, path: str, body: Any = None, **query: str
    ) -> Awaitable[Any]: ...


async def pay_in(org: Tenant, send: Send, mark: Callable[[], str]) -> None:
    """Deposits of all kinds: converted, micro, given back, and refused."""
    user = await make_receiver(org)
    created = (await send("POST", at(user), {**account_body(), mark(): mark()})).json()
    account = created["accountInfo"]["id"]
    path = at(user, account, "simulate-deposit")

    def body(amount: str, **changes: Any) -> dict[str, Any]:
        fields = deposit_body(amount, reference=mark(), description=mark(), **changes)
        fields["source"] |= {"name": mark(), "bankName": mark(), "accountNumber": "77318844992"}
        return fields

    for amount in ("250", "0.31"):
        assert (await send("POST", path, body(amount))).status_code == 200
    await settle(org)
    await send("POST", path, body("3"))
    await send("POST", at(user, account, "deactivate"), {mark(): mark()})
    await settle(org)
    await send("POST", path, body("3"))
    for member in ("amount", "paymentRail", "requestId", "userId"):
        await send("POST", path, {**body("3"), member: mark()})
    for member in ("routingNumber", "accountNumber", "name", "bankName"):
        wrong = body("3")
        wrong["source"][member] = f"{mark()}\n"
        await send("POST", path, wrong)
    for name in ("createdBefore", "createdAfter", "limit"):
        await send("GET", at(user, account), **{name: mark()})
    for name in ("sourceCurrency", "destinationCurrency", "destinationChain"):
        await send("GET", at(user), **{name: mark()})
    await send("GET", at(user, mark()))
    await send("GET", f"{RULES}/{mark()}")
