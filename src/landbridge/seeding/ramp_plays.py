"""One record of each sort that goes to or comes from banks, played as plays.py does.

Amounts: 0 is what is sent, 1 the fee in it, 2 what arrives.
"""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import msgspec

from landbridge.approvals.model import OFFRAMP_LIFETIME, WHY_EXPIRED, WHY_REJECTED
from landbridge.approvals.model import Status as Decision
from landbridge.chains.tokens import ASSETS
from landbridge.core.money import Money
from landbridge.flows.offramps import model as offramps
from landbridge.flows.offramps import moves as offramp_moves
from landbridge.flows.onramps import model as onramps
from landbridge.flows.onramps import moves as onramp_moves
from landbridge.flows.onramps.asked import COIN_DEFAULT
from landbridge.ledger.model import Move, Posting, Transfer
from landbridge.ledger.past import amounts_told
from landbridge.payments.postings import hold
from landbridge.payments.sending import ACTOR, going
from landbridge.rails.currencies import FIAT
from landbridge.receipts.model import KIND as RECEIPT
from landbridge.seeding.approved import asked
from landbridge.seeding.marks import Marks
from landbridge.seeding.opened import opening
from landbridge.seeding.plays import End
from landbridge.seeding.stencils import Play

_USD = FIAT["usd"]
_RATE = Decimal("0.123456789")
_BANK = "bank"


def onramp(code: str, end: End, reason: str) -> Play:
    """Dollars into coins of the payer: accepted at moment 1, paid at 2, cleared at 4."""
    marks, coins = Marks(), ASSETS[code]
    source, destination = Money(marks.amount(0), _USD), Money(marks.amount(2), coins)
    details = onramps.Details(
        bank_account_id=None,
        source_address=marks.text("house_address"),
        destination_account_id=marks.id("payee_account"),
        destination_user_id=marks.id("payer"),
        destination_address=marks.text("payee_address"),
        external_wallet_id=None,
        fee_units=marks.amount(1),
        rate=_RATE,
        quote_expires_at=marks.moment(0) + onramps.QUOTE_LIFETIME,
        is_exact_out=False,
    )
    payer = {"userId": str(marks.id("payer"))}
    paid = {"currency": "usd", "amount": marks.text("amount"), "transferType": "wire"}
    # What is the default is left out of a request that is stored.
    coin = {} if coins.currency == COIN_DEFAULT else {"currency": coins.currency}
    asked_for = {
        "requestId": str(marks.id("request")),
        "source": {**payer, **paid},
        "destination": {**payer, **coin, "chain": coins.chain},
    }
    told = _told(marks, details, source, destination)
    path = (onramps.Status.CREATED, onramps.Status.OPEN_QUOTE)
    ends = (source, destination)
    made = opening(marks, onramps.KIND, path, asked_for, told, ends=ends)
    play = Play(marks, made, onramps.MOVES)
    if end is not End.EXPIRED:
        accepted = {"reference": marks.text("reference"), "account_number": marks.text("number")}
        actor, status = made.actor, onramps.Status.AWAITING_FUNDS
        play.go(
            going(
                *(play.record, onramps.MOVES, status),
                at=marks.moment(1),
                actor=actor,
                what="accept",
                facts=accepted,
            )
        )
        play.put("onramp_references", marks.text("reference"), made.id)
    if end in {End.EXPIRED, End.FROZEN}:
        # FROZEN: accepted, and never paid.
        known = _known(play, details)
        play.go(onramp_moves.lapsed(known, actor=ACTOR, at=marks.moment(1 + (end is End.FROZEN))))
        return play
    _receive(play, source)
    _deliver(play, details, end, reason)
    return play


def _receive(play: Play, money: Money) -> None:
    """The deposit: at the bank at moment 2, known for this record's at 3."""
    marks, record = play.marks, play.record
    receipt, came, known = marks.id("receipt"), marks.moment(2), marks.moment(3)
    facts: dict[str, Any] = {"receipt_id": str(receipt), "received_units": money.units}
    status = onramps.Status
    play.go(
        Move(
            record,
            path=(status.FIAT_INITIATED, status.FIAT_PENDING),
            what=status.FIAT_PENDING.lower(),
            actor=_BANK,
            at=known,
            facts=facts,
            journals={0: onramp_moves.seen_journal(money)},
        )
    )
    play.put(
        "receipts",
        *(receipt, f"seeded/{receipt}", marks.text("number"), money.asset.code, money.units),
        *("wire", "MATCHED", record.id, record.user_id, None, 2, came, came, known, None, 0),
        *(None, came),
    )
    about = {"amount": marks.text("amount"), "currency": "usd", "paymentRail": "wire"}
    play.tell(
        *(RECEIPT, receipt, 1),
        what="receive",
        actor=_BANK,
        at=came,
        status="NEW",
        transferId=None,
        **about,
    )
    play.tell(
        *(RECEIPT, receipt, 2),
        what="match",
        actor=_BANK,
        at=known,
        status="MATCHED",
        transferId=str(record.id),
        **about,
    )


def _deliver(play: Play, details: onramps.Details, end: End, reason: str) -> None:
    """From cleared dollars to coins, or back."""
    marks, status, moves = play.marks, onramps.Status, onramps.MOVES
    hashes = {"transaction_hash": marks.text("hash"), "user_op_hash": marks.text("op_hash")}

    def go(to: onramps.Status, number: int, *journal: Posting, **facts: Any) -> None:
        at = marks.moment(number)
        play.go(going(play.record, moves, to, at=at, facts=facts, journal=journal))

    if end is End.RETURNED:
        # The bank could not collect it.
        go(status.FIAT_FAILED, 4, failed_reason=reason)
        go(status.FIAT_RETURNED, 5, *onramp_moves.returned(_known(play, details)))
        return
    play.go(onramp_moves.claimed(_known(play, details), actor=ACTOR, at=marks.moment(4)))
    go(status.CRYPTO_PENDING, 5, **hashes)
    known = _known(play, details)
    if end is End.FAILED:
        back = onramp_moves.back_in_transit(known)
        go(status.CRYPTO_FAILED, 6, *back, **hashes, failed_reason=reason)
        go(status.FIAT_RETURNED, 7, *onramp_moves.returned(known))
        return
    go(status.COMPLETED, 6, *onramp_moves.delivered(known), **hashes)


def offramp(code: str, end: End, reason: str, *, is_asked: bool) -> Play:
    """Coins of the payer into dollars at a bank.

    Decided at moment 1 if it `is_asked`; accepted at 2, out of the wallet at 4, paid out at 7.
    """
    marks, coins = Marks(), ASSETS[code]
    source, receive = Money(marks.amount(0), coins), Money(marks.amount(2), _USD)
    at = marks.moment(0)
    details = offramps.Details(
        source_address=marks.text("payer_address"),
        destination_address=marks.text("house_address"),
        source_wallet_id=marks.id("payer_wallet"),
        source_account_id=marks.id("payer_account"),
        external_wallet_id=None,
        return_address=marks.text("payer_address"),
        return_account_id=marks.id("payer_account"),
        destination_user_id=marks.id("payer"),
        account_id=marks.id("bank_account"),
        payment_rail="ach",
        corridor=None,
        is_same_day=False,
        is_exact_out=False,
        needs_approval=is_asked,
        fees=(),
        amount_units=source.units,
        exchange_fee_units=marks.amount(1),
        rate=_RATE,
        quote_expires_at=None if is_asked else at + offramps.QUOTE_LIFETIME,
        held_units=source.units if is_asked else 0,
    )
    payer = {"userId": str(marks.id("payer"))}
    coin = {"currency": coins.currency, "chain": coins.chain, "amount": marks.text("amount")}
    asked_for = {
        "requestId": str(marks.id("request")),
        "source": {**payer, **coin},
        "destination": {**payer, "currency": "usd", "accountId": str(marks.id("bank_account"))},
        **({"requireApproval": True} if is_asked else {}),
    }
    status = offramps.Status
    path = (status.CREATED, status.PENDING_APPROVAL if is_asked else status.OPEN_QUOTE)
    made = opening(
        *(marks, offramps.KIND, path, asked_for, _told(marks, details, source, receive)),
        ends=(source, receive),
        journals={1: hold(marks.id("payer_account"), source)} if is_asked else {},
    )
    play = Play(marks, made, offramps.MOVES)
    if is_asked and not _decide(play, details, end):
        return play
    if end is End.EXPIRED:
        known = _known_offramp(play, details)
        why, ended = "the quote expired before it was accepted", status.QUOTE_FAILED
        at = marks.moment(2)
        play.go(offramp_moves.ended(known, ended, what="expire", reason=why, actor=ACTOR, at=at))
        return play
    known = _known_offramp(play, details)
    at = marks.moment(2)
    play.go(offramp_moves.accepted(known, actor=made.actor, at=at, is_reviewed=False))
    _pay_out(play, details, end, reason)
    return play


def _decide(play: Play, details: offramps.Details, end: End) -> bool:
    """The approval of an offramp; whether it goes on."""
    marks, at = play.marks, play.marks.moment(1)
    decisions = {End.REJECTED: Decision.REJECTED, End.FROZEN: Decision.EXPIRED}
    decision = decisions.get(end, Decision.APPROVED)
    asked(play, lifetime=OFFRAMP_LIFETIME, ends=decision, ended_at=at)
    known, actor = _known_offramp(play, details), play.opening.actor
    match decision:
        case Decision.REJECTED:
            ended = offramps.Status.REJECTED
            play.go(
                offramp_moves.ended(
                    known, ended, what="reject", reason=WHY_REJECTED, actor=actor, at=at
                )
            )
            return False
        case Decision.EXPIRED:
            ended = offramps.Status.EXPIRED
            play.go(
                offramp_moves.ended(
                    known, ended, what="expire", reason=WHY_EXPIRED, actor=ACTOR, at=at
                )
            )
            return False
        case _:
            expires_at = at + offramps.QUOTE_LIFETIME
            facts: dict[str, Any] = {
                "amount_units": known.amount.units,
                "exchange_fee_units": known.exchange_fee.units,
                "rate": marks.text("rate"),
                "quote_expires_at": expires_at.isoformat(),
                "held_units": known.gross.units,
                **amounts_told(known.gross, known.receive),
            }
            status = offramps.Status.OPEN_QUOTE
            play.go(
                going(
                    *(play.record, offramps.MOVES, status),
                    at=at,
                    actor=actor,
                    what="approve",
                    facts=facts,
                )
            )
            return True


def _pay_out(play: Play, details: offramps.Details, end: End, reason: str) -> None:
    """The debit and the payout of an offramp that was accepted."""
    marks, status = play.marks, offramps.Status
    number = 2

    def go(to: offramps.Status, *journal: Posting, **facts: Any) -> None:
        nonlocal number
        number += 1
        at = marks.moment(number)
        play.go(going(play.record, offramps.MOVES, to, at=at, facts=facts, journal=journal))

    hashes = {"transaction_hash": marks.text("hash"), "user_op_hash": marks.text("op_hash")}
    known = _known_offramp(play, details)
    go(status.CRYPTO_PENDING)
    if end is End.FAILED:
        let_go = offramp_moves.held_let_go(known)
        go(
            status.CRYPTO_FAILED,
            *let_go,
            **{**hashes, **offramp_moves.REFUSED, "failed_reason": reason},
        )
        return
    taken = offramp_moves.processed(known)
    go(status.CRYPTO_PROCESSED, *taken, **{**hashes, **offramp_moves.PROCESSED})
    go(status.FIAT_INITIATED, *offramp_moves.payout_claimed(known))
    tracking = {
        "tracking": {
            "payment_rail": "ach",
            "trace_number": marks.text("trace"),
            "fed_batch_id": marks.text("fed_batch"),
            "imad": None,
            "omad": None,
            "uetr": None,
        }
    }
    go(status.FIAT_PENDING, **tracking)
    if end is End.RETURNED:
        failed = offramp_moves.payout_failed(known)
        go(status.FIAT_FAILED, *failed, **tracking, failed_reason=reason)
        back = {
            "return_transaction_hash": marks.text("return_hash"),
            "return_user_op_hash": marks.text("return_op_hash"),
        }
        returned = offramp_moves.returned(_known_offramp(play, details))
        go(status.CRYPTO_RETURNED, *returned, **back)
        return
    go(status.COMPLETED, *offramp_moves.payout_done(known), **tracking)


def _told(marks: Marks, details: Any, source: Money, destination: Money) -> dict[str, Any]:
    """What such a record is opened with; its rate is a mark."""
    told = {**msgspec.to_builtins(details), **amounts_told(source, destination)}
    return {**told, "rate": marks.text("rate")}


def _known(play: Play, details: onramps.Details) -> onramps.Onramp:
    """The record as its flow reads it, with a rate that is a number; `Play.go` leaves that out."""
    facts = {"rate": str(details.rate)}
    return onramps.as_onramp(_with(play.record, facts))


def _known_offramp(play: Play, details: offramps.Details) -> offramps.Offramp:
    return offramps.as_offramp(_with(play.record, {"rate": str(details.rate)}))


def _with(record: Transfer, facts: dict[str, Any]) -> Transfer:
    return replace(record, facts={**record.facts, **facts})
