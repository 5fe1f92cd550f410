"""Reversals: records by which the ledger takes back a deposit that its chain has lost.

Journals:

    created      the wallet gives back what it still holds; the rest is owed (RECEIVABLE)
    recovered    the wallet pays what is owed
    written off  WRITE_OFFS to RECEIVABLE: the organisation bears the loss

A reversal is `OPEN` while a part is owed. The record of the reversed credit is never changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.customers.chain_deposits.model import ACTOR, ChainDeposit, credit_id
from landbridge.ledger.model import AdvanceTransfer, CreateTransfer, HouseRole, Posting, Transfer
from landbridge.ledger.reversed_journals import reversal_id
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import ASSETS

KIND = "WALLET.DEPOSIT.REVERSAL"


class ReversalStatus(StrEnum):
    """Status of a reversal."""

    OPEN = "OPEN"  # a part is owed; the worker takes it from the wallet once it is there
    COMPLETED = "COMPLETED"  # all was taken back at once
    RECOVERED = "RECOVERED"  # what was owed has been taken back
    WRITTEN_OFF = "WRITTEN_OFF"  # the organisation bears the loss


TRANSITIONS: Transitions[ReversalStatus] = Transitions(
    start=frozenset({ReversalStatus.OPEN, ReversalStatus.COMPLETED}),
    table={
        ReversalStatus.OPEN: frozenset({ReversalStatus.RECOVERED, ReversalStatus.WRITTEN_OFF}),
        ReversalStatus.COMPLETED: frozenset(),
        ReversalStatus.RECOVERED: frozenset(),
        ReversalStatus.WRITTEN_OFF: frozenset(),
    },
)


class ReversalDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Details of a reversal in its record: the credit that it reverses, and what is owed."""

    deposit_id: UUID
    account_id: UUID
    transaction_hash: str
    owed_units: int


@dataclass(frozen=True, slots=True)
class Reversal:
    """Reversal, decoded once from its record."""

    record: Transfer
    details: ReversalDetails
    status: ReversalStatus
    money: Money

    @property
    def owed(self) -> Money:
        """Amount that the wallet no longer held when the deposit was taken back."""
        return Money(self.details.owed_units, self.money.asset)


def as_reversal(record: Transfer) -> Reversal:
    """Decode a reversal's record."""
    return Reversal(
        record=record,
        details=msgspec.convert(record.details, ReversalDetails, strict=False),
        status=ReversalStatus(record.status),
        money=Money(record.source_units, ASSETS[record.source_asset]),
    )


def reversed_deposit(
    deposit: ChainDeposit, account_id: UUID, *, available_units: int, at: datetime
) -> CreateTransfer:
    """Build the reversal of a deposit's latest credit; the wallet holds `available_units`."""
    money, credit = deposit.money, credit_id(deposit, deposit.credits)
    owed = Money(max(money.units - available_units, 0), money.asset)
    details = ReversalDetails(
        deposit_id=credit,
        account_id=account_id,
        transaction_hash=deposit.transaction_hash,
        owed_units=owed.units,
    )
    return CreateTransfer(
        org_id=deposit.org_id,
        id=reversal_id(credit),
        kind=KIND,
        user_id=deposit.user_id,
        request_id=new_id(),
        request={"depositId": str(credit)},
        path=(ReversalStatus.OPEN if owed.units else ReversalStatus.COMPLETED,),
        source=money,
        destination=money,
        details=msgspec.to_builtins(details),
        due_at=None,
        at=at,
        actor=ACTOR,
        journals={0: reversed_postings(account_id, money, owed)},
    )


def recovered(reversal: Reversal, at: datetime) -> AdvanceTransfer:
    """Build the advance of a reversal when its wallet pays the amount owed."""
    postings = recovered_postings(reversal.details.account_id, reversal.owed)
    return closed(reversal.record, ReversalStatus.RECOVERED, postings, actor=ACTOR, at=at)


def written_off(reversal: Reversal, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the advance of a reversal when the organisation bears the amount owed."""
    postings = written_off_postings(reversal.owed)
    return closed(reversal.record, ReversalStatus.WRITTEN_OFF, postings, actor=actor, at=at)


def reversed_postings(account_id: UUID, money: Money, owed: Money) -> list[Posting]:
    """Return the journal of a reversal: `money` leaves, of which the wallet owes `owed`."""
    postings = [
        Posting(HouseRole.OUTSIDE, money),
        Posting(account_id, owed - money),
        Posting(HouseRole.RECEIVABLE, -owed),
    ]
    return [each for each in postings if each.available.units]


def recovered_postings(account_id: UUID, owed: Money) -> list[Posting]:
    """Return the journal of a recovery: the wallet pays what it owes."""
    return [Posting(account_id, -owed), Posting(HouseRole.RECEIVABLE, owed)]


def written_off_postings(owed: Money) -> list[Posting]:
    """Return the journal of a write-off: the receivable becomes a loss."""
    return [Posting(HouseRole.WRITE_OFFS, -owed), Posting(HouseRole.RECEIVABLE, owed)]


def closed(
    record: Transfer, status: StrEnum, postings: Sequence[Posting], *, actor: str, at: datetime
) -> AdvanceTransfer:
    """Build the advance of a wallet or treasury reversal to a terminal status."""
    return AdvanceTransfer(
        record,
        path=(status,),
        change_type=status.lower(),
        actor=actor,
        at=at,
        journals={0: postings},
    )
