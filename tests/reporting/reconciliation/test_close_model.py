"""Rules of daily closes: days, tolerance, and the content that people sign."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.chains.tokens import ASSETS
from landbridge.reporting.reconciliation.close_model import (
    CloseContent,
    CloseInput,
    ClosePosition,
    build_content,
    content_digest,
    end_of_day,
    ended_day,
    exceeds,
    missing_sources,
)
from landbridge.reporting.reconciliation.model import Difference, DifferenceKind, DifferenceStatus
from landbridge.reporting.reconciliation.sources import ReconSourceName
from landbridge.reporting.reserves.model import StoredReserve

_AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
_ID = UUID(int=1)
# With and without summer time, and across midnight.
_ZONES = (
    *("UTC", "Europe/Berlin", "America/Santiago", "America/Havana", "Asia/Tehran"),
    *("Pacific/Kiritimati", "Pacific/Apia", "Australia/Lord_Howe"),
)
_moments = st.integers(0, 3 * 10**9).map(lambda second: datetime.fromtimestamp(second, UTC))
_units = st.integers(-(10**30), 10**30)


@given(_moments, st.sampled_from(_ZONES))
def test_every_moment_is_in_one_day(at: datetime, zone: str) -> None:
    day = ended_day(at, zone)
    assert end_of_day(day, zone) <= at
    following = day + timedelta(days=1)
    while end_of_day(following, zone) <= at:  # a day that a zone has left out
        following += timedelta(days=1)
    assert end_of_day(following, zone) > at


@given(_units, st.integers(0, 10**12), st.sampled_from(DifferenceStatus))
def test_an_amount_above_the_tolerance_needs_a_reason_unless_timing_explains_it(
    units: int, tolerance_units: int, status: DifferenceStatus
) -> None:
    tolerance = Decimal(tolerance_units).scaleb(-6)
    found = exceeds(_difference(units, status), tolerance)
    assert found is (status is not DifferenceStatus.TIMING and abs(units) > tolerance_units)


def test_a_difference_of_a_whole_source_always_needs_a_reason() -> None:
    found = _difference(0, DifferenceStatus.OPEN, asset="")
    assert exceeds(found, Decimal(10**9))


@given(st.sets(st.sampled_from(ReconSourceName)), st.sets(st.sampled_from(ReconSourceName)))
def test_a_source_without_a_comparison_is_missing(
    expected: set[ReconSourceName], there: set[ReconSourceName]
) -> None:
    found = missing_sources(expected, [_position(each) for each in there])
    assert set(found) == expected - there


@given(
    st.lists(_units, min_size=1, max_size=4),
    st.lists(st.tuples(_units, st.integers(0, 10**6)), max_size=4),
    st.none() | st.text(max_size=20),
    st.none() | st.binary(min_size=32, max_size=32),
)
def test_the_content_is_canonical_and_says_all_that_it_was_made_of(
    ledger: list[int],
    differences: list[tuple[int, int]],
    reason: str | None,
    previous: bytes | None,
) -> None:
    unresolved = [
        _difference(units, DifferenceStatus.OPEN, since=_AT - timedelta(seconds=age))
        for units, age in differences
    ]
    made = CloseInput(
        org_id=_ID,
        day=date(2026, 1, 30),
        zone="UTC",
        positions=[_position(ReconSourceName.POLYGON, each) for each in ledger],
        unresolved=unresolved,
        earlier=unresolved,
        corrections=[],
        previous_digest=previous,
        tolerance=Decimal("0.5"),
        liabilities=[],
    )
    text = build_content(made, reason)
    assert (
        json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        == text
    )
    content = msgspec.json.decode(text, type=CloseContent)
    assert [int(each.ledger_units) for each in content.positions] == ledger
    assert [int(each.outside_units) - int(each.ledger_units) for each in content.carried] == [
        units for units, _ in differences
    ]
    assert [each.age_days for each in content.carried] == [age // 86_400 for _, age in differences]
    assert (content.resolved, content.reason) == ([], reason)
    assert content.previous_digest == (None if previous is None else previous.hex())
    assert build_content(made, reason) == text
    assert content_digest(text) != content_digest(build_content(made, f"{reason}."))


def test_reserves_are_of_coins_alone_and_of_the_time_at_which_they_were_counted() -> None:
    later = _AT + timedelta(hours=6)
    euros = msgspec.structs.replace(
        _position(ReconSourceName.BANK_EUR, 7), asset="eur:BANK", compared_at=later
    )
    made = CloseInput(
        org_id=_ID,
        day=date(2026, 1, 30),
        zone="UTC",
        positions=[_position(ReconSourceName.POLYGON, 5), euros],
        unresolved=[],
        earlier=[],
        corrections=[],
        previous_digest=None,
        tolerance=Decimal(0),
        liabilities=[
            StoredReserve(
                asset="usdc:POLYGON",
                source="POLYGON",
                owed_units=5,
                open_units=0,
                pieces=1,
                root=b"1" * 32,
                addresses=1,
                addresses_digest=b"2" * 32,
            )
        ],
    )
    content = msgspec.json.decode(build_content(made, None), type=CloseContent)
    statement = content.statement
    assert statement is not None
    assert [each.asset for each in statement.reserves] == ["usdc:POLYGON"]
    assert (statement.cut_at, content.cut_at) == (_AT, later)
    # Without a chain there is nothing to state.
    alone = msgspec.json.decode(
        build_content(replace(made, positions=[euros]), None), type=CloseContent
    )
    assert alone.statement is None


def _position(source: ReconSourceName, units: int = 0) -> ClosePosition:
    return ClosePosition(
        source=source,
        asset="usdc:POLYGON",
        block_number=1,
        block_hash="0x1",
        compared_at=_AT,
        ledger_units=str(units),
        outside_units=str(units),
        unexplained_units="0",
        accepted_units="0",
    )


def _difference(
    units: int,
    status: DifferenceStatus,
    *,
    asset: str = ASSETS["usdc:POLYGON"].code,
    since: datetime = _AT,
) -> Difference:
    return Difference(
        id=_ID,
        source=ReconSourceName.POLYGON,
        kind=DifferenceKind.POSITION,
        status=status,
        asset=asset,
        reference="",
        record_id=None,
        ledger_units=0,
        outside_units=units,
        since=since,
        due_at=since,
        resolution=None,
        resolved_at=None,
    )
