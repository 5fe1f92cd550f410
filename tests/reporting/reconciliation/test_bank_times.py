"""Statements with impossible times: the account is compared with the one that came last."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from landbridge.payments.bank_files.counted_lines import ClosingBalance
from landbridge.platform.db.pool import Database
from landbridge.reporting.reconciliation.bank_days import covered_day, silent_from
from landbridge.reporting.reconciliation.bank_model import closing_day
from landbridge.reporting.reconciliation.model import DifferenceKind
from tests.reporting.reconciliation.bank_days import PlantingBank, found, planting_bank


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> AsyncIterator[PlantingBank]:
    async with planting_bank(database, tmp_path) as bank:
        yield bank


async def test_statements_after_one_of_the_future_count(bank: PlantingBank) -> None:
    await bank.state(made_at=datetime(2098, 1, 1, tzinfo=UTC))
    await bank.state(bank.debit(250))
    # The movement alone, and no balance that stays what it was.
    (fee,) = await found(bank.org)
    assert (fee.kind, fee.units) == (DifferenceKind.UNKNOWN_OUTSIDE, -250)


async def test_a_bank_is_silent_after_a_statement_of_the_future(bank: PlantingBank) -> None:
    await bank.state(made_at=datetime(2098, 1, 1, tzinfo=UTC))
    assert await found(bank.org) == []
    await bank.scenario.pass_time(10 * 86_400)
    (silence,) = await found(bank.org)
    assert silence.kind is DifferenceKind.SOURCE_SILENT


@pytest.mark.parametrize("currency", ["usd", "eur", "brl"])
@pytest.mark.parametrize("closing_on", [None, date.min, date.max])
@pytest.mark.parametrize("year", [1, 9999])
def test_every_time_of_a_statement_has_a_day(
    currency: str, closing_on: date | None, year: int
) -> None:
    made_at = datetime(year, 12 if year > 1 else 1, 1, tzinfo=UTC)
    closing = ClosingBalance(
        statement_id="S1", number=None, units=0, created_at=made_at, closing_on=closing_on
    )
    now = datetime(2026, 11, 30, tzinfo=UTC)
    day = closing_day(currency, closing, now)
    assert covered_day(currency, day) <= silent_from(currency, day).date()
