"""Recipients, fees and reasons of failures of transfers of all kinds, in a common form."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final
from uuid import UUID

from landbridge.customers.bank_accounts.account_lists import AccountSummaries
from landbridge.customers.bank_accounts.model import AccountSummary
from landbridge.customers.users.model import UserCard
from landbridge.customers.users.service import Users
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.batches import model as batches
from landbridge.payments.bridges import model as bridges
from landbridge.payments.disbursements import model as disbursements
from landbridge.payments.offramps import model as offramps
from landbridge.payments.onramps import model as onramps
from landbridge.payments.swaps import model as swaps
from landbridge.payments.transfers import model as transfers
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.core.money import Money

# Decodes a payment that sends its coins to one address.
_Decode = Callable[[Transfer], transfers.WalletTransfer | swaps.Swap | onramps.Onramp]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyRecord:
    """Recipient and fee in a record; the fee is part of the source.

    The recipient has an address or a bank account, except in a batch of several (`count`).
    `failed_reason` is None unless the transfer failed.
    """

    fee: Money | None = None
    user_id: UUID | None = None
    address: str | None = None
    account_id: UUID | None = None
    count: int = 1
    failed_reason: str | None = None


@dataclass(frozen=True, slots=True)
class TransactionParties:
    """Parties of a page of transfers, by transfer, with their users and bank accounts, by id."""

    records: Mapping[UUID, PartyRecord]
    users: Mapping[UUID, UserCard]
    accounts: Mapping[UUID, AccountSummary]


@dataclass(frozen=True, slots=True)
class PartyDirectory:
    """Looks up the parties of transfers, with three SQL statements for all of them."""

    ledger: Ledger
    users: Users
    accounts: AccountSummaries

    async def of(self, org_id: UUID, ids: Sequence[UUID]) -> TransactionParties:
        """Return the parties of these transfers; unknown ids are left out."""
        # The ledger combines concurrent lookups into one statement.
        found = await gather_in_order(self.ledger.find(org_id, each) for each in ids)
        records = {
            each.id: party_record(each)
            for each in found
            if each is not None and each.kind in _PARTIES
        }
        user_ids = {each.user_id for each in records.values() if each.user_id is not None}
        account_ids = {each.account_id for each in records.values() if each.account_id is not None}
        return TransactionParties(
            records,
            await self.users.cards(org_id, list(user_ids)),
            await self.accounts.of(org_id, account_ids),
        )


def party_record(record: Transfer) -> PartyRecord:
    """Return the recipient, the fee and the reason of a failure of a record of any kind."""
    return replace(_PARTIES[record.kind](record), failed_reason=_failed_reason(record))


def _failed_reason(record: Transfer) -> str | None:
    # A completed payment may still have the reason of a failed attempt, which is not shown.
    if record.status == _COMPLETED:
        return None
    for name in ("failed_reason", "error_message", "error"):
        if reason := record.facts.get(name):
            return str(reason)
    return None


def _of_batch(record: Transfer) -> PartyRecord:
    first, *others = batches.as_batch(record).details.items
    if others:
        return PartyRecord(count=1 + len(others))
    return PartyRecord(user_id=first.user_id, address=first.address)


def _of_bridge(record: Transfer) -> PartyRecord:
    details = bridges.as_bridge(record).details
    return PartyRecord(user_id=details.destination_user_id, address=details.destination_address)


def _of_coins(decode: _Decode, record: Transfer) -> PartyRecord:
    payment = decode(record)
    return PartyRecord(
        fee=_charged(payment.fee),
        user_id=payment.details.destination_user_id,
        address=payment.details.destination_address,
    )


def _of_offramp(record: Transfer) -> PartyRecord:
    offramp = offramps.as_offramp(record)
    fee = sum((each.money for each in offramp.fees), offramp.exchange_fee)
    return PartyRecord(
        fee=_charged(fee),
        user_id=offramp.details.destination_user_id,
        account_id=offramp.details.account_id,
    )


def _of_disbursement(record: Transfer) -> PartyRecord:
    details = disbursements.as_disbursement(record).details
    return PartyRecord(user_id=details.user_id, address=details.address)


def _charged(fee: Money) -> Money | None:
    return fee if fee.units else None


_COMPLETED: Final = "COMPLETED"
_PARTIES: Final[Mapping[str, Callable[[Transfer], PartyRecord]]] = {
    transfers.KIND: partial(_of_coins, transfers.as_transfer),
    batches.KIND: _of_batch,
    bridges.KIND: _of_bridge,
    swaps.KIND: partial(_of_coins, swaps.as_swap),
    onramps.KIND: partial(_of_coins, onramps.as_onramp),
    offramps.KIND: _of_offramp,
    disbursements.KIND: _of_disbursement,
}
