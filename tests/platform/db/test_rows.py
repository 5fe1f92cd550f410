"""Rows as structs."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from uuid import UUID, uuid4

import msgspec
import pytest

from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.platform.db.rows import read_optional_row, read_row
from landbridge.providers.rails.currencies import FIAT

AT = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)


class _Status(StrEnum):
    NEW = "NEW"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadPayment:
    id: UUID
    status: _Status
    money: Money
    sealed: bytes | None
    file_ids: tuple[str, ...]
    at: datetime


async def test_row_is_read_by_its_column_names(database: Database) -> None:
    payment_id, money = uuid4(), Money(5, FIAT["usd"])
    (row,) = await database.rows(
        "select $1::uuid as id, 'NEW' as status, 5::numeric as units, null::bytea as sealed,"
        " '{a,b}'::text[] as file_ids, $2::timestamptz as at",
        payment_id,
        AT,
    )
    found = read_row(row, _ReadPayment, money=money)
    assert found == _ReadPayment(
        id=payment_id, status=_Status.NEW, money=money, sealed=None, file_ids=("a", "b"), at=AT
    )
    assert found.status is _Status.NEW
    with pytest.raises(msgspec.ValidationError, match="money"):
        read_row(row, _ReadPayment)


async def test_unknown_status_is_an_error(database: Database) -> None:
    @dataclass(frozen=True)
    class StatusRow:
        status: _Status

    (row,) = await database.rows("select 'OLD' as status")
    with pytest.raises(msgspec.ValidationError, match="OLD"):
        read_row(row, StatusRow)
    assert read_optional_row(None, StatusRow) is None
