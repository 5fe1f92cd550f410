"""Journals of payments in coins and of receivables, on every path that their transitions allow.

Offramps and onramps have tests of their own beside their transitions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.ledger.model import (
    AdvanceTransfer,
    CreateTransfer,
    HouseRole,
    Transfer,
    created_record,
)
from landbridge.payments.batches import model as batches
from landbridge.payments.bridges import model as bridges
from landbridge.payments.bridges import transitions as bridge_transitions
from landbridge.payments.bridges.model import BridgeStatus, as_bridge
from landbridge.payments.bridges.orders import BridgeOrders
from landbridge.payments.engine import outgoing_transfers
from landbridge.payments.engine.outgoing_orders import build_move
from landbridge.payments.engine.outgoing_transfers import (
    OutgoingTransferDecisions,
    OutgoingTransferStatus,
    Read,
)
from landbridge.payments.receivables import model as receivables
from landbridge.payments.receivables import transitions as receivable_transitions
from landbridge.payments.receivables.model import ReceivableStatus, as_receivable
from landbridge.payments.swaps import model as swaps
from landbridge.payments.swaps import transitions as swap_transitions
from landbridge.payments.swaps.model import SwapStatus, as_swap
from landbridge.payments.transfers import model as transfers
from landbridge.platform.core.money import Money
from landbridge.providers.rails.currencies import FIAT
from tests.payments.reached_states import (
    ACTOR,
    AT,
    NO_PROVIDER,
    ReachedState,
    find_order_moves,
    find_refund_moves,
    planned_sums,
    reach,
    result_of,
)
from tests.payments.record_factories import (
    PARTNER,
    PAYER,
    batch_creations,
    bridge_creations,
    swap_creations,
    transfer_creations,
)

RUNS = settings(max_examples=30)


class _Treasury:
    """Wallets with one treasury address."""

    async def treasury_address(self, org_id: UUID, chain: str) -> str:
        return f"0x{org_id}{chain}"


ORDERS = BridgeOrders(NO_PROVIDER, cast("Any", _Treasury()))


def _find_swap_moves(record: Transfer) -> Iterator[AdvanceTransfer]:
    swap = as_swap(record)
    if swap.status is SwapStatus.OPEN_QUOTE:
        yield swap_transitions.accepted(swap, ACTOR, AT)
        yield swap_transitions.refused(swap, "no reason", ACTOR, AT)


@given(swap_creations())
def test_swap_exchanges_exactly_its_amounts(creation: CreateTransfer) -> None:
    found = reach([creation], swaps.TRANSITIONS, _find_swap_moves)
    swap = as_swap(created_record(creation))
    sold, bought = swap.source.asset, swap.destination.asset
    payee = swap.details.destination_account_id or HouseRole.OUTSIDE
    (done,) = found.at(SwapStatus.COMPLETED)
    assert done.available(PAYER, sold) == -swap.source.units
    assert done.available(HouseRole.FEES, sold) == swap.fee.units
    assert done.available(HouseRole.LIQUIDITY, sold) == (swap.source - swap.fee).units
    assert done.available(HouseRole.LIQUIDITY, bought) == -swap.destination.units
    assert done.available(payee, bought) == swap.destination.units
    assert not done.held()
    planned = swap_transitions.planned_steps(created_record(creation))
    assert done.sums == planned_sums(creation, swaps.TRANSITIONS, planned)
    assert not any(each.sums for each in found.at(SwapStatus.OPEN_QUOTE, SwapStatus.FAILED))


@dataclass(frozen=True)
class _OutgoingKind:
    """Transitions of one kind of outgoing transfer."""

    read: Read

    def find_moves(self, record: Transfer) -> Iterator[AdvanceTransfer]:
        """Build every transition that services and steps make at this status."""
        paid, decisions = self.read(record), OutgoingTransferDecisions(self.read)
        status = OutgoingTransferStatus
        match status(record.status):
            case status.PENDING_APPROVAL:
                yield result_of(decisions.approved(record, actor=ACTOR, at=AT))
                rejected = decisions.refused(record, actor=ACTOR, at=AT)
                yield rejected
                yield replace(rejected, path=(status.EXPIRED,))
            case status.CREATED:
                yield self._move(record, status.INITIATED)
                journal = paid.release_journal()
                yield self._move(record, status.NOT_INITIATED, journal=journal)
            case status.INITIATED | status.PENDING | status.UNKNOWN:
                yield from find_order_moves(record, paid.find_order(NO_PROVIDER, AT))
            case _:
                pass

    def _move(
        self, record: Transfer, status: OutgoingTransferStatus, **fields: Any
    ) -> AdvanceTransfer:
        return build_move(record, outgoing_transfers.TRANSITIONS, status, at=AT, **fields)


def _check_outgoing(creation: CreateTransfer, read: Read) -> None:
    """Check that coins are held until they are spent on the parts, or released."""
    table = outgoing_transfers.TRANSITIONS
    starts = [replace(creation, path=(status,)) for status in table.start]
    found = reach(starts, table, _OutgoingKind(read).find_moves)
    assert found.edges == set(table.edges())
    paid = read(created_record(creation))
    gross = paid.held
    assert gross == creation.source == outgoing_transfers.total(leg.money for leg in paid.legs)
    for state in found.states:
        status = OutgoingTransferStatus(state.record.status)
        if not table.is_terminal(status):
            assert state.sums == {(PAYER, gross.asset.code): (-gross.units, gross.units)}
        elif status is not OutgoingTransferStatus.COMPLETED:
            assert not state.sums
    for done in found.at(OutgoingTransferStatus.COMPLETED):
        assert not done.held()
        assert done.available(PAYER, gross.asset) == -gross.units
        for account in {account for account, _ in paid.parts}:
            parts = sum(part.units for payee, part in paid.parts if payee == account)
            assert done.available(account, gross.asset) == parts
        planned = outgoing_transfers.planned_steps(paid)
        assert done.sums == planned_sums(creation, table, planned)


@RUNS
@given(transfer_creations())
def test_transfer_spends_or_releases_what_it_holds(creation: CreateTransfer) -> None:
    _check_outgoing(creation, transfers.as_outgoing_transfer)


@RUNS
@given(batch_creations())
def test_batch_spends_or_releases_what_it_holds(creation: CreateTransfer) -> None:
    _check_outgoing(creation, batches.as_outgoing_transfer)


# A reviewer redirects returned coins to another wallet of the payer, or out of the platform.
DESTINATIONS = (
    {"return_address": "0xc", "return_account_id": str(PARTNER)},
    {"return_address": "0xd", "return_account_id": None},
)


def _find_bridge_moves(record: Transfer) -> Iterator[AdvanceTransfer]:
    """Build every transition that services and steps make at this status."""
    bridge, status = as_bridge(record), BridgeStatus
    is_unknown = bridge.status is status.UNKNOWN
    match bridge.details.unknown_from if is_unknown else bridge.status:
        case status.PENDING_APPROVAL:
            yield bridge_transitions.approved(bridge, ACTOR, AT)
            for end in (status.REJECTED, status.EXPIRED):
                yield bridge_transitions.ended(bridge, end, ACTOR, AT)
        case status.OPEN_QUOTE:
            yield bridge_transitions.accepted(bridge, ACTOR, AT)
            yield bridge_transitions.ended(bridge, status.QUOTE_FAILED, ACTOR, AT)
        case status.CREATED:
            yield _bridge_move(record, status.SOURCE_INITIATED)
            yield bridge_transitions.not_initiated(bridge, ACTOR, AT, "no reason")
        case status.SOURCE_INITIATED:
            order = ORDERS.approve(bridge, AT, _find_no_block, is_claimed_now=True)
            yield from find_order_moves(record, order)
        case status.SOURCE_PENDING:
            yield from find_order_moves(record, ORDERS.burn(bridge, AT))
        case status.SOURCE_PROCESSED:
            yield _bridge_move(record, status.DESTINATION_INITIATED)
            halted = {"halted_reason": "no reason"}
            yield _bridge_move(record, status.DESTINATION_INITIATED, facts=halted)
        case status.DESTINATION_INITIATED | status.DESTINATION_PENDING:
            order = result_of(ORDERS.destination(bridge, AT))
            yield from find_order_moves(record, order)
            if order.refund is not None:
                yield from find_refund_moves(record, order, DESTINATIONS)
        case _:
            pass


async def _find_no_block() -> str | None:
    return None


def _bridge_move(record: Transfer, status: BridgeStatus, **fields: Any) -> AdvanceTransfer:
    return build_move(record, bridges.TRANSITIONS, status, at=AT, **fields)


@RUNS
@given(bridge_creations())
def test_bridge_delivers_releases_or_returns_what_it_holds(
    creations: tuple[CreateTransfer, CreateTransfer],
) -> None:
    found = reach(creations, bridges.TRANSITIONS, _find_bridge_moves)
    assert found.edges == set(bridges.TRANSITIONS.edges())
    for state in found.states:
        _check_bridge(state)
    for creation in creations:
        planned = bridge_transitions.planned_steps(created_record(creation))
        sums = planned_sums(creation, bridges.TRANSITIONS, planned)
        assert all(done.sums == sums for done in found.at(BridgeStatus.COMPLETED))


def _check_bridge(state: ReachedState) -> None:
    bridge = as_bridge(state.record)
    units, coin, arrived = bridge.source.units, bridge.source.asset, bridge.destination.asset
    held = {(PAYER, coin.code): bridge.held.units} if bridge.held.units else {}
    assert state.held() == held
    wallets = state.of_wallets()
    if bridge.status is BridgeStatus.COMPLETED:
        payee = bridge.details.destination_account_id
        paid = {(payee, arrived.code): units} if payee else {}
        assert wallets == {(PAYER, coin.code): -units, **paid}
    elif bridge.status is BridgeStatus.DESTINATION_FAILED:
        owner = HouseRole.OUTSIDE if bridge.details.is_settled_outside else bridge.returns_to
        back = {} if owner == PAYER else {(PAYER, coin.code): -units}
        assert wallets == back | ({(owner, coin.code): units} if owner == PARTNER else {})
    elif bridges.TRANSITIONS.is_terminal(bridge.status):
        assert not state.sums
    if bridges.TRANSITIONS.is_terminal(bridge.status):
        assert not state.held()
        assert not state.available(HouseRole.IN_TRANSIT, arrived)
    elif BridgeStatus.SOURCE_PROCESSED in state.path:
        assert wallets == {(PAYER, coin.code): -units}
        assert state.available(HouseRole.IN_TRANSIT, arrived) == units
    else:
        assert wallets == ({(PAYER, coin.code): -units} if held else {})


@given(bridge_creations(), st.integers(1, 10**18))
def test_receivable_is_owed_until_it_is_paid_or_lost(
    creations: tuple[CreateTransfer, CreateTransfer], units: int
) -> None:
    money = Money(units, FIAT["usd"])
    created = receivable_transitions.opened(
        created_record(creations[0]),
        money,
        request_id=UUID(int=40),
        reason="no reason",
        actor=ACTOR,
        at=AT,
    )
    found = reach([created], receivables.TRANSITIONS, _find_receivable_moves)
    assert found.edges == set(receivables.TRANSITIONS.edges())
    sums = {
        ReceivableStatus.OPEN: {HouseRole.RECEIVABLE: -units, HouseRole.OUTSIDE: units},
        ReceivableStatus.RECOVERED: {},
        ReceivableStatus.WRITTEN_OFF: {HouseRole.WRITE_OFFS: -units, HouseRole.OUTSIDE: units},
    }
    for state in found.states:
        expected = sums[ReceivableStatus(state.record.status)]
        assert state.sums == {
            (role, money.asset.code): (available, 0) for role, available in expected.items()
        }


def _find_receivable_moves(record: Transfer) -> Iterator[AdvanceTransfer]:
    receivable = as_receivable(record)
    if receivable.status is ReceivableStatus.OPEN:
        yield receivable_transitions.recovered(receivable, actor=ACTOR, at=AT)
        yield receivable_transitions.written_off(receivable, actor=ACTOR, at=AT)
