"""States that a payment can reach by its transitions, with the sums of its postings."""

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, TypeVar, cast
from uuid import UUID

from landbridge.ledger.model import (
    AdvanceTransfer,
    CreateTransfer,
    HouseRole,
    Posting,
    Transfer,
    advanced_record,
    check_journal,
    created_record,
)
from landbridge.payments.engine.dry_run import PlannedStep
from landbridge.payments.engine.order_channels import ChannelStatus, OrderState
from landbridge.payments.engine.outgoing_orders import OutgoingOrder, apply_status, build_move
from landbridge.platform.core.money import Asset
from landbridge.platform.core.transitions import Transitions
from tests.providers.simulation.simulated_bridges import SimulatedBridges

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
ACTOR = "test"

Result = TypeVar("Result")
Account = UUID | HouseRole
FindMoves = Callable[[Transfer], Iterable[AdvanceTransfer]]


@dataclass(frozen=True)
class ReachedState:
    """Record after a path of transitions, and its nonzero sums by account and asset.

    A sum is the pair of available and held units.
    """

    record: Transfer
    path: tuple[str, ...]
    sums: Mapping[tuple[Account, str], tuple[int, int]]

    def available(self, account: Account, asset: Asset) -> int:
        """Return the change of the available units of an account."""
        return self.sums.get((account, asset.code), (0, 0))[0]

    def held(self) -> dict[tuple[Account, str], int]:
        """Return the held units of every account that holds any."""
        return {key: held for key, (_, held) in self.sums.items() if held}

    def of_wallets(self) -> dict[tuple[Account, str], int]:
        """Return the changes of the available units of wallets."""
        return {
            key: available
            for key, (available, _) in self.sums.items()
            if available and not isinstance(key[0], HouseRole)
        }

    @property
    def identity(self) -> tuple[object, ...]:
        """Values that decide what can follow, without facts that are read no more."""
        record = self.record
        unread = {"failed_reason", "review_due_at"}
        unread |= {"unknown_from"} if record.status != "UNKNOWN" else set()
        # After a review only its presence can matter.
        unread |= {"reviewed_from"} if record.status != "IN_REVIEW" else set()
        was_reviewed = record.facts.get("reviewed_from") is not None
        facts = sorted(
            (name, repr(value)) for name, value in record.facts.items() if name not in unread
        )
        units = (record.source_units, record.destination_units)
        # A record keeps the details of its creation, as one object.
        return (
            *(record.status, id(record.details), tuple(facts), units, was_reviewed),
            frozenset(self.sums.items()),
        )


@dataclass
class ReachedStates:
    """Every state that was reached, and the transitions that were made."""

    states: list[ReachedState] = field(default_factory=list[ReachedState])
    edges: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def at(self, *statuses: str) -> list[ReachedState]:
        """Return the states at these statuses; at least one must have been reached."""
        found = [each for each in self.states if each.record.status in statuses]
        assert {each.record.status for each in found} == set(statuses)
        return found


class _NoProvider(SimulatedBridges):
    """Stands for the chains, banks and services of orders that are built, and never sent."""

    key_lifetime: timedelta | None = None


NO_PROVIDER = cast("Any", _NoProvider())


def reach(
    creations: Sequence[CreateTransfer], transitions: Transitions[Any], find_moves: FindMoves
) -> ReachedStates:
    """Return every state reachable from these creations, after checking each transition.

    A transition follows the table. Its journals sum to zero, without zero postings and with one per
    account and asset; no posting to a wallet exceeds the amounts of the record.
    """
    found = ReachedStates()
    waiting = [_created(each, transitions) for each in creations]
    known = {each.identity for each in waiting}
    for each in creations:
        found.edges |= set(pairwise(each.path))
    while waiting:
        state = waiting.pop()
        found.states.append(state)
        for move in find_moves(state.record):
            after = _advanced(state, move, transitions)
            found.edges |= set(pairwise((state.record.status, *move.path)))
            if after.identity not in known:
                known.add(after.identity)
                waiting.append(after)
    return found


def planned_sums(
    creation: CreateTransfer, transitions: Transitions[Any], steps: Sequence[PlannedStep]
) -> Mapping[tuple[Account, str], tuple[int, int]]:
    """Return the sums after a creation and its planned steps, as a dry run shows them.

    Each planned journal has to sum to zero.
    """
    state = _created(creation, transitions)
    for step in steps:
        check_journal(step.postings)
        journals = {0: step.postings}
        state = _posted(state.record, (step.status,), state.sums, journals, [state.record])
    return state.sums


def find_order_moves(record: Transfer, order: OutgoingOrder) -> Iterator[AdvanceTransfer]:
    """Build the transition of each answer of a provider."""
    for state in OrderState:
        has_status = {
            OrderState.PENDING: order.pending is not None and record.status == order.initiated,
            OrderState.DONE: True,
            OrderState.FAILED: order.failed is not None,
        }
        if has_status[state]:
            answer = ChannelStatus(state=state, expected_at=None, reason="no reason")
            yield apply_status(record, order, answer, AT)
    if order.unknown is not None and record.status != order.unknown:
        yield AdvanceTransfer(
            record,
            path=(order.unknown,),
            change_type=order.unknown.lower(),
            actor=ACTOR,
            at=AT,
            facts={"unknown_from": record.status},
        )


def find_refund_moves(
    record: Transfer, order: OutgoingOrder, destinations: Sequence[Mapping[str, Any]]
) -> Iterator[AdvanceTransfer]:
    """Build the transitions of a person who redirects a refund or settles it outside."""
    refund = order.refund
    assert refund is not None
    yield build_move(
        record,
        order.transitions,
        refund.status,
        at=AT,
        change_type="settle_outside",
        facts={**refund.facts, "is_settled_outside": True},
        journal=refund.outside_journal,
    )
    for facts in destinations:
        yield AdvanceTransfer(
            record,
            path=(record.status,),
            change_type="redirect",
            actor=ACTOR,
            at=AT,
            due_at=AT,
            facts=facts,
        )


def result_of(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("the coroutine waits for something")


def _created(creation: CreateTransfer, transitions: Transitions[Any]) -> ReachedState:
    creation.check(transitions)
    record = created_record(creation)
    return _posted(record, creation.path, {}, creation.journals, [record])


def _advanced(
    state: ReachedState, move: AdvanceTransfer, transitions: Transitions[Any]
) -> ReachedState:
    move.check(transitions)
    assert move.transfer is state.record
    record = advanced_record(move)
    path = (*state.path, *move.path)
    return _posted(record, path, state.sums, move.journals, [state.record, record])


def _posted(
    record: Transfer,
    path: tuple[str, ...],
    before: Mapping[tuple[Account, str], tuple[int, int]],
    journals: Mapping[int, Sequence[Posting]],
    versions: Sequence[Transfer],
) -> ReachedState:
    sums = dict(before)
    for postings in journals.values():
        lines = [(each.account, each.available.asset) for each in postings]
        assert len(set(lines)) == len(lines), "a journal has one posting per account and asset"
        for posting in postings:
            asset = posting.available.asset.code
            _check_bounds(posting, max(_stated_units(each, asset) for each in versions))
            available, held = sums.get((posting.account, asset), (0, 0))
            sums[posting.account, asset] = (
                available + posting.available.units,
                held + posting.held_units,
            )
    return ReachedState(record, path, {key: each for key, each in sums.items() if any(each)})


def _check_bounds(posting: Posting, units: int) -> None:
    if not isinstance(posting.account, HouseRole):
        assert abs(posting.available.units) <= units, posting
        assert abs(posting.held_units) <= units, posting


def _stated_units(record: Transfer, asset: str) -> int:
    """Return the units of an asset that a record states; of external coins, those received."""
    by_asset = [(record.source_asset, record.source_units)]
    by_asset.append((record.destination_asset, record.destination_units))
    by_asset.append((record.source_asset, record.facts.get("received_units", 0)))
    return max((units for code, units in by_asset if code == asset), default=0)
