"""Transitions and postings of an onramp: pure functions of a record and a time.

A reported deposit is in IN_TRANSIT until it is processed, and again while it is to be returned.
Processed fiat is in LIQUIDITY, and so are the coins until they are delivered.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.model import AdvanceTransfer, DueCheck, HouseRole, Posting, Transfer
from landbridge.ledger.snapshots import amount_facts
from landbridge.payments.engine.dry_run import NO_ACTOR, PlannedStep, journal_steps
from landbridge.payments.engine.outgoing_orders import build_move
from landbridge.payments.onramps.model import (
    EXPIRING,
    QUOTE_LIFETIME,
    RETURNING,
    TRANSITIONS,
    Onramp,
    OnrampStatus,
    as_onramp,
)
from landbridge.payments.quotes.pricing import Quote
from landbridge.platform.core.money import Money

_EXPIRED = {
    OnrampStatus.OPEN_QUOTE: "the quote expired before it was accepted",
    OnrampStatus.AWAITING_FUNDS: "the quote expired before the deposit arrived",
}


def refreshed(
    onramp: Onramp, quote: Quote, *, worth_usd: Decimal | None, actor: str, at: datetime
) -> AdvanceTransfer:
    """Refresh an open quote: new amounts and a new lifetime."""
    expires_at = at + QUOTE_LIFETIME
    recorded_facts = {
        "fee_units": quote.fee.units,
        "rate": quote.price.rate.value,
        "worth_usd": worth_usd,
        "quote_expires_at": expires_at,
        **amount_facts(quote.send_gross, quote.receive),
    }
    return AdvanceTransfer(
        onramp.record,
        path=(OnrampStatus.OPEN_QUOTE,),
        change_type="refresh",
        actor=actor,
        at=at,
        timing=DueCheck.IN_TIME,
        due_at=expires_at,
        source=quote.send_gross,
        destination=quote.receive,
        facts=msgspec.to_builtins(recorded_facts),
    )


def accepted(
    onramp: Onramp, *, reference: str, account_number: str, actor: str, at: datetime
) -> AdvanceTransfer:
    """Accept the quote; the deposit is awaited until the expiry of the quote."""
    return AdvanceTransfer(
        onramp.record,
        path=(OnrampStatus.AWAITING_FUNDS,),
        change_type="accept",
        actor=actor,
        at=at,
        timing=DueCheck.IN_TIME,
        due_at=onramp.record.due_at,
        facts={
            "reference": reference,
            "account_number": account_number,
            "accepted_at": at.isoformat(),
        },
    )


def expired(onramp: Onramp, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Expire an onramp that was not accepted, or not paid, in time."""
    return AdvanceTransfer(
        onramp.record,
        path=(OnrampStatus.QUOTE_FAILED,),
        change_type="expire",
        actor=actor,
        at=at,
        timing=DueCheck.OVERDUE,
        facts={"failed_reason": _EXPIRED[onramp.state]},
    )


class DepositMatchResult(msgspec.Struct, frozen=True):
    """Result of a deposit match: next status, due time of the worker, and facts to record."""

    status: OnrampStatus
    due_at: datetime | None
    facts: Mapping[str, Any]
    is_reviewed: bool = False

    def path(self) -> tuple[OnrampStatus, ...]:
        """Return the statuses that the onramp passes, beginning with the report of the deposit."""
        channel = (OnrampStatus.FIAT_INITIATED, self.status)
        return (*channel, OnrampStatus.IN_REVIEW) if self.is_reviewed else channel

    def recorded_facts(self) -> dict[str, Any]:
        """Return the facts to store, including those of the match itself."""
        if not self.is_reviewed:
            return dict(self.facts)
        return {**self.facts, **_from_where(self.status, self.due_at)}


def match_deposit(
    onramp: Onramp, money: Money, *, incoming_payment_id: UUID, clears_at: datetime, is_large: bool
) -> DepositMatchResult:
    """Match a deposit with its onramp; an amount other than the quoted one fails it.

    A review continues if the deposit arrives: nothing is sent or returned before the review ends.
    """
    was_reviewed = onramp.status is OnrampStatus.IN_REVIEW
    facts: dict[str, Any] = {
        "incoming_payment_id": str(incoming_payment_id),
        "received_units": money.units,
    }
    if money != onramp.source:
        reason = (
            f"{money} {money.asset.currency} arrived instead of {onramp.source}; it is returned"
        )
        facts["failed_reason"] = reason
        return DepositMatchResult(OnrampStatus.FIAT_FAILED, None, facts, is_reviewed=was_reviewed)
    return DepositMatchResult(
        OnrampStatus.FIAT_PENDING, clears_at, facts, is_reviewed=was_reviewed or is_large
    )


def deposited(
    onramp: Onramp, match: DepositMatchResult, money: Money, *, actor: str, at: datetime
) -> AdvanceTransfer:
    """Record the deposit that the onramp awaited, also during a review."""
    was_reviewed = onramp.status is OnrampStatus.IN_REVIEW
    before = (OnrampStatus.AWAITING_FUNDS,) if was_reviewed else ()
    return AdvanceTransfer(
        onramp.record,
        path=(*before, *match.path()),
        change_type=match.status.lower(),
        actor=actor,
        at=at,
        due_at=None if match.is_reviewed else match.due_at or at,
        facts=match.recorded_facts(),
        journals={len(before): deposit_postings(money)},
    )


def deposit_postings(money: Money) -> list[Posting]:
    """Post the deposit from outside into transit."""
    return [Posting(HouseRole.OUTSIDE, -money), Posting(HouseRole.IN_TRANSIT, money)]


def claimed(onramp: Onramp, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Process the fiat and claim the delivery of the coins."""
    net = onramp.source - onramp.fee
    processed = [
        Posting(HouseRole.IN_TRANSIT, -onramp.source),
        *_nonzero_postings((HouseRole.LIQUIDITY, net), (HouseRole.FEES, onramp.fee)),
    ]
    return AdvanceTransfer(
        onramp.record,
        path=(OnrampStatus.FIAT_PROCESSED, OnrampStatus.CRYPTO_INITIATED),
        change_type=OnrampStatus.CRYPTO_INITIATED.lower(),
        actor=actor,
        at=at,
        due_at=at,
        journals={0: processed},
    )


def failed(
    onramp: Onramp,
    *,
    reason: str,
    actor: str,
    at: datetime,
    change_type: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> AdvanceTransfer:
    """Fail the deposit, which is then returned to its sender."""
    return build_move(
        onramp.record,
        TRANSITIONS,
        OnrampStatus.FIAT_FAILED,
        at=at,
        actor=actor,
        change_type=change_type,
        facts={**(facts or {}), "failed_reason": reason},
    )


def delivered(onramp: Onramp) -> list[Posting]:
    """Post the coins to the parts of a settlement rule and to the onramp's destination."""
    to: dict[UUID | HouseRole, Money] = {}
    parties = [(part.account_id, money) for part, money in onramp.parts]
    for account_id, money in [*parties, (onramp.details.destination_account_id, onramp.remainder)]:
        account = account_id or HouseRole.OUTSIDE
        to[account] = to[account] + money if account in to else money
    return [Posting(HouseRole.LIQUIDITY, -onramp.destination), *_nonzero_postings(*to.items())]


def planned_steps(record: Transfer) -> list[PlannedStep]:
    """List the postings after creation if the onramp is accepted, paid and completes."""
    onramp = as_onramp(record)
    return [
        PlannedStep(OnrampStatus.FIAT_INITIATED, deposit_postings(onramp.source)),
        *journal_steps(claimed(onramp, actor=NO_ACTOR, at=record.created_at)),
        PlannedStep(OnrampStatus.COMPLETED, delivered(onramp)),
    ]


def back_in_transit(onramp: Onramp) -> list[Posting]:
    """Post processed fiat back into transit, our fees included."""
    net = onramp.source - onramp.fee
    return [
        *_nonzero_postings((HouseRole.LIQUIDITY, -net), (HouseRole.FEES, -onramp.fee)),
        Posting(HouseRole.IN_TRANSIT, onramp.source),
    ]


def returned(onramp: Onramp) -> list[Posting]:
    """Post the return of the deposit."""
    money = onramp.deposit
    return [Posting(HouseRole.IN_TRANSIT, -money), Posting(HouseRole.OUTSIDE, money)]


def return_journal(onramp: Onramp, received: Money) -> list[Posting]:
    """Post a returned deposit that came back; the organisation bears a bank's deduction."""
    shortfall = onramp.deposit - received
    return [
        Posting(HouseRole.OUTSIDE, -received),
        Posting(HouseRole.IN_TRANSIT, onramp.deposit),
        *_nonzero_postings((HouseRole.WRITE_OFFS, -shortfall)),
    ]


def return_received(
    onramp: Onramp, received: Money, *, actor: str, at: datetime, due_at: datetime
) -> AdvanceTransfer:
    """Reopen an onramp after its returned deposit came back; it is returned again at `due_at`.

    `received` is the amount that came back. It is less than was returned if a bank deducted a fee.
    """
    return AdvanceTransfer(
        onramp.record,
        path=(OnrampStatus.FIAT_FAILED,),
        change_type="return_came_back",
        actor=actor,
        at=at,
        due_at=due_at,
        facts={"return_came_back_units": received.units},
        journals={0: return_journal(onramp, received)},
    )


def reversed_undelivered(onramp: Onramp, *, actor: str, at: datetime) -> AdvanceTransfer:
    """End an onramp because the bank reversed its deposit before anything was delivered."""
    failed_at = onramp.state if onramp.state in RETURNING else OnrampStatus.FIAT_FAILED
    is_there = onramp.status is failed_at
    path = (OnrampStatus.FIAT_RETURNED,) if is_there else (failed_at, OnrampStatus.FIAT_RETURNED)
    return AdvanceTransfer(
        onramp.record,
        path=path,
        change_type="reversed",
        actor=actor,
        at=at,
        facts={"failed_reason": "the bank reversed the deposit", "is_reversed": True},
        journals={len(path) - 1: returned(onramp)},
    )


def into_review(onramp: Onramp, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Start a review; only a deadline of the owner (accept, deposit) keeps running."""
    due_at = onramp.record.due_at
    return AdvanceTransfer(
        onramp.record,
        path=(OnrampStatus.IN_REVIEW,),
        change_type=OnrampStatus.IN_REVIEW.lower(),
        actor=actor,
        at=at,
        due_at=due_at if onramp.status in EXPIRING else None,
        facts=_from_where(onramp.status, due_at),
    )


def out_of_review(onramp: Onramp, *, actor: str, at: datetime) -> AdvanceTransfer:
    """End a review: return to the previous status with its due time, or due now if that is past."""
    old = onramp.details.review_due_at
    due_at = old if onramp.state in EXPIRING else max(at, old or at)
    return AdvanceTransfer(
        onramp.record,
        path=(onramp.state,),
        change_type=onramp.state.lower(),
        actor=actor,
        at=at,
        due_at=due_at,
    )


def cancelled(onramp: Onramp, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Cancel an onramp in review; a received deposit is returned next."""
    reason, facts = "cancelled while in review", {"is_cancelled": True}
    if onramp.state not in EXPIRING:
        return failed(onramp, reason=reason, actor=actor, at=at, change_type="cancel", facts=facts)
    return AdvanceTransfer(
        onramp.record,
        path=(OnrampStatus.NOT_INITIATED,),
        change_type="cancel",
        actor=actor,
        at=at,
        facts={**facts, "failed_reason": reason},
    )


def _from_where(status: OnrampStatus, due_at: datetime | None) -> dict[str, Any]:
    return {"reviewed_from": status, "review_due_at": msgspec.to_builtins(due_at)}


def _nonzero_postings(*parts: tuple[UUID | HouseRole, Money]) -> list[Posting]:
    """Return one posting per part, without parts of zero."""
    return [Posting(account, money) for account, money in parts if money.units]
