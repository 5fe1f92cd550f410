"""Treasury reversals: records by which the ledger takes back coins of a payment.

A reversal is created when a chain has lost a treasury deposit that was final, and a payment had
booked it. The payment's own journals are never changed.

Journals:

    created      RECEIVABLE to OUTSIDE: the coins are gone, and the payment's user owes them
    recovered    OUTSIDE to RECEIVABLE: the transaction was mined after all, or the user has paid
    written off  WRITE_OFFS to RECEIVABLE: the organisation bears the loss
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.customers.chain_deposits.model import ACTOR, TreasuryDeposit
from landbridge.customers.chain_deposits.reversals import closed, written_off_postings
from landbridge.ledger.model import AdvanceTransfer, CreateTransfer, HouseRole, Posting, Transfer
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import ASSETS

KIND = "TREASURY.DEPOSIT.REVERSAL"


class TreasuryReversalStatus(StrEnum):
    """Status of a treasury reversal."""

    OPEN = "OPEN"  # the user owes the coins, unless the transaction is mined after all
    RECOVERED = "RECOVERED"  # the transaction was mined after all, or the user has paid
    WRITTEN_OFF = "WRITTEN_OFF"  # the organisation bears the loss


TRANSITIONS: Transitions[TreasuryReversalStatus] = Transitions(
    start=frozenset({TreasuryReversalStatus.OPEN}),
    table={
        TreasuryReversalStatus.OPEN: frozenset(
            {TreasuryReversalStatus.RECOVERED, TreasuryReversalStatus.WRITTEN_OFF}
        ),
        TreasuryReversalStatus.RECOVERED: frozenset(),
        TreasuryReversalStatus.WRITTEN_OFF: frozenset(),
    },
)


class TreasuryReversalDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Details of a treasury reversal in its record: the deposit, and the payment that booked it."""

    deposit_id: UUID
    payment_id: UUID
    transaction_hash: str


@dataclass(frozen=True, slots=True)
class TreasuryReversal:
    """Treasury reversal, decoded once from its record."""

    record: Transfer
    status: TreasuryReversalStatus
    money: Money


def treasury_reversal_id(deposit_id: UUID, number: int) -> UUID:
    """Return the id of reversal number `number`, counted from 1, of a treasury deposit."""
    return derived_id(deposit_id, f"reversal/{number}")


def as_treasury_reversal(record: Transfer) -> TreasuryReversal:
    """Decode the record of a treasury reversal."""
    return TreasuryReversal(
        record=record,
        status=TreasuryReversalStatus(record.status),
        money=Money(record.source_units, ASSETS[record.source_asset]),
    )


def opened(deposit: TreasuryDeposit, payment: Transfer, at: datetime) -> CreateTransfer:
    """Build the next reversal of a deposit, owed by the payment's user."""
    details = TreasuryReversalDetails(
        deposit_id=deposit.id, payment_id=payment.id, transaction_hash=deposit.transaction_hash
    )
    return CreateTransfer(
        org_id=deposit.org_id,
        id=treasury_reversal_id(deposit.id, deposit.reversals + 1),
        kind=KIND,
        user_id=payment.user_id,
        request_id=new_id(),
        request={"depositId": str(deposit.id), "paymentId": str(payment.id)},
        path=(TreasuryReversalStatus.OPEN,),
        source=deposit.money,
        destination=deposit.money,
        details=msgspec.to_builtins(details),
        due_at=None,
        at=at,
        actor=ACTOR,
        journals={0: owed_postings(deposit.money)},
    )


def recovered(reversal: TreasuryReversal, at: datetime, *, actor: str = ACTOR) -> AdvanceTransfer:
    """Build the advance of a reversal when the coins returned or were paid in another way."""
    postings = recovered_postings(reversal.money)
    return closed(reversal.record, TreasuryReversalStatus.RECOVERED, postings, actor=actor, at=at)


def written_off(reversal: TreasuryReversal, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the advance of a reversal when the organisation bears the loss."""
    postings = written_off_postings(reversal.money)
    return closed(reversal.record, TreasuryReversalStatus.WRITTEN_OFF, postings, actor=actor, at=at)


def owed_postings(money: Money) -> list[Posting]:
    """Return the journal of a new reversal: the coins are gone, and the user owes them."""
    return [Posting(HouseRole.OUTSIDE, money), Posting(HouseRole.RECEIVABLE, -money)]


def recovered_postings(money: Money) -> list[Posting]:
    """Return the journal of a recovery: the coins are back, and nothing is owed."""
    return [Posting(HouseRole.OUTSIDE, -money), Posting(HouseRole.RECEIVABLE, money)]
