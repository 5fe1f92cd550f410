"""One template record of each kind that moves coins on chains, run by the rules of its flow.

Placeholders are ids (`payer_account`, `payee_account` and so on) and texts: addresses, hashes,
requested amounts. Time 0 is the creation. Amounts: 0 leaves the wallet, 1 is the fee in it, 2 is
received; in a batch each is an item.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Any

import msgspec

from landbridge.customers.wallets.model import (
    DEPOSIT_KIND,
    DEPOSIT_MOVES,
    DepositStatus,
    deposit_details,
    deposit_postings,
)
from landbridge.ledger.model import AdvanceTransfer, DueCheck, Posting
from landbridge.payments.approvals.model import (
    ON_CHAIN_LIFETIME,
    WHY_EXPIRED,
    WHY_REJECTED,
    ApprovalStatus,
)
from landbridge.payments.batches import model as batches
from landbridge.payments.bridges import model as bridges
from landbridge.payments.bridges import transitions as bridge_moves
from landbridge.payments.engine.fees import FeeType
from landbridge.payments.engine.outgoing_orders import ACTOR, build_move
from landbridge.payments.engine.outgoing_transfers import TRANSITIONS as REMITTED
from landbridge.payments.engine.outgoing_transfers import OutgoingTransfer, OutgoingTransferStatus
from landbridge.payments.engine.postings import spend_held
from landbridge.payments.quotes.errors import QuoteInvalid
from landbridge.payments.swaps import model as swaps
from landbridge.payments.swaps import transitions as swap_moves
from landbridge.payments.transfers import model as transfers
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import ASSETS
from landbridge.sandbox.seeding.approvals import add_approval
from landbridge.sandbox.seeding.initial_rows import hashes, outgoing_request, outgoing_transfer
from landbridge.sandbox.seeding.initial_rows import opening as opened
from landbridge.sandbox.seeding.placeholders import Placeholders
from landbridge.sandbox.seeding.row_templates import ScenarioRun

# Number of payees of a batch.
ITEMS = 3
# The organisation's fee of a transfer, as a fraction.
FEE = Decimal("0.01")
_RATE = Decimal("0.123456789")


class ScenarioEnd(StrEnum):
    """How a record ends, beyond the status of its flow."""

    DONE = "done"
    EXPIRED = "expired"  # its quote, or its approval
    FAILED = "failed"
    RETURNED = "returned"  # failed after the debit, and refunded
    FROZEN = "frozen"
    REJECTED = "rejected"


def deposit(code: str) -> ScenarioRun:
    """External deposit of coins; amount 0."""
    placeholders, asset = Placeholders(), ASSETS[code]
    money = Money(placeholders.amount(0), asset)
    request = {
        "chain": asset.chain,
        "currency": asset.currency,
        "amount": placeholders.text("amount"),
    }
    account_id = placeholders.id("payer_account")
    facts = deposit_details(
        account_id, placeholders.text("hash"), placeholders.text("payer_address")
    )
    journal = deposit_postings(account_id, money)
    opening = opened(
        *(placeholders, DEPOSIT_KIND, (DepositStatus.COMPLETED,), request, facts),
        ends=(money, money),
        journals={0: journal},
        request_id="id",
    )
    return ScenarioRun(placeholders, opening, DEPOSIT_MOVES)


def swap(
    code: str, into: str, end: ScenarioEnd, reason: str, *, is_exact_out: bool = False
) -> ScenarioRun:
    """Swap, quoted at time 0; accepted or ended at 1."""
    placeholders, sold, bought = Placeholders(), ASSETS[code], ASSETS[into]
    source, destination = Money(placeholders.amount(0), sold), Money(placeholders.amount(2), bought)
    at = placeholders.moment(0)
    details = swaps.SwapDetails(
        source_account_id=placeholders.id("payer_account"),
        destination_account_id=placeholders.id("payee_account"),
        destination_user_id=placeholders.id("payee"),
        destination_address=placeholders.text("payee_address"),
        external_wallet_id=None,
        fee_units=placeholders.amount(1),
        rate=_RATE,
        quote_expires_at=at + swaps.QUOTE_LIFETIME,
        is_exact_out=is_exact_out,
    )
    amount = {"amount": placeholders.text("amount")}
    request = {
        "requestId": str(placeholders.id("request")),
        "source": {
            "userId": str(placeholders.id("payer")),
            "chain": sold.chain,
            "currency": sold.currency,
        }
        | ({} if is_exact_out else amount),
        "destination": {
            "userId": str(placeholders.id("payee")),
            "chain": bought.chain,
            "currency": bought.currency,
        }
        | (amount if is_exact_out else {}),
    }
    facts = {**msgspec.to_builtins(details), "rate": placeholders.text("rate")}
    path = (swaps.SwapStatus.OPEN_QUOTE,)
    opening = opened(placeholders, swaps.KIND, path, request, facts, ends=(source, destination))
    run = ScenarioRun(placeholders, opening, swaps.TRANSITIONS)
    # Decoded with a numeric rate; the written row has the placeholder.
    known = swaps.Swap(
        record=run.record,
        details=details,
        status=swaps.SwapStatus.OPEN_QUOTE,
        source=source,
        fee=Money(details.fee_units, sold),
        destination=destination,
    )
    _settle_swap(run, known, end, reason)
    return run


def _settle_swap(run: ScenarioRun, known: swaps.Swap, end: ScenarioEnd, reason: str) -> None:
    """Accept and complete, reject, or expire a swap at time 1."""
    at, actor = run.placeholders.moment(1), run.opening.actor
    match end:
        case ScenarioEnd.DONE:
            run.go(swap_moves.accepted(known, actor, at))
        case ScenarioEnd.EXPIRED:
            why = {
                "error": QuoteInvalid.name,
                "error_code": QuoteInvalid.code,
                "error_message": "the quote expired before it was accepted",
            }
            status = swaps.SwapStatus.QUOTE_FAILED
            run.go(
                AdvanceTransfer(
                    run.record,
                    path=(status,),
                    change_type="expire",
                    actor=ACTOR,
                    at=at,
                    timing=DueCheck.OVERDUE,
                    facts=why,
                )
            )
        case _:
            run.go(swap_moves.refused(known, reason, actor, at))


def transfer(
    code: str,
    end: ScenarioEnd,
    reason: str,
    *,
    is_inside: bool,
    has_fee: bool,
    needs_approval: bool,
) -> ScenarioRun:
    """Wallet transfer; with `needs_approval` decided at time 1, then sent at the next three."""
    placeholders, asset = Placeholders(), ASSETS[code]
    amount, fee = Money(placeholders.amount(2), asset), Money(placeholders.amount(1), asset)
    gross = amount + fee if has_fee else amount
    payee = placeholders.id("payee") if is_inside else None
    charged = {
        "type": FeeType.PERCENT.value,
        "value": str(FEE),
        "units": fee.units,
        "address": placeholders.text("house_address"),
    }
    fields: dict[str, Any] = {
        "source_wallet_id": placeholders.id("payer_wallet"),
        "source_account_id": placeholders.id("payer_account"),
        "source_address": placeholders.text("payer_address"),
        "destination_account_id": placeholders.id("payee_account") if is_inside else None,
        "destination_user_id": payee,
        "destination_address": placeholders.text("payee_address"),
        "external_wallet_id": None,
        "fee": charged if has_fee else None,
    }
    details = msgspec.convert(fields, transfers.TransferDetails, strict=False)
    to = (
        {"userId": str(payee)}
        if is_inside
        else {"walletAddress": placeholders.text("payee_address")}
    )
    request = {
        **outgoing_request(placeholders, asset, to, needs_approval=needs_approval),
        "amount": placeholders.text("amount"),
        **({"fee": {"type": FeeType.PERCENT.value, "value": str(FEE)}} if has_fee else {}),
    }
    opening = outgoing_transfer(
        *(placeholders, transfers.KIND, request, msgspec.to_builtins(details)),
        ends=(gross, amount),
        needs_approval=needs_approval,
    )
    run = ScenarioRun(placeholders, opening, REMITTED)
    paid = transfers.as_outgoing_transfer(run.record)
    _send(run, paid, end, reason, needs_approval=needs_approval)
    return run


def batch(code: str, end: ScenarioEnd, reason: str, *, needs_approval: bool) -> ScenarioRun:
    """Batch to users of the platform: amounts 0 to 2 are its items. Times as of a transfer."""
    placeholders, asset = Placeholders(), ASSETS[code]
    items = tuple(
        batches.BatchPaymentItem(
            account_id=placeholders.id(f"payee{index}_account"),
            user_id=placeholders.id(f"payee{index}"),
            address=placeholders.text(f"payee{index}_address"),
            units=placeholders.amount(index),
        )
        for index in range(ITEMS)
    )
    details = batches.BatchDetails(
        source_wallet_id=placeholders.id("payer_wallet"),
        source_account_id=placeholders.id("payer_account"),
        source_address=placeholders.text("payer_address"),
        items=items,
    )
    to = {
        "batch": [
            {"userId": str(each.user_id), "amount": placeholders.text(f"amount{index}")}
            for index, each in enumerate(items)
        ]
    }
    gross = Money(sum(each.units for each in items), asset)
    request = outgoing_request(placeholders, asset, to, needs_approval=needs_approval)
    opening = outgoing_transfer(
        *(placeholders, batches.KIND, request),
        msgspec.to_builtins(details),
        ends=(gross, gross),
        needs_approval=needs_approval,
    )
    run = ScenarioRun(placeholders, opening, REMITTED)
    _send(run, batches.as_outgoing_transfer(run.record), end, reason, needs_approval=needs_approval)
    return run


def bridge(code: str, into: str, end: ScenarioEnd, reason: str) -> ScenarioRun:
    """Bridge between two wallets of a user; amount 0. Accepted or ended at time 1."""
    placeholders, asset = Placeholders(), ASSETS[code]
    source = Money(placeholders.amount(0), asset)
    destination = Money(placeholders.amount(0), ASSETS[into])
    details = bridges.BridgeDetails(
        source_account_id=placeholders.id("payer_account"),
        source_wallet_id=placeholders.id("payer_wallet"),
        source_address=placeholders.text("payer_address"),
        destination_account_id=placeholders.id("payee_account"),
        destination_user_id=placeholders.id("payer"),
        destination_address=placeholders.text("payee_address"),
        quote_expires_at=placeholders.moment(0) + bridges.QUOTE_LIFETIME,
    )
    ends = ((asset, "source"), (destination.asset, "destination"))
    request: dict[str, Any] = {
        "requestId": str(placeholders.id("request")),
        "amount": placeholders.text("amount"),
        **{
            side: {
                "userId": str(placeholders.id("payer")),
                "chain": of.chain,
                "currency": of.currency,
            }
            for of, side in ends
        },
    }
    facts, path = msgspec.to_builtins(details), (bridges.BridgeStatus.OPEN_QUOTE,)
    opening = opened(placeholders, bridges.KIND, path, request, facts, ends=(source, destination))
    run = ScenarioRun(placeholders, opening, bridges.TRANSITIONS)
    known = bridges.as_bridge(run.record)
    if end is ScenarioEnd.EXPIRED:
        status = bridges.BridgeStatus.QUOTE_FAILED
        run.go(bridge_moves.ended(known, status, ACTOR, placeholders.moment(1)))
        return run
    run.go(bridge_moves.accepted(known, opening.actor, placeholders.moment(1)))
    _cross(run, end, reason)
    return run


def _cross(run: ScenarioRun, end: ScenarioEnd, reason: str) -> None:
    """Add both legs of an accepted bridge, at times 2 to 7."""
    placeholders, status = run.placeholders, bridges.BridgeStatus
    number = 1

    def go(to: bridges.BridgeStatus, *journal: Posting, **facts: Any) -> None:
        nonlocal number
        number += 1
        at = placeholders.moment(number)
        run.go(build_move(run.record, bridges.TRANSITIONS, to, at=at, facts=facts, journal=journal))

    if end is ScenarioEnd.FROZEN:
        known = bridges.as_bridge(run.record)
        run.go(bridge_moves.not_initiated(known, ACTOR, placeholders.moment(2), reason))
        return
    go(status.SOURCE_INITIATED)
    go(status.SOURCE_PENDING, **hashes(placeholders, "approve_"))
    known = bridges.as_bridge(run.record)
    if end is ScenarioEnd.FAILED:
        failed = {"held_units": 0, "failed_reason": reason}
        go(
            status.SOURCE_FAILED,
            *bridge_moves.released(known),
            **hashes(placeholders),
            **failed,
        )
        return
    go(
        status.SOURCE_PROCESSED,
        *bridge_moves.burned(known),
        **hashes(placeholders),
        held_units=0,
    )
    go(status.DESTINATION_INITIATED)
    go(status.DESTINATION_PENDING, **hashes(placeholders, "mint_"))
    if end is ScenarioEnd.RETURNED:
        back = {
            **hashes(placeholders, "mint_"),
            **hashes(placeholders, "return_"),
            "failed_reason": reason,
        }
        go(status.DESTINATION_FAILED, *bridge_moves.returned(known), **back)
        return
    go(status.COMPLETED, *bridge_moves.minted(known), **hashes(placeholders, "mint_"))


def _send(
    run: ScenarioRun, paid: OutgoingTransfer, end: ScenarioEnd, reason: str, *, needs_approval: bool
) -> None:
    """Settle held coins: an approval if one was requested, then the chain."""
    placeholders, first = run.placeholders, 1

    def go(to: OutgoingTransferStatus, at: int, *journal: Posting, **facts: Any) -> None:
        moment = placeholders.moment(at)
        run.go(build_move(run.record, REMITTED, to, at=moment, facts=facts, journal=journal))

    if needs_approval:
        if not _decide(run, paid, end):
            return
        first = 2
    status, released = OutgoingTransferStatus, paid.release_journal()
    if end is ScenarioEnd.FROZEN:
        go(status.NOT_INITIATED, first, *released, failed_reason=reason)
        return
    go(OutgoingTransferStatus.INITIATED, first)
    go(OutgoingTransferStatus.PENDING, first + 1, **hashes(placeholders))
    if end is ScenarioEnd.FAILED:
        go(status.FAILED, first + 2, *released, **hashes(placeholders), failed_reason=reason)
        return
    done = spend_held(paid.account_id, paid.parts)
    go(OutgoingTransferStatus.COMPLETED, first + 2, *done, **hashes(placeholders))


_DECISIONS = {
    ScenarioEnd.REJECTED: ApprovalStatus.REJECTED,
    ScenarioEnd.EXPIRED: ApprovalStatus.EXPIRED,
}


def _decide(run: ScenarioRun, paid: OutgoingTransfer, end: ScenarioEnd) -> bool:
    """Add the approval; return whether it was approved."""
    decision, at = _DECISIONS.get(end, ApprovalStatus.APPROVED), run.placeholders.moment(1)
    add_approval(run, lifetime=ON_CHAIN_LIFETIME, ends=decision, ended_at=at)
    status, actor = OutgoingTransferStatus, run.opening.actor
    ends = {
        ApprovalStatus.APPROVED: (status.CREATED, "approve", actor, None),
        ApprovalStatus.REJECTED: (status.REJECTED, "reject", actor, WHY_REJECTED),
        ApprovalStatus.EXPIRED: (status.EXPIRED, "expire", ACTOR, WHY_EXPIRED),
    }
    to, change_type, by, reason = ends[decision]
    move = build_move(
        *(run.record, REMITTED, to),
        at=at,
        actor=by,
        change_type=change_type,
        facts={} if reason is None else {"failed_reason": reason},
        journal=[] if reason is None else paid.release_journal(),
    )
    run.go(move)
    return reason is None
