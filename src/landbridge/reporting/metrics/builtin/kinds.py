"""Transaction types of Landbridge's templates, and their final statuses."""

from collections.abc import Collection, Iterator, Mapping

from landbridge.ledger.corrections import KIND as CORRECTION_KIND
from landbridge.payments.batches import model as batches
from landbridge.payments.bridges import model as bridges
from landbridge.payments.engine import outgoing_transfers
from landbridge.payments.offramps import model as offramps
from landbridge.payments.onramps import model as onramps
from landbridge.payments.swaps import model as swaps
from landbridge.payments.transfers import model as wallet_transfers
from landbridge.platform.core.transitions import S, Transitions
from landbridge.reporting.metrics.model import Dimension

# Type by the kind of a record. The first three types equal those of the contract's templates.
TYPES: Mapping[str, str] = {
    onramps.KIND: "onramp",
    offramps.KIND: "offramp",
    wallet_transfers.KIND: "transfer",
    batches.KIND: "transfer",
    swaps.KIND: "swap",
    bridges.KIND: "bridge",
}
# Kind of records that reverse a journal, and so refund its fees.
CORRECTION = "correction"

COMPLETED, FAILED, UNFINISHED = "completed", "failed", "unfinished"


def _outcomes(kind: str, moves: Transitions[S]) -> Iterator[tuple[tuple[str, str], str]]:
    for status in moves.table:
        outcome = FAILED if moves.is_terminal(status) else UNFINISHED
        yield (kind, status.value), COMPLETED if status.value == "COMPLETED" else outcome


# Outcome by kind and status: every final status except success is a failure.
OUTCOME_OF: Mapping[tuple[str, str], str] = dict(
    (
        *_outcomes(onramps.KIND, onramps.TRANSITIONS),
        *_outcomes(offramps.KIND, offramps.TRANSITIONS),
        *_outcomes(wallet_transfers.KIND, outgoing_transfers.TRANSITIONS),
        *_outcomes(batches.KIND, outgoing_transfers.TRANSITIONS),
        *_outcomes(swaps.KIND, swaps.TRANSITIONS),
        *_outcomes(bridges.KIND, bridges.TRANSITIONS),
    )
)


_TYPES_OF: Mapping[str, str] = {**TYPES, CORRECTION_KIND: CORRECTION}


def type_of(kind: str) -> str:
    """Return the type of a record or journal of this kind; "" for "", which is no breakdown."""
    return kind and _TYPES_OF[kind]


def kinds_of(types: Collection[str] | None) -> list[str]:
    """Return the kinds of records of these types; None is all types except corrections."""
    if types is None:
        return list(TYPES)
    return [kind for kind, name in _TYPES_OF.items() if name in types]


def type_dimension(*more: str) -> Dimension:
    """Return the dimension of types; `more` are types in addition to those of `TYPES`."""
    return Dimension(
        name="transactionType",
        param="transactionTypes",
        options=(*dict.fromkeys(TYPES.values()), *more),
        description="Only transactions of these types; all if left out. Batches are transfers.",
    )
