"""One template record of each kind that is funded or paid out by a bank.

Amounts: 0 is sent, 1 is the fee in it, 2 is received.
"""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import msgspec

from landbridge.ledger.model import AdvanceTransfer, Posting, Transfer
from landbridge.ledger.snapshots import amount_facts
from landbridge.payments.approvals.model import (
    OFFRAMP_LIFETIME,
    WHY_EXPIRED,
    WHY_REJECTED,
    ApprovalStatus,
)
from landbridge.payments.engine.outgoing_orders import ACTOR, build_move
from landbridge.payments.engine.postings import hold
from landbridge.payments.incoming_payments.model import KIND as INCOMING_PAYMENT
from landbridge.payments.offramps import model as offramps
from landbridge.payments.offramps import transitions as offramp_moves
from landbridge.payments.onramps import model as onramps
from landbridge.payments.onramps import transitions as onramp_moves
from landbridge.payments.onramps.request import COIN_DEFAULT
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import ASSETS
from landbridge.providers.rails.currencies import FIAT
from landbridge.sandbox.seeding.approvals import add_approval
from landbridge.sandbox.seeding.initial_rows import opening
from landbridge.sandbox.seeding.placeholders import Placeholders
from landbridge.sandbox.seeding.row_templates import ScenarioRun
from landbridge.sandbox.seeding.transfer_scenarios import ScenarioEnd

_USD = FIAT["usd"]
_RATE = Decimal("0.123456789")
_BANK = "bank"


def onramp(code: str, end: ScenarioEnd, reason: str) -> ScenarioRun:
    """Onramp of the payer: accepted at time 1, deposited at 2, cleared at 4."""
    placeholders, coins = Placeholders(), ASSETS[code]
    source, destination = Money(placeholders.amount(0), _USD), Money(placeholders.amount(2), coins)
    details = onramps.OnrampDetails(
        bank_account_id=None,
        source_address=placeholders.text("house_address"),
        destination_account_id=placeholders.id("payee_account"),
        destination_user_id=placeholders.id("payer"),
        destination_address=placeholders.text("payee_address"),
        external_wallet_id=None,
        fee_units=placeholders.amount(1),
        rate=_RATE,
        quote_expires_at=placeholders.moment(0) + onramps.QUOTE_LIFETIME,
        is_exact_out=False,
    )
    payer = {"userId": str(placeholders.id("payer"))}
    paid = {"currency": "usd", "amount": placeholders.text("amount"), "transferType": "wire"}
    # Stored requests omit default values.
    coin = {} if coins.currency == COIN_DEFAULT else {"currency": coins.currency}
    request = {
        "requestId": str(placeholders.id("request")),
        "source": {**payer, **paid},
        "destination": {**payer, **coin, "chain": coins.chain},
    }
    facts = _record_facts(placeholders, details, source, destination)
    path = (onramps.OnrampStatus.CREATED, onramps.OnrampStatus.OPEN_QUOTE)
    ends = (source, destination)
    created = opening(placeholders, onramps.KIND, path, request, facts, ends=ends)
    run = ScenarioRun(placeholders, created, onramps.TRANSITIONS)
    if end is not ScenarioEnd.EXPIRED:
        accepted = {
            "reference": placeholders.text("reference"),
            "account_number": placeholders.text("number"),
        }
        actor, status = created.actor, onramps.OnrampStatus.AWAITING_FUNDS
        run.go(
            build_move(
                *(run.record, onramps.TRANSITIONS, status),
                at=placeholders.moment(1),
                actor=actor,
                change_type="accept",
                facts=accepted,
            )
        )
        run.put("onramp_references", placeholders.text("reference"), created.id)
    if end in {ScenarioEnd.EXPIRED, ScenarioEnd.FROZEN}:
        # FROZEN: accepted, and never paid.
        known = _known(run, details)
        run.go(
            onramp_moves.expired(
                known, actor=ACTOR, at=placeholders.moment(1 + (end is ScenarioEnd.FROZEN))
            )
        )
        return run
    _receive(run, source)
    _deliver(run, details, end, reason)
    return run


def _receive(run: ScenarioRun, money: Money) -> None:
    """Add the deposit: received by the bank at time 2, matched at 3."""
    placeholders, record = run.placeholders, run.record
    receipt, received_at, known = (
        placeholders.id("receipt"),
        placeholders.moment(2),
        placeholders.moment(3),
    )
    facts: dict[str, Any] = {"incoming_payment_id": str(receipt), "received_units": money.units}
    status = onramps.OnrampStatus
    run.go(
        AdvanceTransfer(
            record,
            path=(status.FIAT_INITIATED, status.FIAT_PENDING),
            change_type=status.FIAT_PENDING.lower(),
            actor=_BANK,
            at=known,
            facts=facts,
            journals={0: onramp_moves.deposit_postings(money)},
        )
    )
    run.put(
        "incoming_payments",
        *(receipt, f"seeded/{receipt}", placeholders.text("number"), money.asset.code, money.units),
        *(
            "wire",
            "MATCHED",
            record.id,
            record.user_id,
            None,
            2,
            received_at,
            received_at,
            known,
            None,
            0,
        ),
        *(None, received_at),
    )
    amount = {"amount": placeholders.text("amount"), "currency": "usd", "paymentRail": "wire"}
    run.record_change(
        *(INCOMING_PAYMENT, receipt, 1),
        change_type="receive",
        actor=_BANK,
        at=received_at,
        status="NEW",
        transferId=None,
        **amount,
    )
    run.record_change(
        *(INCOMING_PAYMENT, receipt, 2),
        change_type="match",
        actor=_BANK,
        at=known,
        status="MATCHED",
        transferId=str(record.id),
        **amount,
    )


def _deliver(
    run: ScenarioRun, details: onramps.OnrampDetails, end: ScenarioEnd, reason: str
) -> None:
    """Deliver coins for cleared dollars, or return the dollars."""
    placeholders, status, transitions = run.placeholders, onramps.OnrampStatus, onramps.TRANSITIONS
    hashes = {
        "transaction_hash": placeholders.text("hash"),
        "user_op_hash": placeholders.text("op_hash"),
    }

    def go(to: onramps.OnrampStatus, number: int, *journal: Posting, **facts: Any) -> None:
        at = placeholders.moment(number)
        run.go(build_move(run.record, transitions, to, at=at, facts=facts, journal=journal))

    if end is ScenarioEnd.RETURNED:
        # The bank could not collect the deposit.
        go(status.FIAT_FAILED, 4, failed_reason=reason)
        go(status.FIAT_RETURNED, 5, *onramp_moves.returned(_known(run, details)))
        return
    run.go(onramp_moves.claimed(_known(run, details), actor=ACTOR, at=placeholders.moment(4)))
    go(status.CRYPTO_PENDING, 5, **hashes)
    known = _known(run, details)
    if end is ScenarioEnd.FAILED:
        back = onramp_moves.back_in_transit(known)
        go(status.CRYPTO_FAILED, 6, *back, **hashes, failed_reason=reason)
        go(status.FIAT_RETURNED, 7, *onramp_moves.returned(known))
        return
    go(status.COMPLETED, 6, *onramp_moves.delivered(known), **hashes)


def offramp(code: str, end: ScenarioEnd, reason: str, *, needs_approval: bool) -> ScenarioRun:
    """Offramp of the payer.

    With `needs_approval`, the approval is decided at time 1. The offramp is accepted at time 2,
    debited at 4 and paid out at 7.
    """
    placeholders, coins = Placeholders(), ASSETS[code]
    source, receive = Money(placeholders.amount(0), coins), Money(placeholders.amount(2), _USD)
    at, account_id = placeholders.moment(0), placeholders.id("bank_account")
    details = offramps.OfframpDetails(
        source_address=placeholders.text("payer_address"),
        destination_address=placeholders.text("house_address"),
        source_wallet_id=placeholders.id("payer_wallet"),
        source_account_id=placeholders.id("payer_account"),
        external_wallet_id=None,
        return_address=placeholders.text("payer_address"),
        return_account_id=placeholders.id("payer_account"),
        destination_user_id=placeholders.id("payer"),
        account_id=account_id,
        payment_rail="ach",
        corridor=None,
        is_same_day=False,
        is_exact_out=False,
        needs_approval=needs_approval,
        fees=(),
        amount_units=source.units,
        exchange_fee_units=placeholders.amount(1),
        rate=_RATE,
        quote_expires_at=None if needs_approval else at + offramps.QUOTE_LIFETIME,
        held_units=source.units if needs_approval else 0,
    )
    payer = {"userId": str(placeholders.id("payer"))}
    coin = {"currency": coins.currency, "chain": coins.chain, "amount": placeholders.text("amount")}
    request = {
        "requestId": str(placeholders.id("request")),
        "source": {**payer, **coin},
        "destination": {**payer, "currency": "usd", "accountId": str(account_id)},
        **({"requireApproval": True} if needs_approval else {}),
    }
    status = offramps.OfframpStatus
    path = (status.CREATED, status.PENDING_APPROVAL if needs_approval else status.OPEN_QUOTE)
    facts = _record_facts(placeholders, details, source, receive)
    created = opening(
        *(placeholders, offramps.KIND, path, request, facts),
        ends=(source, receive),
        journals={1: hold(placeholders.id("payer_account"), source)} if needs_approval else {},
    )
    run = ScenarioRun(placeholders, created, offramps.TRANSITIONS)
    if needs_approval and not _decide(run, details, end):
        return run
    known, at = _known_offramp(run, details), placeholders.moment(2)
    if end is ScenarioEnd.EXPIRED:
        why, ended = "the quote expired before it was accepted", status.QUOTE_FAILED
        run.go(
            offramp_moves.ended(known, ended, change_type="expire", reason=why, actor=ACTOR, at=at)
        )
        return run
    run.go(offramp_moves.accepted(known, actor=created.actor, at=at, is_reviewed=False))
    _pay_out(run, details, end, reason)
    return run


def _decide(run: ScenarioRun, details: offramps.OfframpDetails, end: ScenarioEnd) -> bool:
    """Add the approval of an offramp; return whether it was approved."""
    placeholders, at = run.placeholders, run.placeholders.moment(1)
    decisions = {
        ScenarioEnd.REJECTED: ApprovalStatus.REJECTED,
        ScenarioEnd.FROZEN: ApprovalStatus.EXPIRED,
    }
    decision = decisions.get(end, ApprovalStatus.APPROVED)
    add_approval(run, lifetime=OFFRAMP_LIFETIME, ends=decision, ended_at=at)
    known, actor = _known_offramp(run, details), run.opening.actor
    match decision:
        case ApprovalStatus.REJECTED:
            ended = offramps.OfframpStatus.REJECTED
            run.go(
                offramp_moves.ended(
                    known, ended, change_type="reject", reason=WHY_REJECTED, actor=actor, at=at
                )
            )
            return False
        case ApprovalStatus.EXPIRED:
            ended = offramps.OfframpStatus.EXPIRED
            run.go(
                offramp_moves.ended(
                    known, ended, change_type="expire", reason=WHY_EXPIRED, actor=ACTOR, at=at
                )
            )
            return False
        case _:
            expires_at = at + offramps.QUOTE_LIFETIME
            facts: dict[str, Any] = {
                "amount_units": known.amount.units,
                "exchange_fee_units": known.exchange_fee.units,
                "rate": placeholders.text("rate"),
                "quote_expires_at": expires_at.isoformat(),
                "held_units": known.gross.units,
                **amount_facts(known.gross, known.receive),
            }
            status = offramps.OfframpStatus.OPEN_QUOTE
            run.go(
                build_move(
                    *(run.record, offramps.TRANSITIONS, status),
                    at=at,
                    actor=actor,
                    change_type="approve",
                    facts=facts,
                )
            )
            return True


def _pay_out(
    run: ScenarioRun, details: offramps.OfframpDetails, end: ScenarioEnd, reason: str
) -> None:
    """Add the debit and the payout of an accepted offramp."""
    placeholders, status = run.placeholders, offramps.OfframpStatus
    number = 2

    def go(to: offramps.OfframpStatus, *journal: Posting, **facts: Any) -> None:
        nonlocal number
        number += 1
        at = placeholders.moment(number)
        run.go(
            build_move(run.record, offramps.TRANSITIONS, to, at=at, facts=facts, journal=journal)
        )

    hashes = {
        "transaction_hash": placeholders.text("hash"),
        "user_op_hash": placeholders.text("op_hash"),
    }
    known = _known_offramp(run, details)
    go(status.CRYPTO_PENDING)
    if end is ScenarioEnd.FAILED:
        released = offramp_moves.release_hold(known)
        go(
            status.CRYPTO_FAILED,
            *released,
            **{**hashes, **offramp_moves.REFUSED, "failed_reason": reason},
        )
        return
    processed = offramp_moves.processed(known)
    go(status.CRYPTO_PROCESSED, *processed, **{**hashes, **offramp_moves.PROCESSED})
    go(status.FIAT_INITIATED, *offramp_moves.payout_claimed(known))
    tracking = {
        "tracking": {
            "payment_rail": "ach",
            "trace_number": placeholders.text("trace"),
            "fed_batch_id": placeholders.text("fed_batch"),
            "imad": None,
            "omad": None,
            "uetr": None,
        }
    }
    go(status.FIAT_PENDING, **tracking)
    if end is ScenarioEnd.RETURNED:
        failed = offramp_moves.payout_failed(known)
        go(status.FIAT_FAILED, *failed, **tracking, failed_reason=reason)
        back = {
            "return_transaction_hash": placeholders.text("return_hash"),
            "return_user_op_hash": placeholders.text("return_op_hash"),
        }
        returned = offramp_moves.returned(_known_offramp(run, details))
        go(status.CRYPTO_RETURNED, *returned, **back)
        return
    go(status.COMPLETED, *offramp_moves.payout_done(known), **tracking)


def _record_facts(
    placeholders: Placeholders, details: Any, source: Money, destination: Money
) -> dict[str, Any]:
    """Return the initial details of the record; the rate is a placeholder."""
    facts = {**msgspec.to_builtins(details), **amount_facts(source, destination)}
    return {**facts, "rate": placeholders.text("rate")}


def _known(run: ScenarioRun, details: onramps.OnrampDetails) -> onramps.Onramp:
    """Return the record as its flow decodes it, with a numeric rate that is never written."""
    facts = {"rate": str(details.rate)}
    return onramps.as_onramp(_with(run.record, facts))


def _known_offramp(run: ScenarioRun, details: offramps.OfframpDetails) -> offramps.Offramp:
    return offramps.as_offramp(_with(run.record, {"rate": str(details.rate)}))


def _with(record: Transfer, facts: dict[str, Any]) -> Transfer:
    return replace(record, facts={**record.facts, **facts})
