"""Destination of a payment: the bank account or address that the money goes to, and whose it is.

The template `payments/destination.html` shows it in the same words on every page.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from landbridge.customers.bank_accounts.model import AccountSummary, summary_of
from landbridge.customers.bank_accounts.types import BY_TYPE
from landbridge.dashboard.countries import country_name
from landbridge.dashboard.users.account_labels import CHOICE_LABELS
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.internal_client import InternalClient

# Lists of the payments of each kind that has one destination, and the member with their records.
_LISTS: Final[Mapping[str, tuple[str, str]]] = {
    "WALLET.TRANSFER": ("/v2/wallets/transfers", "records"),
    "WALLET.BRIDGE": ("/v2/wallets/bridges", "data"),
    "OFFRAMP": ("/v2/offramps", "records"),
}
_EARLIER_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class DestinationAccount:
    """Bank account of a payout; its number is masked. `holder` is None once it was erased."""

    id: str
    summary: AccountSummary
    holder: str | None
    payment_rail: str | None

    @property
    def rail_label(self) -> str:
        """Return the label of its rail, to be translated; "" without one."""
        rail = self.payment_rail or ""
        return CHOICE_LABELS["transferType"].get(rail, rail)

    def country(self, locale: str) -> str:
        """Return the name of the bank's country; "" if unknown."""
        return country_name(self.summary.bank_country, locale)


@dataclass(frozen=True, slots=True, kw_only=True)
class DestinationDetails:
    """Bank account or address; `user_id` is its user, None for an address that nobody registered.

    `label` is the name of a registered external address; a wallet has none. `was_paid` says
    whether the payer has completed a payment to it before; None if not looked up, or unknown.
    """

    user_id: str | None
    account: DestinationAccount | None = None
    address: str | None = None
    chain: str | None = None
    label: str | None = None
    was_paid: bool | None = None
    # What the payee's bank says about the holder's name; None if it was not asked.
    payee: Mapping[str, Any] | None = None


async def destination_of(
    interface: InternalClient,
    kind: str,
    details: Mapping[str, Any],
    *,
    with_history: bool = False,
    verifies_payee: bool = False,
) -> DestinationDetails | None:
    """Return the destination of a payment; None for a batch, or if it was erased.

    `details` are a payment's, or those of a dry run. `with_history` looks up earlier payments,
    `verifies_payee` asks the bank of an offramp's account about its holder.
    """
    end, payer_id = details["destination"], details["source"].get("userId")
    account, payee, label, was_paid = await asyncio.gather(
        _account(interface, end),
        _payee(interface, end) if verifies_payee and kind == "OFFRAMP" else _unknown(),
        address_label(interface, end.get("userId") or payer_id, end),
        _was_paid(interface, kind, details) if with_history else _unknown(),
    )
    address = end.get("walletAddress")
    if account is None and address is None:
        return None
    return DestinationDetails(
        user_id=end.get("userId"),
        account=account,
        address=address,
        chain=end.get("chain") or details.get("chain"),
        label=label,
        was_paid=was_paid,
        payee=payee,
    )


async def _account(interface: InternalClient, end: Mapping[str, Any]) -> DestinationAccount | None:
    account_id = end.get("accountId")
    if account_id is None:
        return None
    try:
        found = await interface.get(f"/v2/users/{end['userId']}/accounts/{account_id}")
    except Refused:
        return None
    holder: Mapping[str, Any] = found.get("accountHolder") or {}
    rail = found["rail"]
    table = BY_TYPE[found["type"], rail["railType"]]
    return DestinationAccount(
        id=account_id,
        summary=summary_of(table, found.get(found["type"]) or {}, holder),
        holder=holder.get("name"),
        payment_rail=rail["paymentRail"],
    )


async def _payee(interface: InternalClient, end: Mapping[str, Any]) -> Mapping[str, Any] | None:
    path = f"/v2/users/{end['userId']}/accounts/{end['accountId']}/payee-verification"
    try:
        return await interface.post(path)
    except Refused:
        return None


async def address_label(
    interface: InternalClient, owner_id: str | None, end: Mapping[str, Any]
) -> str | None:
    """Return the name of an address among those that the user registered."""
    address = end.get("walletAddress")
    if owner_id is None or address is None:
        return None
    path = f"/v2/users/{owner_id}/wallets/external"
    try:
        found = await interface.get(path, limit=_EARLIER_MAX)
    except Refused:
        return None
    return next(
        (each["name"] for each in found["externalWallets"] if _same(each["address"], address)), None
    )


async def _was_paid(
    interface: InternalClient, kind: str, details: Mapping[str, Any]
) -> bool | None:
    """Return whether the payer has paid it before; None if only older payments could show it."""
    end, payer_id = details["destination"], details["source"].get("userId")
    if kind not in _LISTS or payer_id is None or "batch" in end:
        return None
    path, member = _LISTS[kind]
    found = await interface.get(path, userId=payer_id, limit=_EARLIER_MAX)
    earlier = [each["transferDetails"] for each in found[member]]
    if any(each["status"] == "COMPLETED" and _is_to(each, end) for each in earlier):
        return True
    return False if len(earlier) < _EARLIER_MAX else None


def _is_to(payment: Mapping[str, Any], end: Mapping[str, Any]) -> bool:
    other = payment["destination"]
    if end.get("accountId"):
        return other.get("accountId") == end["accountId"]
    return _same(other.get("walletAddress") or "", end["walletAddress"])


def _same(one: str, other: str) -> bool:
    # Hexadecimal addresses are spelled in upper, lower or mixed case; others are case-sensitive.
    return one.lower() == other.lower() if other.startswith("0x") else one == other


async def _unknown() -> None:
    return None
