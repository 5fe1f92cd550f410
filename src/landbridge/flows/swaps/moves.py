"""What an accept makes of a swap: computed only."""

from datetime import datetime

from landbridge.flows.swaps.model import Status, Swap, as_swap
from landbridge.ledger.model import Move, Posting, Role, Timing, Transfer
from landbridge.payments.rehearsal import NOBODY, Station, stations_of


def accepted(swap: Swap, actor: str, at: datetime) -> Move:
    """The accept of a swap: from the wallet to liquidity and fees, from liquidity to its end."""
    details = swap.details
    arrives = details.destination_account_id or Role.OUTSIDE
    return Move(
        swap.record,
        path=(Status.CREATED, Status.PENDING, Status.COMPLETED),
        what="accept",
        actor=actor,
        at=at,
        timing=Timing.IN_TIME,
        journals={
            2: [
                Posting(details.source_account_id, -swap.source),
                Posting(Role.LIQUIDITY, swap.source - swap.fee),
                *([Posting(Role.FEES, swap.fee)] if swap.fee.units else []),
                Posting(Role.LIQUIDITY, -swap.destination),
                Posting(arrives, swap.destination),
            ]
        },
    )


def refused(swap: Swap, reason: str, actor: str, at: datetime) -> Move:
    """The accept of a swap that the chain refuses then: nothing has moved."""
    return Move(
        swap.record,
        path=(Status.CREATED, Status.PENDING, Status.FAILED),
        what="accept",
        actor=actor,
        at=at,
        timing=Timing.IN_TIME,
        # Source: contract, errors: 400403.
        facts={
            "error": "TRANSACTION_INITIATION_FAILED",
            "error_code": 400403,
            "error_message": reason,
        },
    )


def course(record: Transfer) -> list[Station]:
    """What is posted after it was opened, if it is accepted."""
    return stations_of(accepted(as_swap(record), NOBODY, record.created_at))
