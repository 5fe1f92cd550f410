"""The moves of an offramp with what each does to money: pure, from a record and the moment.

Journals, in the order of the path:

    hold       available to held, in the wallet: with the approval that is asked for, or at accept
    arrived    coins from outside: OUTSIDE to IN_TRANSIT
    processed  held to LIQUIDITY, FEES and the beneficiaries of fees; coins from outside from
               IN_TRANSIT to LIQUIDITY, FEES and PAYABLE, from where disbursements pay the fees
    claimed    fiat: LIQUIDITY to IN_TRANSIT, and at the end to OUTSIDE, or back
    came back  fiat: OUTSIDE to LIQUIDITY, after the end; what the bank kept is written off
    returned   LIQUIDITY (or IN_TRANSIT) back to the wallet, or OUTSIDE

What is held is a fact, `held_units`, so that each move knows what there is to let go.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.core.errors import Broken
from landbridge.core.money import Money
from landbridge.flows.offramps.fees import total
from landbridge.flows.offramps.model import Offramp, Status, as_offramp
from landbridge.flows.offramps.quoting import Terms
from landbridge.ledger.model import Move, Posting, Role, Timing, Transfer, as_moved
from landbridge.ledger.past import amounts_told
from landbridge.payments.postings import hold, let_go, spend_held
from landbridge.payments.rehearsal import NOBODY, Station, stations_of

# A course is nobody's doing, and of no transaction.
_NO_HASH = ""

# Their time goes on while they are reviewed.
TIMED = frozenset({Status.PENDING_APPROVAL, Status.OPEN_QUOTE, Status.AWAITING_FUNDS})

# What a record knows once its coins are ours, and once the chain has refused to take them.
PROCESSED: Mapping[str, Any] = {"is_processed": True, "held_units": 0}
REFUSED: Mapping[str, Any] = {"held_units": 0}


def quoted(
    offramp: Offramp, terms: Terms, expires_at: datetime, *, actor: str, at: datetime
) -> Move:
    """Approved: the quote that is made now, with what it takes held in place of what was held."""
    is_held = not offramp.is_external
    return Move(
        offramp.record,
        path=(Status.OPEN_QUOTE,),
        what="approve",
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
            **amounts_told(terms.gross, terms.receive),
        },
        journals=_at_end(1, held_instead(offramp, terms.gross) if is_held else []),
    )


def ended(
    offramp: Offramp,
    status: Status,
    *,
    what: str,
    reason: str,
    actor: str,
    at: datetime,
    timing: Timing = Timing.ANY,
    facts: Mapping[str, Any] | None = None,
) -> Move:
    """To an end before any coins were taken: what is held is let go."""
    return Move(
        offramp.record,
        path=(status,),
        what=what,
        actor=actor,
        at=at,
        timing=timing,
        facts={
            **(facts or {}),
            "failed_reason": reason,
            "held_units": 0,
            "reviewed_from": None,
        },
        journals=_at_end(1, held_let_go(offramp)),
    )


def accepted(offramp: Offramp, *, actor: str, at: datetime, is_reviewed: bool) -> Move:
    """Accepted in time: what it takes is held, or waited for; to a review first if it must be."""
    account_id, due_at = offramp.details.source_account_id, offramp.record.due_at
    facts: dict[str, Any] = {"accepted_at": at.isoformat()}
    postings: list[Posting] = []
    status = Status.CRYPTO_INITIATED
    if account_id is None:
        # Reviewed when the coins are here: their price is good for minutes, a review takes longer.
        status, is_reviewed = Status.AWAITING_FUNDS, False
    else:
        due_at = at
        facts["held_units"] = offramp.gross.units
        postings = held_instead(offramp, offramp.gross)
    if is_reviewed:
        facts |= {"reviewed_from": status, "review_due_at": None}
        status, due_at = Status.IN_REVIEW, None
    return Move(
        offramp.record,
        path=(status,),
        what="accept",
        actor=actor,
        at=at,
        timing=Timing.IN_TIME,
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
) -> Move:
    """Coins came from outside in time: on with the exact amount, back with any other."""
    is_exact = money == offramp.gross
    goes_on = Status.CRYPTO_INITIATED if is_exact else Status.FIAT_FAILED
    facts: dict[str, Any] = {"received_units": money.units, "deposit_hash": chain_hash}
    if not is_exact:
        facts["failed_reason"] = (
            f"{money} {money.asset.currency} arrived in place of {offramp.gross}; they go back"
        )
    path: tuple[Status, ...] = (goes_on,)
    due_at: datetime | None = at
    if offramp.status is Status.IN_REVIEW or (is_exact and is_reviewed):
        # It was waiting for the coins all the while that it was reviewed, and is reviewed on.
        was_reviewed = offramp.status is Status.IN_REVIEW
        path = (Status.AWAITING_FUNDS, Status.IN_REVIEW) if was_reviewed else (Status.IN_REVIEW,)
        facts |= {"reviewed_from": goes_on, "review_due_at": None}
        due_at = None
    return Move(
        offramp.record,
        path=path,
        what="coins_arrived",
        actor=actor,
        at=at,
        timing=Timing.IN_TIME,
        due_at=due_at,
        facts=facts,
        journals={0: arrival(money)},
    )


def failed(
    offramp: Offramp,
    *,
    what: str,
    reason: str,
    actor: str,
    at: datetime,
    facts: Mapping[str, Any] | None = None,
) -> Move:
    """There will be no payout, and the bank knows of none: the coins go back next."""
    return Move(
        offramp.record,
        path=(Status.FIAT_FAILED,),
        what=what,
        actor=actor,
        at=at,
        due_at=at,
        facts={**(facts or {}), "failed_reason": reason, "reviewed_from": None},
    )


def payout_returned(
    offramp: Offramp, received: Money, *, reason: str, actor: str, at: datetime
) -> Move:
    """Reopen a completed offramp whose payout the bank gave back: its coins are returned next.

    `received` is what came back, which is less than was paid if a bank kept a fee of it.
    """
    return Move(
        offramp.record,
        path=(Status.FIAT_FAILED,),
        what="payout_returned",
        actor=actor,
        at=at,
        due_at=at,
        facts={"failed_reason": reason, "payout_returned_units": received.units},
        journals={0: payout_came_back(offramp, received)},
    )


def cancelled(offramp: Offramp, *, actor: str, at: datetime) -> Move:
    """Cancelled in review: at an end, or, with the coins here, on the way back."""
    has_coins = offramp.details.is_processed or offramp.received.units > 0
    build = failed if has_coins else _not_initiated
    return build(
        offramp,
        what="cancel",
        reason="it was cancelled while it was reviewed",
        actor=actor,
        at=at,
        facts={"is_cancelled": True},
    )


def into_review(offramp: Offramp, *, actor: str, at: datetime) -> Move:
    """To IN_REVIEW. What time ends goes on to be due; what the worker moves waits."""
    due_at = offramp.record.due_at
    return Move(
        offramp.record,
        path=(Status.IN_REVIEW,),
        what=Status.IN_REVIEW.lower(),
        actor=actor,
        at=at,
        due_at=due_at if offramp.status in TIMED else None,
        facts={
            "reviewed_from": offramp.status,
            "review_due_at": None if due_at is None else due_at.isoformat(),
        },
    )


def out_of_review(offramp: Offramp, *, actor: str, at: datetime) -> Move:
    """Back to where it was, with the time that it had left."""
    if (back := offramp.details.reviewed_from) is None:
        raise Broken(f"offramp {offramp.record.id} is in review, and came from nowhere")
    has_time = back in TIMED or back is Status.FIAT_PENDING
    return Move(
        offramp.record,
        path=(back,),
        what=back.lower(),
        actor=actor,
        at=at,
        due_at=offramp.details.review_due_at if has_time else at,
        facts={"reviewed_from": None, "review_due_at": None},
    )


def arrival(money: Money) -> list[Posting]:
    """Return the journal of coins that arrive from outside."""
    return [Posting(Role.OUTSIDE, -money), Posting(Role.IN_TRANSIT, money)]


def taken_in(offramp: Offramp, *, actor: str, at: datetime) -> Move:
    """Book coins from outside as the house's: no order is needed, they are here already."""
    return Move(
        offramp.record,
        path=(Status.CRYPTO_PENDING, Status.CRYPTO_PROCESSED),
        what=Status.CRYPTO_PROCESSED.lower(),
        actor=actor,
        at=at,
        due_at=at,
        facts=PROCESSED,
        journals={1: processed(offramp)},
    )


def payout_claimed(offramp: Offramp) -> list[Posting]:
    """The fiat is on its way to the bank."""
    return [
        Posting(Role.LIQUIDITY, -offramp.receive),
        Posting(Role.IN_TRANSIT, offramp.receive),
    ]


def payout_done(offramp: Offramp) -> list[Posting]:
    """The fiat has left."""
    return [Posting(Role.IN_TRANSIT, -offramp.receive), Posting(Role.OUTSIDE, offramp.receive)]


def payout_failed(offramp: Offramp) -> list[Posting]:
    """The fiat is ours again."""
    return [Posting(Role.IN_TRANSIT, -offramp.receive), Posting(Role.LIQUIDITY, offramp.receive)]


def payout_came_back(offramp: Offramp, received: Money) -> list[Posting]:
    """The fiat is ours again after it had left; the organisation bears what a bank kept of it."""
    kept = offramp.receive - received
    lost = [Posting(Role.WRITE_OFFS, -kept)] if kept.units else []
    return [
        Posting(Role.OUTSIDE, -received),
        Posting(Role.LIQUIDITY, offramp.receive),
        *lost,
    ]


def processed(offramp: Offramp) -> list[Posting]:
    """The coins are ours; the fees are their beneficiaries', or owed to them."""
    account_id = offramp.details.source_account_id
    if account_id is not None:
        return spend_held(account_id, [*_ours(offramp), *_beneficiaries(offramp)])
    owed = (Role.PAYABLE, total(offramp.fees, offramp.gross.asset))
    parts = [Posting(role, money) for role, money in (*_ours(offramp), owed) if money.units]
    return [Posting(Role.IN_TRANSIT, -offramp.received), *parts]


def returned(offramp: Offramp) -> list[Posting]:
    """The coins are whose they were, but for fees that were paid."""
    return [*_given_back(offramp), Posting(offramp.returns_to, offramp.returned)]


def returned_outside(offramp: Offramp) -> list[Posting]:
    """Post coins that went back by other means than an order of ours: they left the platform."""
    return [*_given_back(offramp), Posting(Role.OUTSIDE, offramp.returned)]


def _given_back(offramp: Offramp) -> list[Posting]:
    """The side of a refund from which the coins come."""
    if offramp.details.is_processed:
        return [Posting(account, -money) for account, money in _ours(offramp) if money.units]
    return [Posting(Role.IN_TRANSIT, -offramp.returned)]


def course(record: Transfer) -> list[Station]:
    """What is posted after it was opened, if it is accepted and all goes well."""
    at = record.created_at
    offramp = as_offramp(record)
    taken = accepted(offramp, actor=NOBODY, at=at, is_reviewed=False)
    if offramp.is_external:
        waiting = as_offramp(as_moved(taken))
        taken = arrived(*(waiting, waiting.gross, _NO_HASH), actor=NOBODY, at=at, is_reviewed=False)
    ours = as_offramp(as_moved(taken))
    return [
        *stations_of(taken),
        Station(Status.CRYPTO_PROCESSED, processed(ours)),
        Station(Status.FIAT_INITIATED, payout_claimed(ours)),
        Station(Status.COMPLETED, payout_done(ours)),
    ]


def _not_initiated(
    offramp: Offramp,
    *,
    what: str,
    reason: str,
    actor: str,
    at: datetime,
    facts: Mapping[str, Any] | None = None,
) -> Move:
    return ended(
        offramp, Status.NOT_INITIATED, what=what, reason=reason, actor=actor, at=at, facts=facts
    )


def _ours(offramp: Offramp) -> list[tuple[Role, Money]]:
    fee = offramp.exchange_fee
    return [(Role.LIQUIDITY, offramp.amount - fee), (Role.FEES, fee)]


def _beneficiaries(offramp: Offramp) -> list[tuple[UUID | Role, Money]]:
    return [(each.line.account_id or Role.OUTSIDE, each.money) for each in offramp.fees]


def held_instead(offramp: Offramp, money: Money) -> list[Posting]:
    """From what is held for it to this much; nothing if that is so already."""
    account_id = offramp.details.source_account_id
    if account_id is None:
        raise Broken("nothing is held of coins that come from outside")
    more = money - offramp.held
    if more.units > 0:
        return hold(account_id, more)
    return let_go(account_id, -more) if more.units else []


def held_let_go(offramp: Offramp) -> list[Posting]:
    """What is held for it can be spent again."""
    account_id = offramp.details.source_account_id
    if account_id is None or not offramp.held.units:
        return []
    return let_go(account_id, offramp.held)


def _at_end(length: int, postings: list[Posting]) -> dict[int, list[Posting]]:
    return {length - 1: postings} if postings else {}
