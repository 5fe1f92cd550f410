"""Destination of a payment: the bank account or address that the money goes to, and whose it is.

The template `payments/destination.html` shows it in the same words on every page.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from msgspec import to_builtins

from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import AccountSummary, summary_of
from landbridge.customers.bank_accounts.schemas import AccountReply, bank_of
from landbridge.customers.bank_accounts.types import BY_TYPE
from landbridge.customers.payee_verifications.api import PayeeVerificationReply
from landbridge.customers.users.wallet_api import ExternalWalletPage, ExternalWalletReply
from landbridge.dashboard.countries import country_name
from landbridge.dashboard.payments.payment_details import PaymentDetails, PaymentEnd, PaymentReply
from landbridge.dashboard.users.account_labels import CHOICE_LABELS
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.internal_client import InternalClient
from landbridge.platform.http.responses import WireStruct

# Lists of the payments of each kind that has one destination.
_PATHS: Final[Mapping[str, str]] = {
    "WALLET.TRANSFER": "/v2/wallets/transfers",
    "WALLET.BRIDGE": "/v2/wallets/bridges",
    "OFFRAMP": "/v2/offramps",
}
_EARLIER_MAX = 100


class _EarlierPayments(WireStruct, frozen=True):
    """Page of payments; the lists of the kinds have different members for them."""

    records: tuple[PaymentReply, ...] = ()
    data: tuple[PaymentReply, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DestinationAccount:
    """Bank account of a payout; its number is masked. `holder` is None once it was erased."""

    id: UUID
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

    user_id: UUID | None
    account: DestinationAccount | None = None
    address: str | None = None
    chain: str | None = None
    label: str | None = None
    was_paid: bool | None = None
    # What the payee's bank says about the holder's name; None if it was not asked.
    payee: PayeeVerificationReply | None = None


async def destination_of(
    interface: InternalClient,
    kind: str,
    details: PaymentDetails,
    *,
    with_history: bool = False,
    verifies_payee: bool = False,
) -> DestinationDetails | None:
    """Return the destination of a payment; None for a batch, or if it was erased.

    `details` are a payment's, or those of a dry run. `with_history` looks up earlier payments,
    `verifies_payee` asks the bank of an offramp's account about its holder.
    """
    end, payer_id = details.destination, details.source.user_id
    owner_id = None if end.wallet_address is None else end.user_id or payer_id
    account, payee, wallets, was_paid = await asyncio.gather(
        _account(interface, end),
        _payee(interface, end) if verifies_payee and kind == "OFFRAMP" else _unknown(),
        registered_wallets(interface, owner_id),
        _was_paid(interface, kind, details) if with_history else _unknown(),
    )
    if account is None and end.wallet_address is None:
        return None
    return DestinationDetails(
        user_id=end.user_id,
        account=account,
        address=end.wallet_address,
        chain=end.chain or details.chain,
        label=address_label(wallets, end.wallet_address),
        was_paid=was_paid,
        payee=payee,
    )


async def _account(interface: InternalClient, end: PaymentEnd) -> DestinationAccount | None:
    if end.account_id is None:
        return None
    try:
        found = await interface.read(
            AccountReply, f"/v2/users/{end.user_id}/accounts/{end.account_id}"
        )
    except Refused:
        return None
    holder, table = found.account_holder, BY_TYPE[found.type, Ramp(found.rail.rail_type)]
    return DestinationAccount(
        id=end.account_id,
        summary=summary_of(table, bank_of(found), to_builtins(holder)),
        holder=None if holder is None else holder.name,
        payment_rail=found.rail.payment_rail,
    )


async def _payee(interface: InternalClient, end: PaymentEnd) -> PayeeVerificationReply | None:
    path = f"/v2/users/{end.user_id}/accounts/{end.account_id}/payee-verification"
    try:
        return await interface.submit(PayeeVerificationReply, path)
    except Refused:
        return None


async def registered_wallets(
    interface: InternalClient, owner_id: UUID | None
) -> Sequence[ExternalWalletReply]:
    """Return the addresses that a user has registered; none if they can't be read."""
    if owner_id is None:
        return ()
    path = f"/v2/users/{owner_id}/wallets/external"
    try:
        found = await interface.read(ExternalWalletPage, path, limit=_EARLIER_MAX)
    except Refused:
        return ()
    return found.external_wallets


def address_label(wallets: Sequence[ExternalWalletReply], address: str | None) -> str | None:
    """Return the name of an address among registered ones."""
    if address is None:
        return None
    return next((each.name for each in wallets if _same(each.address, address)), None)


async def _was_paid(interface: InternalClient, kind: str, details: PaymentDetails) -> bool | None:
    """Return whether the payer has paid it before; None if only older payments could show it."""
    end, payer_id = details.destination, details.source.user_id
    if kind not in _PATHS or payer_id is None:
        return None
    found = await interface.read(
        _EarlierPayments, _PATHS[kind], userId=str(payer_id), limit=_EARLIER_MAX
    )
    earlier = [each.transfer_details for each in found.records or found.data]
    if any(each.status == "COMPLETED" and _is_to(each.destination, end) for each in earlier):
        return True
    return False if len(earlier) < _EARLIER_MAX else None


def _is_to(other: PaymentEnd, end: PaymentEnd) -> bool:
    if end.account_id:
        return other.account_id == end.account_id
    return _same(other.wallet_address or "", end.wallet_address or "")


def _same(one: str, other: str) -> bool:
    # Hexadecimal addresses are spelled in upper, lower or mixed case; others are case-sensitive.
    return one.lower() == other.lower() if other.startswith("0x") else one == other


async def _unknown() -> None:
    return None
