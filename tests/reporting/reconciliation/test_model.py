"""The rules of reconciliation, for any movements."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.chains.records import AddressMovement
from landbridge.reporting.reconciliation.model import (
    DEBIT_PATIENCE,
    BookedMovement,
    BookedPosition,
    DifferenceKind,
    FoundDifference,
    MovementMatch,
    compare,
    find_difference,
    find_kind,
    find_position_differences,
    reference_of,
    sum_booked,
    sum_outside,
)

NOW = datetime(2026, 1, 2, tzinfo=UTC)
PATIENCE = timedelta(hours=1)
RECORD = UUID(int=1)
ASSETS = ("usdc:POLYGON", "usdt:POLYGON")

references, assets = st.sampled_from(["0xa", "0xb", "0xc"]), st.sampled_from(ASSETS)
units = st.integers(-5, 5)
movements = st.lists(st.tuples(references, assets, units), max_size=20)


@given(movements, movements)
def test_differences_and_rest_add_up_to_the_whole(
    booked: list[tuple[str, str, int]], moved: list[tuple[str, str, int]]
) -> None:
    found = _differences(booked, moved)
    matches, held = _matches(booked, moved), _totals(moved)
    ledger = _totals(booked)
    positions = compare(
        [
            BookedPosition(
                asset=asset,
                ledger_units=ledger[asset],
                explained_units=sum(
                    each.outside_units - each.ledger_units
                    for each in matches
                    if each.asset == asset
                ),
                accepted_units=0,
            )
            for asset in ASSETS
        ],
        held,
    )
    # Movements explain a balance that consists of them, whatever they are.
    assert find_position_differences(positions, NOW) == []
    for asset in ASSETS:
        of_asset = [each for each in found if each.asset == asset]
        total = sum(each.outside_units - each.ledger_units for each in of_asset)
        assert total == held[asset] - ledger[asset]


@given(movements)
def test_equal_sides_have_no_difference(both: list[tuple[str, str, int]]) -> None:
    assert _differences(both, list(reversed(both))) == []


@given(movements, references, assets, units.filter(bool))
def test_one_more_movement_outside_is_one_difference(
    both: list[tuple[str, str, int]], reference: str, asset: str, amount: int
) -> None:
    (found,) = _differences(both, [*both, (reference, asset, amount)])
    assert (found.reference, found.asset) == (reference, asset)
    assert found.outside_units - found.ledger_units == amount


@given(st.integers(-9, 9), st.integers(-9, 9), units)
def test_a_rest_that_nobody_accepted_is_a_difference(ledger: int, held: int, accepted: int) -> None:
    booked = BookedPosition(
        asset="usdc:POLYGON", ledger_units=ledger, explained_units=0, accepted_units=accepted
    )
    found = find_position_differences(compare([booked], {"usdc:POLYGON": held}), NOW)
    assert bool(found) == (held - ledger != accepted)
    for each in found:
        assert each.outside_units - each.ledger_units == held - ledger - accepted


@pytest.mark.parametrize(
    ("ledger", "outside", "kind"),
    [
        (5, 5, None),
        (0, 0, None),
        (-5, 0, DifferenceKind.MISSING_OUTSIDE),
        (0, -5, DifferenceKind.UNKNOWN_OUTSIDE),
        (-5, -10, DifferenceKind.DUPLICATE),
        (5, 15, DifferenceKind.DUPLICATE),
        (-5, -6, DifferenceKind.AMOUNT),
        (-10, -5, DifferenceKind.AMOUNT),
        (5, -5, DifferenceKind.AMOUNT),
        (5, -10, DifferenceKind.AMOUNT),
    ],
)
def test_kinds(ledger: int, outside: int, kind: DifferenceKind | None) -> None:
    assert find_kind(ledger, outside) is kind


@pytest.mark.parametrize(
    ("ledger", "outside", "patience"),
    [
        (-5, 0, PATIENCE),  # the order may be final later
        (0, 5, PATIENCE),  # the deposit may be credited later
        (0, -5, DEBIT_PATIENCE),  # nothing leaves without an order
        (5, 6, timedelta()),
        (5, 10, timedelta()),
    ],
)
def test_timing_explains_one_side_alone(ledger: int, outside: int, patience: timedelta) -> None:
    match = MovementMatch(
        reference="0xa",
        asset="usdc:POLYGON",
        record_id=RECORD,
        ledger_units=ledger,
        outside_units=outside,
        first_seen_at=NOW,
    )
    found = find_difference(match, PATIENCE, NOW)
    assert found is not None
    assert found.due_at == NOW + patience


def test_a_reference_is_the_transaction_that_a_change_names() -> None:
    assert reference_of(RECORD, {"user_op_hash": "0x1", "mint_transaction_hash": "0x2"}) == "0x2"
    assert reference_of(RECORD, {"deposit_hash": "0x3"}) == "0x3"
    assert reference_of(RECORD, {"fee_units": 3}) == str(RECORD)
    assert reference_of(RECORD, {"transaction_hash": None}) == str(RECORD)


def _matches(
    booked: Sequence[tuple[str, str, int]], moved: Sequence[tuple[str, str, int]]
) -> list[MovementMatch]:
    """Add both sides up, as the store does."""
    sides: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for each in sum_booked(BookedMovement(RECORD, *movement) for movement in booked):
        sides[each.reference, each.asset][0] += each.ledger_units
    for each in sum_outside(AddressMovement(*movement) for movement in moved):
        sides[each.reference, each.asset][1] += each.outside_units
    return [
        MovementMatch(
            reference=reference,
            asset=asset,
            record_id=RECORD,
            ledger_units=ledger,
            outside_units=outside,
            first_seen_at=NOW,
        )
        for (reference, asset), (ledger, outside) in sides.items()
    ]


def _differences(
    booked: Sequence[tuple[str, str, int]], moved: Sequence[tuple[str, str, int]]
) -> list[FoundDifference]:
    found = (find_difference(each, PATIENCE, NOW) for each in _matches(booked, moved))
    return [each for each in found if each is not None]


def _totals(of: Sequence[tuple[str, str, int]]) -> Mapping[str, int]:
    totals: defaultdict[str, int] = defaultdict(int)
    for _, asset, amount in of:
        totals[asset] += amount
    return totals
