"""Rows become the types that stores return."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

import msgspec
import pytest

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.db.rows import (
    column_arrays,
    column_values,
    read_optional_row,
    read_row,
)

MOMENT = datetime(2026, 11, 30, 23, 59, 59, 123456, tzinfo=UTC)
_READ = """
select $1::uuid as id, 'SENT' as state, $2::numeric as units, 0.50::numeric as price,
    $3::timestamptz as sent_at, array['a', 'b'] as names, null::text as reason, 1 as unread
"""


class _State(StrEnum):
    OPEN = "OPEN"
    SENT = "SENT"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Payout:
    id: UUID
    state: _State
    units: int
    price: Decimal
    sent_at: datetime
    names: tuple[str, ...]
    reason: str | None
    weight: Decimal = Decimal(1)


@pytest.mark.parametrize("units", [0, -1, 10_000, 10**8, 2**63, 10**40])
async def test_columns_become_the_fields_of_the_same_names(database: Database, units: int) -> None:
    payout_id = new_id()
    (row,) = await database.rows(_READ, payout_id, Decimal(units), MOMENT)
    payout = read_row(row, _Payout)
    assert payout == _Payout(
        id=payout_id,
        state=_State.SENT,
        units=units,
        price=Decimal("0.50"),
        sent_at=MOMENT,
        names=("a", "b"),
        reason=None,
    )
    assert (type(payout.units), type(payout.state)) == (int, _State)


async def test_other_values_replace_columns(database: Database) -> None:
    (row,) = await database.rows(_READ, new_id(), Decimal(1), MOMENT)
    payout = read_row(row, _Payout, weight=Decimal(2), reason="late")
    assert (payout.weight, payout.reason) == (Decimal(2), "late")


async def test_a_row_that_lacks_a_field_or_has_another_type_is_refused(database: Database) -> None:
    (row,) = await database.rows("select 'LOST' as state")
    with pytest.raises(msgspec.ValidationError):
        read_row(row, _Payout)


def test_no_row_is_nothing() -> None:
    assert read_optional_row(None, _Payout) is None


def test_the_arguments_of_an_insert_are_named_by_its_columns() -> None:
    insert = """
    insert into payouts as p (
        id, state, units, price, weight, sent_at, names, due_at
    )
    values ($1, 'SENT', $2::numeric, 0.50, $4, $3, $5::text[], $3)
    on conflict (id) do nothing
    """
    payout = _Payout(
        id=new_id(),
        state=_State.OPEN,
        units=5,
        price=Decimal(2),
        sent_at=MOMENT,
        names=("a",),
        reason=None,
    )
    expected = [payout.id, 5, MOMENT, Decimal(1), ["b"]]
    assert column_values(insert, payout, names=["b"]) == expected


def test_an_insert_without_values_has_no_arguments() -> None:
    with pytest.raises(InvariantBroken, match="no insert of values"):
        column_values("insert into payouts (id) select id from orders", object())


def test_a_value_of_no_column_is_refused() -> None:
    with pytest.raises(InvariantBroken, match="no columns"):
        column_values("insert into payouts (id) values ($1)", object(), id=1, unit=2)


def test_the_arguments_of_an_update_are_named_by_the_columns_it_sets_and_compares() -> None:
    update = """
    update payouts p set state = $3, units = $2, sent_at = $4, names = $5
    where p.id = $1 and units = $2 - 1 and reason is null
    """
    payout = _Payout(
        id=new_id(),
        state=_State.OPEN,
        units=5,
        price=Decimal(2),
        sent_at=MOMENT,
        names=("a",),
        reason=None,
    )
    expected = [payout.id, 5, _State.OPEN, MOMENT, ["b"]]
    assert column_values(update, payout, names=["b"]) == expected


@pytest.mark.parametrize(
    "update",
    [
        "update payouts set state = $2 where id = $1 and state = $3",
        "update payouts set state = $2 where id = $1 and sent_at < $3",
    ],
    ids=["one column takes two", "no column takes one"],
)
def test_a_parameter_of_no_column_alone_is_refused(update: str) -> None:
    with pytest.raises(InvariantBroken, match="by column"):
        column_values(update, object(), id=1, state="SENT")


def test_arrays_are_named_by_the_columns_of_their_unnest() -> None:
    insert = """
    insert into payouts (org_id, state, units, names)
    select $1, i.state, i.units, i.names
    from unnest(
        $2::text[], $3::numeric[],
        $4::text[]
    ) as i (
        state, units, names
    )
    """
    payouts = [
        _Payout(
            id=new_id(),
            state=state,
            units=units,
            price=Decimal(2),
            sent_at=MOMENT,
            names=("a",),
            reason=None,
        )
        for state, units in ((_State.OPEN, 5), (_State.SENT, 7))
    ]
    found = column_arrays(insert, payouts, names=["b", "c"])
    assert found == [[_State.OPEN, _State.SENT], [5, 7], ["b", "c"]]


def test_arrays_of_no_column_and_an_unnest_without_names_are_refused() -> None:
    with pytest.raises(InvariantBroken, match="no columns"):
        column_arrays("select from unnest($1::uuid[]) as i (id)", [], unit=[1])
    with pytest.raises(InvariantBroken, match="no unnest"):
        column_arrays("select * from unnest($1::uuid[], $2::text[])", [])
