"""Transitions of swaps: pure functions."""

from datetime import datetime

from landbridge.ledger.model import AdvanceTransfer, DueCheck, HouseRole, Posting, Transfer
from landbridge.payments.engine.dry_run import NO_ACTOR, PlannedStep, journal_steps
from landbridge.payments.swaps.model import Swap, SwapStatus, as_swap


def accepted(swap: Swap, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the accept: from the wallet to liquidity and fees, from liquidity to the recipient."""
    details = swap.details
    arrives = details.destination_account_id or HouseRole.OUTSIDE
    return AdvanceTransfer(
        swap.record,
        path=(SwapStatus.CREATED, SwapStatus.PENDING, SwapStatus.COMPLETED),
        change_type="accept",
        actor=actor,
        at=at,
        timing=DueCheck.IN_TIME,
        journals={
            2: [
                Posting(details.source_account_id, -swap.source),
                Posting(HouseRole.LIQUIDITY, swap.source - swap.fee),
                *([Posting(HouseRole.FEES, swap.fee)] if swap.fee.units else []),
                Posting(HouseRole.LIQUIDITY, -swap.destination),
                Posting(arrives, swap.destination),
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
        # Source: contract, errors: 400403.
        facts={
            "error": "TRANSACTION_INITIATION_FAILED",
            "error_code": 400403,
            "error_message": reason,
        },
    )


def planned_steps(record: Transfer) -> list[PlannedStep]:
    """Return the planned steps after its creation, if it is accepted."""
    return journal_steps(accepted(as_swap(record), NO_ACTOR, record.created_at))
