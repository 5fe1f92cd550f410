"""Transitions of an offramp and their postings: pure functions of a record and a time.

Journals, in the order of the path:

    hold       available to held, in the wallet: with the approval request, or on accept
    arrived    external coins: OUTSIDE to IN_TRANSIT
    processed  held to LIQUIDITY, FEES and the fee beneficiaries; external coins from
               IN_TRANSIT to LIQUIDITY, FEES and PAYABLE, from which disbursements pay the fees
    claimed    fiat: LIQUIDITY to IN_TRANSIT, and at the end to OUTSIDE, or back
    came back  fiat: OUTSIDE to LIQUIDITY, after COMPLETED; the bank's deduction is written off
    returned   LIQUIDITY (or IN_TRANSIT) back to the wallet, or OUTSIDE

The held amount is the fact `held_units`, so that each transition knows what to release.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.ledger.model import AdvanceTransfer, DueCheck, HouseRole, Posting
from landbridge.ledger.snapshots import amount_facts
from landbridge.payments.engine.postings import hold, move, release_held, spend_held
from landbridge.payments.offramps.fees import total
from landbridge.payments.offramps.model import Offramp, OfframpStatus
from landbridge.payments.offramps.quote import OfframpQuoteTerms
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money

# Statuses with a deadline that keeps running during a review.
TIMED = frozenset(
    {OfframpStatus.PENDING_APPROVAL, OfframpStatus.OPEN_QUOTE, OfframpStatus.AWAITING_FUNDS}
)

# Facts of a record after its coins were debited, and after the chain rejected the debit.
PROCESSED: Mapping[str, Any] = {"is_processed": True, "held_units": 0}
REFUSED: Mapping[str, Any] = {"held_units": 0}


def quoted(
    offramp: Offramp, terms: OfframpQuoteTerms, expires_at: datetime, *, actor: str, at: datetime
) -> AdvanceTransfer:
    """Quote the approved offramp, and change the held amount to the quoted amount."""
    is_held = not offramp.is_external
    return AdvanceTransfer(
        offramp.record,
        path=(OfframpStatus.OPEN_QUOTE,),
        change_type="approve",
        actor=actor,
        at=at,
        due_at=expires_at,
        source=terms.gross,
        destination=terms.receive,
        facts={
            "amount_units": terms.amount.units,
            "exchange_fee_units": terms.exchange_fee.units,
            "rate": str(terms.rate),
            "quote_expires_at": expires_at.isoformat(),
            "held_units": terms.gross.units if is_held else 0,
            **amount_facts(terms.gross, terms.receive),
        },
        journals=_at_end(1, adjust_hold(offramp, terms.gross) if is_held else []),
    )


def ended(
    offramp: Offramp,
    status: OfframpStatus,
    *,
    change_type: str,
    reason: str,
    actor: str,
    at: datetime,
    timing: DueCheck = DueCheck.ANY,
    facts: Mapping[str, Any] | None = None,
) -> AdvanceTransfer:
    """End the offramp before any debit, and release the hold."""
    return AdvanceTransfer(
        offramp.record,
        path=(status,),
        change_type=change_type,
        actor=actor,
        at=at,
        timing=timing,
        facts={
            **(facts or {}),
            "failed_reason": reason,
            "held_units": 0,
            "reviewed_from": None,
        },
        journals=_at_end(1, release_hold(offramp)),
    )


def accepted(offramp: Offramp, *, actor: str, at: datetime, is_reviewed: bool) -> AdvanceTransfer:
    """Accept the quote in time: hold or await the coins, or start a required review."""
    account_id, due_at = offramp.details.source_account_id, offramp.record.due_at
    facts: dict[str, Any] = {"accepted_at": at.isoformat()}
    postings: list[Posting] = []
    status = OfframpStatus.CRYPTO_INITIATED
    if account_id is None:
        # External coins are reviewed after their arrival: a review would outlast the quote.
        status, is_reviewed = OfframpStatus.AWAITING_FUNDS, False
    else:
        due_at = at
        facts["held_units"] = offramp.gross.units
        postings = adjust_hold(offramp, offramp.gross)
    if is_reviewed:
        facts |= {"reviewed_from": status, "review_due_at": None}
        status, due_at = OfframpStatus.IN_REVIEW, None
    return AdvanceTransfer(
        offramp.record,
        path=(status,),
        change_type="accept",
        actor=actor,
        at=at,
        timing=DueCheck.IN_TIME,
        due_at=due_at,
        facts=facts,
        journals=_at_end(1, postings),
    )


def arrived(
    offramp: Offramp,
    money: Money,
    chain_hash: str,
    *,
    actor: str,
    at: datetime,
    is_reviewed: bool,
) -> AdvanceTransfer:
    """Record external coins in time: the exact amount continues, any other is returned."""
    is_exact = money == offramp.gross
    next_status = OfframpStatus.CRYPTO_INITIATED if is_exact else OfframpStatus.FIAT_FAILED
    facts: dict[str, Any] = {"received_units": money.units, "deposit_hash": chain_hash}
    if not is_exact:
        facts["failed_reason"] = (
            f"{money} {money.asset.currency} arrived instead of {offramp.gross}; they are returned"
        )
    path: tuple[OfframpStatus, ...] = (next_status,)
    due_at: datetime | None = at
    if offramp.status is OfframpStatus.IN_REVIEW or (is_exact and is_reviewed):
        # The coins arrived during a review, which continues.
        was_reviewed = offramp.status is OfframpStatus.IN_REVIEW
        path = (
            (OfframpStatus.AWAITING_FUNDS, OfframpStatus.IN_REVIEW)
            if was_reviewed
            else (OfframpStatus.IN_REVIEW,)
        )
        facts |= {"reviewed_from": next_status, "review_due_at": None}
        due_at = None
    return AdvanceTransfer(
        offramp.record,
        path=path,
        change_type="coins_arrived",
        actor=actor,
        at=at,
        timing=DueCheck.IN_TIME,
        due_at=due_at,
        facts=facts,
        journals={0: arrival(money)},
    )


def failed(
    offramp: Offramp,
    *,
    change_type: str,
    reason: str,
    actor: str,
    at: datetime,
    facts: Mapping[str, Any] | None = None,
) -> AdvanceTransfer:
    """Fail an offramp without a payout at the bank; the worker refunds the coins next."""
    return AdvanceTransfer(
        offramp.record,
        path=(OfframpStatus.FIAT_FAILED,),
        change_type=change_type,
        actor=actor,
        at=at,
        due_at=at,
        facts={**(facts or {}), "failed_reason": reason, "reviewed_from": None},
    )


def payout_returned(
    offramp: Offramp, received: Money, *, reason: str, actor: str, at: datetime
) -> AdvanceTransfer:
    """Reopen a completed offramp after the bank returned its payout; the coins are refunded next.

    `received` is the amount that came back. It is less than was paid if the bank deducted a fee.
    """
    return AdvanceTransfer(
        offramp.record,
        path=(OfframpStatus.FIAT_FAILED,),
        change_type="payout_returned",
        actor=actor,
        at=at,
        due_at=at,
        facts={"failed_reason": reason, "payout_returned_units": received.units},
        journals={0: payout_return_journal(offramp, received)},
    )


def cancelled(offramp: Offramp, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Cancel in review: end it, or refund the coins if they were debited."""
    has_coins = offramp.details.is_processed or offramp.received.units > 0
    build = failed if has_coins else _not_initiated
    return build(
        offramp,
        change_type="cancel",
        reason="it was cancelled during its review",
        actor=actor,
        at=at,
        facts={"is_cancelled": True},
    )


def into_review(offramp: Offramp, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Start a review. Deadlines keep running; the worker makes no steps until the review ends."""
    due_at = offramp.record.due_at
    return AdvanceTransfer(
        offramp.record,
        path=(OfframpStatus.IN_REVIEW,),
        change_type=OfframpStatus.IN_REVIEW.lower(),
        actor=actor,
        at=at,
        due_at=due_at if offramp.status in TIMED else None,
        facts={
            "reviewed_from": offramp.status,
            "review_due_at": None if due_at is None else due_at.isoformat(),
        },
    )


def out_of_review(offramp: Offramp, *, actor: str, at: datetime) -> AdvanceTransfer:
    """End a review: return to the previous status with its deadline."""
    if (back := offramp.details.reviewed_from) is None:
        raise InvariantBroken(
            f"offramp {offramp.record.id} is in review without its previous status"
        )
    has_time = back in TIMED or back is OfframpStatus.FIAT_PENDING
    return AdvanceTransfer(
        offramp.record,
        path=(back,),
        change_type=back.lower(),
        actor=actor,
        at=at,
        due_at=offramp.details.review_due_at if has_time else at,
        facts={"reviewed_from": None, "review_due_at": None},
    )


def arrival(money: Money) -> list[Posting]:
    """Return the journal of coins that arrive from outside."""
    return move(HouseRole.OUTSIDE, HouseRole.IN_TRANSIT, money)


def external_coins_booked(offramp: Offramp, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Book external coins as the organisation's; they have arrived, so no order is needed."""
    return AdvanceTransfer(
        offramp.record,
        path=(OfframpStatus.CRYPTO_PENDING, OfframpStatus.CRYPTO_PROCESSED),
        change_type=OfframpStatus.CRYPTO_PROCESSED.lower(),
        actor=actor,
        at=at,
        due_at=at,
        facts=PROCESSED,
        journals={1: processed(offramp)},
    )


def payout_claimed(offramp: Offramp) -> list[Posting]:
    """Post the claimed payout into transit."""
    return move(HouseRole.LIQUIDITY, HouseRole.IN_TRANSIT, offramp.receive)


def payout_done(offramp: Offramp) -> list[Posting]:
    """Post the settled payout to outside."""
    return move(HouseRole.IN_TRANSIT, HouseRole.OUTSIDE, offramp.receive)


def payout_failed(offramp: Offramp) -> list[Posting]:
    """Post the failed payout back to liquidity."""
    return move(HouseRole.IN_TRANSIT, HouseRole.LIQUIDITY, offramp.receive)


def payout_return_journal(offramp: Offramp, received: Money) -> list[Posting]:
    """Post a settled payout that came back; the organisation bears the bank's deduction."""
    shortfall = offramp.receive - received
    write_off = [Posting(HouseRole.WRITE_OFFS, -shortfall)] if shortfall.units else []
    return [
        Posting(HouseRole.OUTSIDE, -received),
        Posting(HouseRole.LIQUIDITY, offramp.receive),
        *write_off,
    ]


def processed(offramp: Offramp) -> list[Posting]:
    """Post the coins to us, and the fees to their beneficiaries or to PAYABLE."""
    account_id = offramp.details.source_account_id
    if account_id is not None:
        return spend_held(account_id, [*_ours(offramp), *_beneficiaries(offramp)])
    owed = (HouseRole.PAYABLE, total(offramp.fees, offramp.gross.asset))
    parts = [Posting(role, money) for role, money in (*_ours(offramp), owed) if money.units]
    return [Posting(HouseRole.IN_TRANSIT, -offramp.received), *parts]


def returned(offramp: Offramp) -> list[Posting]:
    """Post the refund to the owner of the coins, without fees that were already paid."""
    return [*_given_back(offramp), Posting(offramp.returns_to, offramp.returned)]


def returned_outside(offramp: Offramp) -> list[Posting]:
    """Post coins that were refunded without an order of ours: they left the platform."""
    return [*_given_back(offramp), Posting(HouseRole.OUTSIDE, offramp.returned)]


def _given_back(offramp: Offramp) -> list[Posting]:
    """Return the debit side of a refund: the accounts that now have the coins."""
    if offramp.details.is_processed:
        return [Posting(account, -money) for account, money in _ours(offramp) if money.units]
    return [Posting(HouseRole.IN_TRANSIT, -offramp.returned)]


def _not_initiated(
    offramp: Offramp,
    *,
    change_type: str,
    reason: str,
    actor: str,
    at: datetime,
    facts: Mapping[str, Any] | None = None,
) -> AdvanceTransfer:
    return ended(
        offramp,
        OfframpStatus.NOT_INITIATED,
        change_type=change_type,
        reason=reason,
        actor=actor,
        at=at,
        facts=facts,
    )


def _ours(offramp: Offramp) -> list[tuple[HouseRole, Money]]:
    fee = offramp.exchange_fee
    return [(HouseRole.LIQUIDITY, offramp.amount - fee), (HouseRole.FEES, fee)]


def _beneficiaries(offramp: Offramp) -> list[tuple[UUID | HouseRole, Money]]:
    return [(each.line.account_id or HouseRole.OUTSIDE, each.money) for each in offramp.fees]


def adjust_hold(offramp: Offramp, money: Money) -> list[Posting]:
    """Change the hold to this amount; no postings if it already is."""
    account_id = offramp.details.source_account_id
    if account_id is None:
        raise InvariantBroken("external coins have no hold")
    more = money - offramp.held
    if more.units > 0:
        return hold(account_id, more)
    return release_held(account_id, -more) if more.units else []


def release_hold(offramp: Offramp) -> list[Posting]:
    """Release the hold."""
    account_id = offramp.details.source_account_id
    if account_id is None or not offramp.held.units:
        return []
    return release_held(account_id, offramp.held)


def _at_end(length: int, postings: list[Posting]) -> dict[int, list[Posting]]:
    return {length - 1: postings} if postings else {}
