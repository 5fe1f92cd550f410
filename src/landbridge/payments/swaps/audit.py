"""Audit rules of swaps; see ledger/audit_rules.py."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit, reserve
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.payments.swaps.model import Swap, SwapLeg, SwapStatus, as_swap
from landbridge.payments.swaps.transitions import (
    accepted,
    collected,
    delivered,
    exchanged,
    received_in,
    released,
    returned,
    returned_outside,
)


def journals(step: RecordStep) -> Journals:
    """Return the postings that a step of a record should have made."""
    if step.before is None:
        return {}
    swap = as_swap(step.before)
    if swap.status is SwapStatus.OPEN_QUOTE:
        is_accept = step.after.status in {SwapStatus.CREATED, SwapStatus.COMPLETED}
        return accepted(swap, step.actor, step.at).journals if is_accept else {}
    postings: Sequence[Posting] = []
    match SwapStatus(step.after.status):
        case SwapStatus.PENDING if step.facts.get("leg") == SwapLeg.COLLECTED:
            postings = collected(swap)
        case SwapStatus.COMPLETED if swap.is_market:
            postings = exchanged(swap, received_in(step.facts))
        case SwapStatus.COMPLETED:
            postings = delivered(swap)
        case SwapStatus.FAILED if swap.details.leg is SwapLeg.RETURN:
            is_outside = step.change_type == "settle_outside"
            postings = returned_outside(swap) if is_outside else returned(swap)
        case SwapStatus.FAILED:
            postings = released(swap)
        case (
            SwapStatus.PENDING
            | SwapStatus.OPEN_QUOTE
            | SwapStatus.CREATED
            | SwapStatus.QUOTE_FAILED
        ):
            pass
    return step.final_journal(postings)


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect of a swap on balances, after the statuses it has passed."""
    del statuses
    swap = as_swap(record)
    payer = swap.details.source_account_id
    sold = [
        debit(payer, swap.source),
        credit(HouseRole.FEES, swap.fee),
        credit(HouseRole.LIQUIDITY, swap.source - swap.fee),
    ]
    match swap.status:
        case SwapStatus.COMPLETED:
            return _exchanged_effect(swap) if swap.is_market else [*sold, *_delivered_effect(swap)]
        case SwapStatus.CREATED:
            return [reserve(payer, swap.source)]
        case SwapStatus.PENDING if swap.details.leg in (SwapLeg.COLLECT, SwapLeg.MARKET):
            return [reserve(payer, swap.source)]
        case SwapStatus.PENDING:
            return sold
        case SwapStatus.FAILED if swap.details.leg is SwapLeg.RETURN:
            return [debit(payer, swap.source), credit(_refunded_to(swap), swap.source)]
        case SwapStatus.OPEN_QUOTE | SwapStatus.FAILED | SwapStatus.QUOTE_FAILED:
            return []


def _delivered_effect(swap: Swap) -> Sequence[Posting]:
    return [
        debit(HouseRole.LIQUIDITY, swap.destination),
        credit(swap.details.destination_account_id or HouseRole.OUTSIDE, swap.destination),
    ]


def _exchanged_effect(swap: Swap) -> Sequence[Posting]:
    """Return the total effect of a swap that a market has executed."""
    sold = [
        debit(swap.details.source_account_id, swap.source),
        credit(HouseRole.FEES, swap.fee),
        credit(HouseRole.OUTSIDE, swap.source - swap.fee),
    ]
    if swap.details.destination_account_id is None:
        return sold
    received = swap.received or swap.destination
    return [
        *sold,
        debit(HouseRole.OUTSIDE, received),
        credit(swap.details.destination_account_id, received),
    ]


def _refunded_to(swap: Swap) -> UUID | HouseRole:
    """Return the account that got the coins sold back: the payer's, or a reviewer's choice."""
    details = swap.details
    if details.is_settled_outside:
        return HouseRole.OUTSIDE
    if details.return_address is None:
        return details.source_account_id
    return details.return_account_id or HouseRole.OUTSIDE


RULES = AuditRules(journals, effect)
