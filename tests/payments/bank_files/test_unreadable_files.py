"""Unreadable files of a bank, which may have the return of a payment."""

from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.payments.bank_files.statement_line_model import (
    InboundFileKind,
    LineResolutionKind,
    StatementLineStatus,
)
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller
from landbridge.providers.rails.port import RailPaymentState
from tests.payments.bank_files.builders import Bank, by_ach, make_bank
from tests.payments.bank_files.inbound_files import (
    ach_return,
    line_reviews_of,
    lines,
    read,
    sent,
)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def state(bank: Bank, key: UUID) -> RailPaymentState:
    """Return the state of a payment now."""
    found = await bank.rails.find_status(bank.org_id, key, bank.clock.now())
    assert found is not None
    return found.state


async def test_ach_does_not_settle_while_an_unreadable_file_waits(bank: Bank) -> None:
    (key,) = await sent(bank, by_ach(bank.org_id))
    broken = ach_return(bank, key).replace(b"R03", b"R0?")
    (file,) = await read(bank, returns=broken)
    assert file.format is InboundFileKind.REFUSED
    bank.clock.at += timedelta(days=8)
    await read(bank)
    assert await state(bank, key) is RailPaymentState.PENDING
    caller = Caller(bank.org_id, UUID(int=1), timedelta(), can_review=True)
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    await line_reviews_of(bank).resolve(
        caller, line.id, LineResolutionKind.HANDLED, comment="the bank has sent it again"
    )
    assert await state(bank, key) is RailPaymentState.SETTLED
