"""Sandbox funding: coins into a wallet, fiat into a virtual account.

Forms name a coin as `POLYGON:usdc`.
"""

from collections.abc import Mapping

from landbridge.dashboard.users.nested_fields import nest
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.internal_client import InternalClient

_DEPOSIT = ("amount", "paymentRail", "requestId", "source", "reference", "description")
# Default bank account of a sender.
_SENDER = {"routingNumber": "021000021", "accountNumber": "000123456789"}


async def fund(interface: InternalClient, user_id: str, fields: Mapping[str, str]) -> None:
    """Let `amount` of `coin` arrive in a wallet of this user.

    Raises `FieldInvalid` with the names of the form's inputs.
    """
    chain, _, currency = fields.get("coin", "").partition(":")
    body = {"chain": chain, "currency": currency, "amount": fields.get("amount", "")}
    try:
        await interface.post(f"/v2/sandbox/users/{user_id}/wallets/fund", body)
    except FieldInvalid as problem:
        if problem.field in {"chain", "currency"}:
            problem.field = "coin"
        raise


async def simulate_deposit(
    interface: InternalClient, user_id: str, account_id: str, fields: Mapping[str, str]
) -> None:
    """Let fiat arrive on a virtual account; the form names its inputs as the interface does."""
    body = nest(fields, *_DEPOSIT)
    source = body.get("source")
    if isinstance(source, Mapping):
        body["source"] = {**_SENDER, **source}
    path = f"/v2/users/{user_id}/virtual-accounts/{account_id}/simulate-deposit"
    await interface.post(path, body)
