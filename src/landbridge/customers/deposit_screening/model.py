"""Screenings of deposits: statuses, transitions, and the journals of their records.

Journals:

    created    OUTSIDE to SUSPENSE: the money has arrived, and nobody can spend it
    released   SUSPENSE to OUTSIDE, in the transaction that credits coins or makes fiat matchable
    rejected    fiat: SUSPENSE to OUTSIDE, and it goes back to its sender. Coins stay in SUSPENSE
    lost       SUSPENSE to OUTSIDE: the chain has lost the coins
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.model import AdvanceTransfer, CreateTransfer, HouseRole, Posting, Transfer
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import ASSETS
from landbridge.providers.kyt.port import RiskCategory, ScreeningReport
from landbridge.providers.rails.currencies import FIAT_ASSETS

KIND = "DEPOSIT.SCREENING"
ACTOR = "worker"

SCREENED_ASSETS = {**ASSETS, **FIAT_ASSETS}

# Time within which people should decide on a hit.
DECIDED_WITHIN = timedelta(days=1)
# Interval at which a deposit that waits for travel rule data is checked again.
RECHECKED_AFTER = timedelta(minutes=5)


class ScreeningStatus(StrEnum):
    """Status of a screening: what it waits for, and who acts next."""

    IN_SCREENING = "IN_SCREENING"  # waits for the provider, which the worker asks repeatedly
    # Waits for two people, who release or reject it after a hit; or for travel rule data.
    HELD = "HELD"
    RELEASED = "RELEASED"  # final: coins are credited, fiat can be matched
    REJECTED = "REJECTED"  # final: fiat goes back to its sender, coins stay in suspense
    LOST = "LOST"  # final: the chain has lost the coins


TRANSITIONS: Transitions[ScreeningStatus] = Transitions(
    start=frozenset({ScreeningStatus.IN_SCREENING}),
    table={
        ScreeningStatus.IN_SCREENING: frozenset(
            {ScreeningStatus.HELD, ScreeningStatus.RELEASED, ScreeningStatus.LOST}
        ),
        ScreeningStatus.HELD: frozenset(
            {ScreeningStatus.RELEASED, ScreeningStatus.REJECTED, ScreeningStatus.LOST}
        ),
        ScreeningStatus.RELEASED: frozenset(),
        ScreeningStatus.REJECTED: frozenset(),
        ScreeningStatus.LOST: frozenset(),
    },
    reopens={ScreeningStatus.REJECTED: frozenset({ScreeningStatus.LOST})},
)


class DepositSource(StrEnum):
    """Kind of deposit, by where it arrived."""

    WALLET = "WALLET"  # coins at the address of a user's wallet
    TREASURY = "TREASURY"  # coins at the organisation's own address
    BANK = "BANK"  # fiat: an incoming payment


class ScreeningDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Details of a screening in its record; the last four are facts of the provider's answer.

    `account_id` is credited with the coins of a wallet deposit once it is released.
    """

    source: DepositSource
    deposit_id: UUID
    account_id: UUID | None = None
    transaction_hash: str | None = None
    source_address: str | None = None
    destination_address: str | None = None
    rail: str | None = None
    provider: str | None = None
    categories: list[RiskCategory] = []
    missing: list[str] = []
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class DepositScreening:
    """Screening of a deposit, decoded once from its record."""

    record: Transfer
    details: ScreeningDetails
    status: ScreeningStatus
    money: Money


def as_screening(record: Transfer) -> DepositScreening:
    """Decode the record of a screening."""
    return DepositScreening(
        record=record,
        details=record.decode(ScreeningDetails),
        status=ScreeningStatus(record.status),
        money=Money(record.source_units, SCREENED_ASSETS[record.source_asset]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspendedDeposit:
    """Deposit to be screened; `user_id` is the organisation's id if the deposit has no user."""

    org_id: UUID
    user_id: UUID
    money: Money
    details: ScreeningDetails
    at: datetime


def screening_id(deposit_id: UUID, number: int) -> UUID:
    """Return the id of screening number `number`, counted from 1, of a deposit."""
    return derived_id(deposit_id, f"screening/{number}")


def suspended(deposit: SuspendedDeposit, number: int) -> CreateTransfer:
    """Build the record of a screening, due at once.

    Its id is derived, so that it can be created only once. Its request id is random: clients could
    compute a derived one, and use it first.
    """
    return CreateTransfer(
        org_id=deposit.org_id,
        id=screening_id(deposit.details.deposit_id, number),
        kind=KIND,
        user_id=deposit.user_id,
        request_id=new_id(),
        request={"depositId": str(deposit.details.deposit_id), "number": number},
        path=(ScreeningStatus.IN_SCREENING,),
        source=deposit.money,
        destination=deposit.money,
        details=msgspec.to_builtins(deposit.details),
        due_at=deposit.at,
        at=deposit.at,
        actor=ACTOR,
        journals={0: suspended_postings(deposit.money)},
    )


def held(screening: DepositScreening, report: ScreeningReport, at: datetime) -> AdvanceTransfer:
    """Build the advance of a screening that waits for two people after a hit.

    A screening that waits for travel rule data instead is also due to be checked again.
    """
    return _advance(
        screening,
        ScreeningStatus.HELD,
        (),
        change_type="hold",
        at=at,
        facts=answer_facts(report),
        due_at=at + RECHECKED_AFTER if report.missing else None,
    )


def released(
    screening: DepositScreening, *, actor: str, at: datetime, report: ScreeningReport | None = None
) -> AdvanceTransfer:
    """Build the advance to RELEASED: the deposit may be credited or matched."""
    return _advance(
        screening,
        ScreeningStatus.RELEASED,
        ended_postings(screening.money),
        change_type="release",
        at=at,
        actor=actor,
        facts=_hash(screening) if report is None else {**_hash(screening), **answer_facts(report)},
    )


def rejected(screening: DepositScreening, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the advance to REJECTED: the user does not get the deposit."""
    return _advance(
        screening,
        ScreeningStatus.REJECTED,
        rejected_postings(screening.details.source, screening.money),
        change_type="reject",
        at=at,
        actor=actor,
    )


def lost(screening: DepositScreening, at: datetime) -> AdvanceTransfer:
    """Build the advance to LOST: the chain has lost the coins."""
    return _advance(
        screening,
        ScreeningStatus.LOST,
        ended_postings(screening.money),
        change_type="lose",
        at=at,
        facts=_hash(screening),
    )


def suspended_postings(money: Money) -> list[Posting]:
    """Return the journal of money that arrives in suspense."""
    return [Posting(HouseRole.OUTSIDE, -money), Posting(HouseRole.SUSPENSE, money)]


def ended_postings(money: Money) -> list[Posting]:
    """Return the journal of money that leaves suspense."""
    return [Posting(HouseRole.SUSPENSE, -money), Posting(HouseRole.OUTSIDE, money)]


def rejected_postings(source: DepositSource, money: Money) -> list[Posting]:
    """Return the journal of a rejection; coins stay where they are."""
    return ended_postings(money) if source is DepositSource.BANK else []


def _advance(
    screening: DepositScreening,
    status: ScreeningStatus,
    postings: list[Posting] | tuple[()],
    *,
    change_type: str,
    at: datetime,
    actor: str = ACTOR,
    facts: Mapping[str, Any] | None = None,
    due_at: datetime | None = None,
) -> AdvanceTransfer:
    return AdvanceTransfer(
        screening.record,
        path=(status,),
        change_type=change_type,
        actor=actor,
        at=at,
        due_at=due_at,
        facts=dict(facts or {}),
        journals={0: postings} if postings else {},
    )


def answer_facts(report: ScreeningReport) -> dict[str, Any]:
    """Return the facts of a provider's final answer."""
    return {
        "provider": report.provider,
        "categories": [each.value for each in report.categories],
        "missing": list(report.missing),
        "reference": report.reference,
    }


def _hash(screening: DepositScreening) -> dict[str, str]:
    """Return the chain transaction hash, by which reconciliation finds the journal."""
    chain_hash = screening.details.transaction_hash
    return {} if chain_hash is None else {"transaction_hash": chain_hash}
