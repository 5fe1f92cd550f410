"""Money from nowhere, in the sandbox: coins in a wallet, fiat on a virtual account.

Coins are told as in `POLYGON:usdc`, here as in every form.
"""

from collections.abc import Mapping
from typing import Any

from landbridge.dashboard.users.nesting import nested
from landbridge.web.inside import Interface

_DEPOSIT = ("amount", "paymentRail", "requestId", "source", "reference", "description")
# Of a sender whose account nobody told.
_SENDER = {"routingNumber": "021000021", "accountNumber": "000123456789"}


async def fund(interface: Interface, user_id: str, told: Mapping[str, str]) -> None:
    """Let `amount` of `coin` arrive in a wallet of this user."""
    chain, _, currency = told.get("coin", "").partition(":")
    body = {"chain": chain, "currency": currency, "amount": told.get("amount", "")}
    await interface.post(f"/v2/sandbox/users/{user_id}/wallets/fund", body)


async def simulate_deposit(
    interface: Interface, user_id: str, account_id: str, told: Mapping[str, str]
) -> None:
    """Let fiat arrive on a virtual account; the form names its inputs as the interface does."""
    body: dict[str, Any] = nested(told, *_DEPOSIT)
    source = body.get("source")
    if isinstance(source, Mapping):
        body["source"] = {**_SENDER, **source}
    path = f"/v2/users/{user_id}/virtual-accounts/{account_id}/simulate-deposit"
    await interface.post(path, body)
