"""One record of each sort that stays on chains, played by the rules of its flow, with marks in it.

Marks are ids (`payer_account`, `payee_account` and so on) and texts: addresses, hashes, amounts as
they were asked for. Moment 0 is the creation. Amounts: 0 leaves the wallet, 1 is the fee in it, 2
arrives; of a batch each is an item.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Any

import msgspec

from landbridge.approvals.model import ON_CHAIN_LIFETIME, WHY_EXPIRED, WHY_REJECTED
from landbridge.approvals.model import Status as Decision
from landbridge.chains.tokens import ASSETS
from landbridge.core.money import Asset, Money
from landbridge.flows.batches import model as batches
from landbridge.flows.bridges import model as bridges
from landbridge.flows.bridges import moves as bridge_moves
from landbridge.flows.swaps import model as swaps
from landbridge.flows.swaps import moves as swap_moves
from landbridge.flows.wallet_transfers import model as transfers
from landbridge.ledger.model import Move, Opening, Posting, Timing
from landbridge.payments.fees import FeeType
from landbridge.payments.postings import hold, spend_held
from landbridge.payments.remittances import MOVES as REMITTED
from landbridge.payments.remittances import Remittance
from landbridge.payments.remittances import Status as Sent
from landbridge.payments.sending import ACTOR, going
from landbridge.quotes.errors import QuoteInvalid
from landbridge.seeding.approved import asked
from landbridge.seeding.marks import Marks
from landbridge.seeding.opened import opening as opened
from landbridge.seeding.stencils import Play
from landbridge.wallets.model import (
    DEPOSIT_KIND,
    DEPOSIT_MOVES,
    DepositStatus,
    deposit_details,
    deposit_postings,
)

# How many a batch pays.
ITEMS = 3
# As a fraction: what organisations charge for a transfer.
FEE = Decimal("0.01")
_RATE = Decimal("0.123456789")


class End(StrEnum):
    """How a record ends, beside what its flow calls it."""

    DONE = "done"
    EXPIRED = "expired"  # its quote, or its approval
    FAILED = "failed"
    RETURNED = "returned"  # failed after money was taken, which is back
    FROZEN = "frozen"
    REJECTED = "rejected"


def deposit(code: str) -> Play:
    """Coins from outside; amount 0."""
    marks, asset = Marks(), ASSETS[code]
    money = Money(marks.amount(0), asset)
    asked_for = {"chain": asset.chain, "currency": asset.currency, "amount": marks.text("amount")}
    account_id = marks.id("payer_account")
    told = deposit_details(account_id, marks.text("hash"), marks.text("payer_address"))
    journal = deposit_postings(account_id, money)
    opening = opened(
        *(marks, DEPOSIT_KIND, (DepositStatus.COMPLETED,), asked_for, told),
        ends=(money, money),
        journals={0: journal},
        request_id="id",
    )
    return Play(marks, opening, DEPOSIT_MOVES)


def swap(code: str, into: str, end: End, reason: str, *, is_exact_out: bool = False) -> Play:
    """A swap, quoted at moment 0; accepted, or over, at 1."""
    marks, sold, bought = Marks(), ASSETS[code], ASSETS[into]
    source, destination = Money(marks.amount(0), sold), Money(marks.amount(2), bought)
    at = marks.moment(0)
    details = swaps.Details(
        source_account_id=marks.id("payer_account"),
        destination_account_id=marks.id("payee_account"),
        destination_user_id=marks.id("payee"),
        destination_address=marks.text("payee_address"),
        external_wallet_id=None,
        fee_units=marks.amount(1),
        rate=_RATE,
        quote_expires_at=at + swaps.QUOTE_LIFETIME,
        is_exact_out=is_exact_out,
    )
    amount = {"amount": marks.text("amount")}
    asked_for = {
        "requestId": str(marks.id("request")),
        "source": {"userId": str(marks.id("payer")), "chain": sold.chain, "currency": sold.currency}
        | ({} if is_exact_out else amount),
        "destination": {
            "userId": str(marks.id("payee")),
            "chain": bought.chain,
            "currency": bought.currency,
        }
        | (amount if is_exact_out else {}),
    }
    told = {**msgspec.to_builtins(details), "rate": marks.text("rate")}
    path = (swaps.Status.OPEN_QUOTE,)
    opening = opened(marks, swaps.KIND, path, asked_for, told, ends=(source, destination))
    play = Play(marks, opening, swaps.MOVES)
    # Read with a rate that is a number; what is written is the mark.
    known = swaps.Swap(
        record=play.record,
        details=details,
        status=swaps.Status.OPEN_QUOTE,
        source=source,
        fee=Money(details.fee_units, sold),
        destination=destination,
    )
    _settle_swap(play, known, end, reason)
    return play


def _settle_swap(play: Play, known: swaps.Swap, end: End, reason: str) -> None:
    """Accepted and carried out, or refused, or too late: at moment 1."""
    at, actor = play.marks.moment(1), play.opening.actor
    match end:
        case End.DONE:
            play.go(swap_moves.accepted(known, actor, at))
        case End.EXPIRED:
            why = {
                "error": QuoteInvalid.name,
                "error_code": QuoteInvalid.code,
                "error_message": "the quote expired before it was accepted",
            }
            status = swaps.Status.QUOTE_FAILED
            play.go(
                Move(
                    play.record,
                    path=(status,),
                    what="expire",
                    actor=ACTOR,
                    at=at,
                    timing=Timing.OVERDUE,
                    facts=why,
                )
            )
        case _:
            play.go(swap_moves.refused(known, reason, actor, at))


def transfer(
    code: str, end: End, reason: str, *, is_inside: bool, has_fee: bool, is_asked: bool
) -> Play:
    """A wallet transfer; decided at moment 1 if it `is_asked`, then sent at the three next."""
    marks, asset = Marks(), ASSETS[code]
    amount, fee = Money(marks.amount(2), asset), Money(marks.amount(1), asset)
    gross = amount + fee if has_fee else amount
    payee = marks.id("payee") if is_inside else None
    charged = {
        "type": FeeType.PERCENT.value,
        "value": str(FEE),
        "units": fee.units,
        "address": marks.text("house_address"),
    }
    told: dict[str, Any] = {
        "source_wallet_id": marks.id("payer_wallet"),
        "source_account_id": marks.id("payer_account"),
        "source_address": marks.text("payer_address"),
        "destination_account_id": marks.id("payee_account") if is_inside else None,
        "destination_user_id": payee,
        "destination_address": marks.text("payee_address"),
        "external_wallet_id": None,
        "fee": charged if has_fee else None,
    }
    details = msgspec.convert(told, transfers.Details, strict=False)
    to = {"userId": str(payee)} if is_inside else {"walletAddress": marks.text("payee_address")}
    asked_for = {
        **_coins(marks, asset, to, is_asked=is_asked),
        "amount": marks.text("amount"),
        **({"fee": {"type": FeeType.PERCENT.value, "value": str(FEE)}} if has_fee else {}),
    }
    opening = _remittance(
        *(marks, transfers.KIND, asked_for, msgspec.to_builtins(details)),
        ends=(gross, amount),
        is_asked=is_asked,
    )
    play = Play(marks, opening, REMITTED)
    paid = transfers.as_remittance(play.record)
    _send(play, paid, end, reason, is_asked=is_asked)
    return play


def batch(code: str, end: End, reason: str, *, is_asked: bool) -> Play:
    """A batch for users of ours: amounts 0 to 2 are what they get. Moments as of a transfer."""
    marks, asset = Marks(), ASSETS[code]
    items = tuple(
        batches.Item(
            account_id=marks.id(f"payee{place}_account"),
            user_id=marks.id(f"payee{place}"),
            address=marks.text(f"payee{place}_address"),
            units=marks.amount(place),
        )
        for place in range(ITEMS)
    )
    details = batches.Details(
        source_wallet_id=marks.id("payer_wallet"),
        source_account_id=marks.id("payer_account"),
        source_address=marks.text("payer_address"),
        items=items,
    )
    to = {
        "batch": [
            {"userId": str(each.user_id), "amount": marks.text(f"amount{place}")}
            for place, each in enumerate(items)
        ]
    }
    gross = Money(sum(each.units for each in items), asset)
    opening = _remittance(
        *(marks, batches.KIND, _coins(marks, asset, to, is_asked=is_asked)),
        msgspec.to_builtins(details),
        ends=(gross, gross),
        is_asked=is_asked,
    )
    play = Play(marks, opening, REMITTED)
    _send(play, batches.as_remittance(play.record), end, reason, is_asked=is_asked)
    return play


def bridge(code: str, into: str, end: End, reason: str) -> Play:
    """A bridge between two wallets of a user; amount 0. Accepted, or over, at moment 1."""
    marks, asset = Marks(), ASSETS[code]
    source, destination = Money(marks.amount(0), asset), Money(marks.amount(0), ASSETS[into])
    details = bridges.Details(
        source_account_id=marks.id("payer_account"),
        source_wallet_id=marks.id("payer_wallet"),
        source_address=marks.text("payer_address"),
        destination_account_id=marks.id("payee_account"),
        destination_user_id=marks.id("payer"),
        destination_address=marks.text("payee_address"),
        quote_expires_at=marks.moment(0) + bridges.QUOTE_LIFETIME,
    )
    ends = ((asset, "source"), (destination.asset, "destination"))
    asked_for: dict[str, Any] = {
        "requestId": str(marks.id("request")),
        "amount": marks.text("amount"),
        **{
            side: {"userId": str(marks.id("payer")), "chain": of.chain, "currency": of.currency}
            for of, side in ends
        },
    }
    told, path = msgspec.to_builtins(details), (bridges.Status.OPEN_QUOTE,)
    opening = opened(marks, bridges.KIND, path, asked_for, told, ends=(source, destination))
    play = Play(marks, opening, bridges.MOVES)
    known = bridges.as_bridge(play.record)
    if end is End.EXPIRED:
        status = bridges.Status.QUOTE_FAILED
        play.go(bridge_moves.ended(known, status, ACTOR, marks.moment(1)))
        return play
    play.go(bridge_moves.accepted(known, opening.actor, marks.moment(1)))
    _cross(play, end, reason)
    return play


def _cross(play: Play, end: End, reason: str) -> None:
    """Both legs of a bridge that was accepted, at moments 2 to 7."""
    marks, status = play.marks, bridges.Status
    number = 1

    def go(to: bridges.Status, *journal: Posting, **facts: Any) -> None:
        nonlocal number
        number += 1
        at = marks.moment(number)
        play.go(going(play.record, bridges.MOVES, to, at=at, facts=facts, journal=journal))

    if end is End.FROZEN:
        known = bridges.as_bridge(play.record)
        play.go(bridge_moves.unsent(known, ACTOR, marks.moment(2), reason))
        return
    go(status.SOURCE_INITIATED)
    go(status.SOURCE_PENDING, **_hashes(marks, "approve_"))
    known = bridges.as_bridge(play.record)
    if end is End.FAILED:
        failed = {"held_units": 0, "failed_reason": reason}
        go(status.SOURCE_FAILED, *bridge_moves.freed(known), **_hashes(marks), **failed)
        return
    go(status.SOURCE_PROCESSED, *bridge_moves.burned(known), **_hashes(marks), held_units=0)
    go(status.DESTINATION_INITIATED)
    go(status.DESTINATION_PENDING, **_hashes(marks, "mint_"))
    if end is End.RETURNED:
        back = {**_hashes(marks, "mint_"), **_hashes(marks, "return_"), "failed_reason": reason}
        go(status.DESTINATION_FAILED, *bridge_moves.returned(known), **back)
        return
    go(status.COMPLETED, *bridge_moves.minted(known), **_hashes(marks, "mint_"))


def _send(play: Play, paid: Remittance, end: End, reason: str, *, is_asked: bool) -> None:
    """What becomes of coins that are held: an approval if one was asked for, then the chain."""
    marks, first = play.marks, 1

    def go(to: Sent, at: int, *journal: Posting, **facts: Any) -> None:
        moment = marks.moment(at)
        play.go(going(play.record, REMITTED, to, at=moment, facts=facts, journal=journal))

    if is_asked:
        decision = {End.REJECTED: Decision.REJECTED, End.EXPIRED: Decision.EXPIRED}.get(
            end, Decision.APPROVED
        )
        at = marks.moment(1)
        asked(play, lifetime=ON_CHAIN_LIFETIME, ends=decision, ended_at=at)
        ends: dict[Decision, tuple[Sent, str, str, dict[str, str]]] = {
            Decision.APPROVED: (Sent.CREATED, "approve", play.opening.actor, {}),
            Decision.REJECTED: (
                *(Sent.REJECTED, "reject", play.opening.actor),
                {"failed_reason": WHY_REJECTED},
            ),
            Decision.EXPIRED: (Sent.EXPIRED, "expire", ACTOR, {"failed_reason": WHY_EXPIRED}),
        }
        status, what, actor, facts = ends[decision]
        journal = [] if decision is Decision.APPROVED else paid.let_go()
        play.go(
            going(
                *(play.record, REMITTED, status),
                at=at,
                actor=actor,
                what=what,
                facts=facts,
                journal=journal,
            )
        )
        if decision is not Decision.APPROVED:
            return
        first = 2
    if end is End.FROZEN:
        go(Sent.NOT_INITIATED, first, *paid.let_go(), failed_reason=reason)
        return
    go(Sent.INITIATED, first)
    go(Sent.PENDING, first + 1, **_hashes(marks))
    if end is End.FAILED:
        go(Sent.FAILED, first + 2, *paid.let_go(), **_hashes(marks), failed_reason=reason)
        return
    done = spend_held(paid.account_id, paid.parts)
    go(Sent.COMPLETED, first + 2, *done, **_hashes(marks))


def _remittance(
    marks: Marks,
    kind: str,
    request: dict[str, Any],
    details: Any,
    *,
    ends: tuple[Money, Money],
    is_asked: bool,
) -> Opening:
    status = Sent.PENDING_APPROVAL if is_asked else Sent.CREATED
    return opened(
        *(marks, kind, (status,), request, details),
        ends=ends,
        journals={0: hold(marks.id("payer_account"), ends[0])},
    )


def _coins(marks: Marks, asset: Asset, to: dict[str, Any], *, is_asked: bool) -> dict[str, Any]:
    return {
        "requestId": str(marks.id("request")),
        "source": {"userId": str(marks.id("payer"))},
        "destination": to,
        "currency": asset.currency,
        "chain": asset.chain,
        **({"requireApproval": True} if is_asked else {}),
    }


def _hashes(marks: Marks, prefix: str = "") -> dict[str, str]:
    return {
        f"{prefix}transaction_hash": marks.text(f"{prefix}hash"),
        f"{prefix}user_op_hash": marks.text(f"{prefix}op_hash"),
    }
