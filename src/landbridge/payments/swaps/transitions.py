"""Transitions of swaps and their journals: pure functions.

The ledger executes a swap by its accept, unless coins have to move on a chain. Then the accept
holds the coins sold; they are collected by the treasury, which delivers the coins bought, or a
market of the chain takes them and pays the recipient.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from landbridge.ledger.model import AdvanceTransfer, DueCheck, HouseRole, Posting, Transfer
from landbridge.payments.engine.dry_run import NO_ACTOR, PlannedStep, journal_steps
from landbridge.payments.engine.postings import hold, release_held, spend_held
from landbridge.payments.swaps.model import Swap, SwapStatus, as_swap
from landbridge.platform.core.money import Money


def accepted(swap: Swap, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the accept: it executes the swap, or holds its coins for the chain."""
    if swap.is_on_chain:
        return AdvanceTransfer(
            swap.record,
            path=(SwapStatus.CREATED,),
            change_type="accept",
            actor=actor,
            at=at,
            timing=DueCheck.IN_TIME,
            due_at=at,
            journals={0: hold(swap.details.source_account_id, swap.source)},
        )
    return AdvanceTransfer(
        swap.record,
        path=(SwapStatus.CREATED, SwapStatus.PENDING, SwapStatus.COMPLETED),
        change_type="accept",
        actor=actor,
        at=at,
        timing=DueCheck.IN_TIME,
        journals={
            2: [
                Posting(swap.details.source_account_id, -swap.source),
                Posting(HouseRole.LIQUIDITY, swap.source - swap.fee),
                *([Posting(HouseRole.FEES, swap.fee)] if swap.fee.units else []),
                *delivered(swap),
            ]
        },
    )


def refused(swap: Swap, reason: str, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the accept of a swap that the chain refuses: it moves nothing."""
    return AdvanceTransfer(
        swap.record,
        path=(SwapStatus.CREATED, SwapStatus.PENDING, SwapStatus.FAILED),
        change_type="accept",
        actor=actor,
        at=at,
        timing=DueCheck.IN_TIME,
        facts=failure(reason),
    )


def failure(reason: str) -> dict[str, Any]:
    """Return the facts of a failed swap. Source: contract, errors: 400403."""
    return {
        "error": "TRANSACTION_INITIATION_FAILED",
        "error_code": 400403,
        "error_message": reason,
    }


def collected(swap: Swap) -> list[Posting]:
    """Return the journal of the coins sold: from the wallet to liquidity and fees."""
    return spend_held(
        swap.details.source_account_id,
        [(HouseRole.LIQUIDITY, swap.source - swap.fee), (HouseRole.FEES, swap.fee)],
    )


def released(swap: Swap) -> list[Posting]:
    """Return the journal of coins that were not collected."""
    return release_held(swap.details.source_account_id, swap.source)


def delivered(swap: Swap) -> list[Posting]:
    """Return the journal of the coins bought: from liquidity to the recipient."""
    return [
        Posting(HouseRole.LIQUIDITY, -swap.destination),
        Posting(swap.details.destination_account_id or HouseRole.OUTSIDE, swap.destination),
    ]


def exchanged(swap: Swap, units: int | None) -> list[Posting]:
    """Return the journal of a swap on a market, which gave `units`; None: the quoted amount.

    The market is outside of the platform: it takes the coins sold, and pays the recipient. Coins
    that it pays to an external address are never in the ledger.
    """
    sold = spend_held(
        swap.details.source_account_id,
        [(HouseRole.OUTSIDE, swap.source - swap.fee), (HouseRole.FEES, swap.fee)],
    )
    if swap.details.destination_account_id is None:
        return sold
    received = swap.destination if units is None else Money(units, swap.destination.asset)
    return [
        *sold,
        Posting(HouseRole.OUTSIDE, -received),
        Posting(swap.details.destination_account_id, received),
    ]


def received_in(facts: Mapping[str, Any]) -> int | None:
    """Return the units in the facts of a completed swap; None if a market did not execute it."""
    text = facts.get("received_units")
    return None if text is None else int(text)


def returned(swap: Swap) -> list[Posting]:
    """Return the journal of the refund: to the paying wallet, or to a reviewer's choice."""
    return [*_given_back(swap), Posting(swap.returns_to, swap.source)]


def returned_outside(swap: Swap) -> list[Posting]:
    """Return the journal of a refund that was made by other means than an order of ours."""
    return [*_given_back(swap), Posting(HouseRole.OUTSIDE, swap.source)]


def planned_steps(record: Transfer) -> list[PlannedStep]:
    """Return the planned steps after the creation, if the swap is accepted and all goes well."""
    swap = as_swap(record)
    accept = journal_steps(accepted(swap, NO_ACTOR, record.created_at))
    if not swap.is_on_chain:
        return accept
    if swap.is_market:
        return [
            *accept,
            PlannedStep(SwapStatus.PENDING, []),
            PlannedStep(SwapStatus.COMPLETED, exchanged(swap, None)),
        ]
    return [
        *accept,
        PlannedStep(SwapStatus.PENDING, collected(swap)),
        PlannedStep(SwapStatus.COMPLETED, delivered(swap)),
    ]


def _given_back(swap: Swap) -> list[Posting]:
    return [
        Posting(HouseRole.LIQUIDITY, swap.fee - swap.source),
        *([Posting(HouseRole.FEES, -swap.fee)] if swap.fee.units else []),
    ]
