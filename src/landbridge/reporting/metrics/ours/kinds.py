"""Types of transactions, as our templates tell them apart; and when such a transaction is over."""

from collections.abc import Collection, Iterator, Mapping

from landbridge.core.states import Moves, S
from landbridge.flows.batches import model as batches
from landbridge.flows.bridges import model as bridges
from landbridge.flows.offramps import model as offramps
from landbridge.flows.onramps import model as onramps
from landbridge.flows.swaps import model as swaps
from landbridge.flows.wallet_transfers import model as wallet_transfers
from landbridge.ledger.corrections import KIND as CORRECTION_KIND
from landbridge.payments import remittances
from landbridge.reporting.metrics.model import Dimension

# By the kind of a record. The first three are as in the contract's templates.
TYPES: Mapping[str, str] = {
    onramps.KIND: "onramp",
    offramps.KIND: "offramp",
    wallet_transfers.KIND: "transfer",
    batches.KIND: "transfer",
    swaps.KIND: "swap",
    bridges.KIND: "bridge",
}
# Of what takes a journal back: fees are given back by it.
CORRECTION = "correction"

COMPLETED, FAILED, UNFINISHED = "completed", "failed", "unfinished"


def _outcomes(kind: str, moves: Moves[S]) -> Iterator[tuple[tuple[str, str], str]]:
    for status in moves.table:
        outcome = FAILED if moves.is_terminal(status) else UNFINISHED
        yield (kind, status.value), COMPLETED if status.value == "COMPLETED" else outcome


# By kind and status: every end but the good one is a failure.
OUTCOME_OF: Mapping[tuple[str, str], str] = dict(
    (
        *_outcomes(onramps.KIND, onramps.MOVES),
        *_outcomes(offramps.KIND, offramps.MOVES),
        *_outcomes(wallet_transfers.KIND, remittances.MOVES),
        *_outcomes(batches.KIND, remittances.MOVES),
        *_outcomes(swaps.KIND, swaps.MOVES),
        *_outcomes(bridges.KIND, bridges.MOVES),
    )
)


_TYPES_OF: Mapping[str, str] = {**TYPES, CORRECTION_KIND: CORRECTION}


def type_of(kind: str) -> str:
    """The type of a record or journal of this kind; "" of "", where kinds are not told apart."""
    return kind and _TYPES_OF[kind]


def kinds_of(types: Collection[str] | None) -> list[str]:
    """The kinds of records of these types; of all types, without corrections, if None."""
    if types is None:
        return list(TYPES)
    return [kind for kind, name in _TYPES_OF.items() if name in types]


def type_dimension(*more: str) -> Dimension:
    """The dimension of types; `more` are others than those of `TYPES`."""
    return Dimension(
        name="transactionType",
        param="transactionTypes",
        options=(*dict.fromkeys(TYPES.values()), *more),
        description="Only transactions of these types; all if left out. Batches are transfers.",
    )
