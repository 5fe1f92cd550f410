"""What each verb and step makes of an onramp: pure, so that those only choose.

Fiat that was seen is in transit until it is processed, and again once it has to go back; from
processing on it is liquidity, and so are the coins until they are delivered.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from landbridge.core.money import Money
from landbridge.flows.onramps.model import (
    LAPSING,
    MOVES,
    QUOTE_LIFETIME,
    RETURNING,
    Onramp,
    Status,
    as_onramp,
)
from landbridge.ledger.model import Move, Posting, Role, Timing, Transfer
from landbridge.ledger.past import amounts_told
from landbridge.payments.rehearsal import NOBODY, Station, stations_of
from landbridge.payments.sending import going
from landbridge.quotes.pricing import Quote

_EXPIRED = {
    Status.OPEN_QUOTE: "the quote expired before it was accepted",
    Status.AWAITING_FUNDS: "the quote expired before the deposit arrived",
}


def refreshed(
    onramp: Onramp, quote: Quote, *, worth_usd: Decimal | None, actor: str, at: datetime
) -> Move:
    """An open quote, made anew: other amounts, and time from now on."""
    expires_at = at + QUOTE_LIFETIME
    told = {
        "fee_units": quote.fee.units,
        "rate": quote.price.rate.value,
        "worth_usd": worth_usd,
        "quote_expires_at": expires_at,
        **amounts_told(quote.send_gross, quote.receive),
    }
    return Move(
        onramp.record,
        path=(Status.OPEN_QUOTE,),
        what="refresh",
        actor=actor,
        at=at,
        timing=Timing.IN_TIME,
        due_at=expires_at,
        source=quote.send_gross,
        destination=quote.receive,
        facts=msgspec.to_builtins(told),
    )


def accepted(
    onramp: Onramp, *, reference: str, account_number: str, actor: str, at: datetime
) -> Move:
    """From here on the deposit is waited for, until the quote would have expired."""
    return Move(
        onramp.record,
        path=(Status.AWAITING_FUNDS,),
        what="accept",
        actor=actor,
        at=at,
        timing=Timing.IN_TIME,
        due_at=onramp.record.due_at,
        facts={"reference": reference, "account_number": account_number},
    )


def lapsed(onramp: Onramp, *, actor: str, at: datetime) -> Move:
    """Its time is over."""
    return Move(
        onramp.record,
        path=(Status.QUOTE_FAILED,),
        what="expire",
        actor=actor,
        at=at,
        timing=Timing.OVERDUE,
        facts={"failed_reason": _EXPIRED[onramp.standing]},
    )


class Seen(msgspec.Struct, frozen=True):
    """Where a deposit leads, from when on the worker looks at it, and what is kept of it."""

    status: Status
    due_at: datetime | None
    facts: Mapping[str, Any]
    is_reviewed: bool = False

    def path(self) -> tuple[Status, ...]:
        """From the moment that it was seen."""
        way = (Status.FIAT_INITIATED, self.status)
        return (*way, Status.IN_REVIEW) if self.is_reviewed else way

    def told(self) -> dict[str, Any]:
        """What the record keeps."""
        if not self.is_reviewed:
            return dict(self.facts)
        return {**self.facts, **_from_where(self.status, self.due_at)}


def seen(
    onramp: Onramp, money: Money, *, receipt_id: UUID, clears_at: datetime, is_large: bool
) -> Seen:
    """What a deposit makes of the record that it pays: another amount than was quoted fails it.

    A review goes on, whatever arrives in it: nothing is sent, nor given back, before it is over.
    """
    was_reviewed = onramp.status is Status.IN_REVIEW
    facts: dict[str, Any] = {"receipt_id": str(receipt_id), "received_units": money.units}
    if money != onramp.source:
        reason = (
            f"{money} {money.asset.currency} arrived instead of {onramp.source}; it is sent back"
        )
        facts["failed_reason"] = reason
        return Seen(Status.FIAT_FAILED, None, facts, is_reviewed=was_reviewed)
    return Seen(Status.FIAT_PENDING, clears_at, facts, is_reviewed=was_reviewed or is_large)


def deposited(onramp: Onramp, found: Seen, money: Money, *, actor: str, at: datetime) -> Move:
    """The deposit was seen: where it was waited for, also while that was reviewed."""
    was_reviewed = onramp.status is Status.IN_REVIEW
    before = (Status.AWAITING_FUNDS,) if was_reviewed else ()
    return Move(
        onramp.record,
        path=(*before, *found.path()),
        what=found.status.lower(),
        actor=actor,
        at=at,
        due_at=None if found.is_reviewed else found.due_at or at,
        facts=found.told(),
        journals={len(before): seen_journal(money)},
    )


def seen_journal(money: Money) -> list[Posting]:
    """From outside into transit."""
    return [Posting(Role.OUTSIDE, -money), Posting(Role.IN_TRANSIT, money)]


def claimed(onramp: Onramp, *, actor: str, at: datetime) -> Move:
    """The fiat is ours, and the coins are going to be sent."""
    net = onramp.source - onramp.fee
    processed = [
        Posting(Role.IN_TRANSIT, -onramp.source),
        *_told((Role.LIQUIDITY, net), (Role.FEES, onramp.fee)),
    ]
    return Move(
        onramp.record,
        path=(Status.FIAT_PROCESSED, Status.CRYPTO_INITIATED),
        what=Status.CRYPTO_INITIATED.lower(),
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
    what: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Move:
    """The deposit can't be taken after all, and goes back to its sender."""
    return going(
        onramp.record,
        MOVES,
        Status.FIAT_FAILED,
        at=at,
        actor=actor,
        what=what,
        facts={**(facts or {}), "failed_reason": reason},
    )


def delivered(onramp: Onramp) -> list[Posting]:
    """The coins, to the parts of a settlement rule and to their own destination."""
    to: dict[UUID | Role, Money] = {}
    ends = [(part.account_id, money) for part, money in onramp.parts]
    for account_id, money in [*ends, (onramp.details.destination_account_id, onramp.left)]:
        account = account_id or Role.OUTSIDE
        to[account] = to[account] + money if account in to else money
    return [Posting(Role.LIQUIDITY, -onramp.destination), *_told(*to.items())]


def course(record: Transfer) -> list[Station]:
    """What is posted after it was opened, if it is accepted, paid for, and all goes well."""
    onramp = as_onramp(record)
    return [
        Station(Status.FIAT_INITIATED, seen_journal(onramp.source)),
        *stations_of(claimed(onramp, actor=NOBODY, at=record.created_at)),
        Station(Status.COMPLETED, delivered(onramp)),
    ]


def back_in_transit(onramp: Onramp) -> list[Posting]:
    """Fiat that was processed goes back, our fees too."""
    net = onramp.source - onramp.fee
    return [
        *_told((Role.LIQUIDITY, -net), (Role.FEES, -onramp.fee)),
        Posting(Role.IN_TRANSIT, onramp.source),
    ]


def returned(onramp: Onramp) -> list[Posting]:
    """The deposit leaves as it came."""
    money = onramp.deposit
    return [Posting(Role.IN_TRANSIT, -money), Posting(Role.OUTSIDE, money)]


def came_back(onramp: Onramp, received: Money) -> list[Posting]:
    """The returned deposit is here again; the organisation bears what a bank kept of it."""
    kept = onramp.deposit - received
    return [
        Posting(Role.OUTSIDE, -received),
        Posting(Role.IN_TRANSIT, onramp.deposit),
        *_told((Role.WRITE_OFFS, -kept)),
    ]


def return_came_back(
    onramp: Onramp, received: Money, *, actor: str, at: datetime, due_at: datetime
) -> Move:
    """Reopen an onramp whose returned deposit came back: it is returned again at `due_at`.

    `received` is what came back, which is less than was returned if a bank kept a fee of it.
    """
    return Move(
        onramp.record,
        path=(Status.FIAT_FAILED,),
        what="return_came_back",
        actor=actor,
        at=at,
        due_at=due_at,
        facts={"return_came_back_units": received.units},
        journals={0: came_back(onramp, received)},
    )


def reversed_undelivered(onramp: Onramp, *, actor: str, at: datetime) -> Move:
    """End an onramp whose deposit the bank took back before anything was delivered."""
    failed_at = onramp.standing if onramp.standing in RETURNING else Status.FIAT_FAILED
    is_there = onramp.status is failed_at
    path = (Status.FIAT_RETURNED,) if is_there else (failed_at, Status.FIAT_RETURNED)
    return Move(
        onramp.record,
        path=path,
        what="reversed",
        actor=actor,
        at=at,
        facts={"failed_reason": "the bank took the deposit back", "is_reversed": True},
        journals={len(path) - 1: returned(onramp)},
    )


def into_review(onramp: Onramp, *, actor: str, at: datetime) -> Move:
    """Compliance asks: nothing goes on but the deadline of what waits for its owner."""
    due_at = onramp.record.due_at
    return Move(
        onramp.record,
        path=(Status.IN_REVIEW,),
        what=Status.IN_REVIEW.lower(),
        actor=actor,
        at=at,
        due_at=due_at if onramp.status in LAPSING else None,
        facts=_from_where(onramp.status, due_at),
    )


def out_of_review(onramp: Onramp, *, actor: str, at: datetime) -> Move:
    """Back to where it was: with its old deadline, or to go on when it would have, if later."""
    old = onramp.details.review_due_at
    due_at = old if onramp.standing in LAPSING else max(at, old or at)
    return Move(
        onramp.record,
        path=(onramp.standing,),
        what=onramp.standing.lower(),
        actor=actor,
        at=at,
        due_at=due_at,
    )


def cancelled(onramp: Onramp, *, actor: str, at: datetime) -> Move:
    """Ended in review: fiat that came goes back."""
    reason, facts = "cancelled while in review", {"is_cancelled": True}
    if onramp.standing not in LAPSING:
        return failed(onramp, reason=reason, actor=actor, at=at, what="cancel", facts=facts)
    return Move(
        onramp.record,
        path=(Status.NOT_INITIATED,),
        what="cancel",
        actor=actor,
        at=at,
        facts={**facts, "failed_reason": reason},
    )


def _from_where(status: Status, due_at: datetime | None) -> dict[str, Any]:
    return {"reviewed_from": status, "review_due_at": msgspec.to_builtins(due_at)}


def _told(*parts: tuple[UUID | Role, Money]) -> list[Posting]:
    """Postings of those parts that are something."""
    return [Posting(account, money) for account, money in parts if money.units]
