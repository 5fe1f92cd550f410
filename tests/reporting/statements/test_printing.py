"""Printing of statements as PDF: organisations take turns."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest

from landbridge.platform.core.ids import new_id
from landbridge.reporting.statements import service
from landbridge.reporting.statements.model import Statement, StatementFormat
from landbridge.reporting.statements.service import Statements


def statement(org_id: UUID) -> Statement:
    request = SimpleNamespace(format=StatementFormat.PDF)
    return cast("Any", SimpleNamespace(org_id=org_id, line_count=0, parts=(), request=request))


async def test_long_statements_of_one_organisation_delay_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unused: Any = None
    statements = Statements(unused, unused, unused, unused)
    hostile, other, hold = new_id(), new_id(), threading.Event()

    def printed(of: Statement, _parts: Any) -> bytes:
        if of.org_id == hostile:
            hold.wait(30)
        return b"%PDF"

    monkeypatch.setattr(service, "pdf", printed)
    flood = [asyncio.create_task(statements.printed(statement(hostile))) for _ in range(8)]
    try:
        await asyncio.sleep(0)
        async with asyncio.timeout(5):
            assert await statements.printed(statement(other)) == b"%PDF"
        assert not any(each.done() for each in flood)
    finally:
        hold.set()
    assert await asyncio.gather(*flood) == [b"%PDF"] * 8
