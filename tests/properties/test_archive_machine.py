"""Random histories of payments, corrections and months, archived at any moment, also meanwhile.

HYPOTHESIS_PROFILE=long runs it for minutes.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from landbridge.app.container import wire
from landbridge.app.container.registry import ASSETS, AUDIT_RULES, TRANSITIONS
from landbridge.ledger.audit import audit
from landbridge.ledger.corrections import correct
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.reporting.archive.model import ArchivedMonth, MonthNotFinished, next_month
from landbridge.reporting.archive.verification import verify_months
from tests.properties.machines import run_machine
from tests.reporting.archive.months import archived, folder_of
from tests.reporting.proofs import proof_books as books
from tests.tenants import (
    SETTINGS,
    SWAPS,
    TRANSFERS,
    make_swap,
    make_tenant,
    make_user,
    run_due,
    served,
    swap_body,
    transfer_body,
)

T = TypeVar("T")

# (sequences, steps of each); a step takes about 100 ms.
RUNS = {"default": (3, 15), "medium": (10, 25), "long": (200, 40)}
_LATER = timedelta(minutes=2)
_STATEMENTS = "/v2/reporting/statements"
_PREVIEW = "/v2/reporting/metrics/preview"


class ArchiveMachine(RuleBasedStateMachine):
    """State machine of an organisation and a folder of its months."""

    runner: ClassVar[asyncio.Runner]
    database: ClassVar[Database]

    @initialize()
    def begin(self) -> None:
        self.wait_for(self._begin())

    async def _begin(self) -> None:
        start = datetime(2026, 5, 30, 8, tzinfo=UTC)
        self.clock = FrozenClock(start, node=await take_node(self.database))
        self.running = AsyncExitStack()
        container = wire(SETTINGS, self.database, self.clock)
        client = await self.running.enter_async_context(served(container))
        self.org = await make_tenant(container, client)
        self.user = await make_user(self.org, funds="1000")
        self.other = await make_user(self.org)
        self.folder = Path(tempfile.mkdtemp(prefix="landbridge-archive-"))
        self.written: list[ArchivedMonth] = []
        self.swaps: list[str] = []
        self.requests: list[tuple[str, dict[str, Any]]] = []

    @rule()
    def swap(self) -> None:
        self.wait_for(self._swap())

    async def _swap(self) -> None:
        made = await make_swap(self.org, self.user, status=SwapStatus.COMPLETED)
        self.swaps.append(made["id"])

    @rule()
    def open_a_quote(self) -> None:
        self._create(SWAPS, swap_body(self.user, "1"))

    @rule()
    def transfer(self) -> None:
        self._create(TRANSFERS, transfer_body(self.user, self.other, 1))

    def _create(self, path: str, body: dict[str, Any]) -> None:
        self.wait_for(self.org.post(path, body))
        self.requests.append((path, body))

    @rule(seconds=st.integers(1, 4000))
    def work(self, seconds: int) -> None:
        self.clock.at += timedelta(seconds=seconds)
        self.wait_for(run_due(self.org))

    @rule()
    def pass_month(self) -> None:
        begins = next_month(self.clock.at.date().replace(day=1))
        self.clock.at = datetime(begins.year, begins.month, 1, tzinfo=UTC) + _LATER

    @precondition(lambda self: self.swaps)
    @rule()
    def correct(self) -> None:
        self.wait_for(
            correct(
                *(self.database, self.org.container.ledger, ASSETS, TRANSITIONS),
                org_id=self.org.org_id,
                transfer_id=UUID(self.swaps.pop(0)),
                seqs=[4],
                reason="wrong",
                actor="test",
                at=self.clock.stamp(timedelta()),
            )
        )

    @precondition(lambda self: self.requests)
    @rule(number=st.integers(0, 99))
    def repeat_a_request(self, number: int) -> None:
        path, body = self.requests[number % len(self.requests)]
        found = self.wait_for(self.org.send("POST", path, body))
        assert (found.status_code, found.headers["Idempotent-Replayed"]) == (200, "true")

    @rule()
    def archive(self) -> None:
        before = self.wait_for(self._answers())
        self.wait_for(self._archive())
        # Repeated, since the archive's own change is in the log of both.
        assert self.wait_for(self._answers()) == before

    @rule()
    def archive_beside_payments(self) -> None:
        async def both() -> None:
            await asyncio.gather(self._archive(), self._swap(), self._swap())

        self.wait_for(both())

    async def _archive(self) -> None:
        try:
            await archived(self.org, self.folder)
        except MonthNotFinished:
            # Those before it are written.
            assert folder_of(self.org, self.folder).path.is_dir()
        found = list(verify_months(folder_of(self.org, self.folder), await books.keys(self.org)))
        # What was written never changes.
        assert found[: len(self.written)] == self.written
        self.written = found

    async def _answers(self) -> tuple[bytes, Any]:
        period = {"createdAfter": "2026-05-01", "createdBefore": f"{self.clock.at:%Y-%m-%d}"}
        query = {"userId": self.user, "format": "csv", **period}
        statement = await self.org.send("GET", _STATEMENTS, **query)
        metric = {"template": "SWAP_VOLUME", "params": {**period, "calculationInterval": "month"}}
        report = await self.org.send("POST", _PREVIEW, metric)
        assert (statement.status_code, report.status_code) == (200, 200), report.text
        return statement.content, report.json()["data"]

    def teardown(self) -> None:
        """Check that nothing is missing, and stop the application."""
        self.wait_for(self._finish())

    async def _finish(self) -> None:
        self.clock.at += timedelta(days=1)
        await run_due(self.org)
        begins = next_month(self.clock.at.date().replace(day=1))
        self.clock.at = datetime(begins.year, begins.month, 1, tzinfo=UTC) + _LATER
        size = await books.log_size(self.org)
        await self._archive()
        assert self.written[-1].manifest.size == size
        assert (
            await audit(self.database, TRANSITIONS, AUDIT_RULES, org_id=self.org.org_id)
        ).is_clean
        assert await books.findings(self.org) == []
        shutil.rmtree(self.folder)
        await self.running.aclose()

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end."""
        return self.runner.run(work)


@pytest.mark.machine
def test_no_history_is_archived_with_a_gap_or_twice(dsn: str) -> None:
    run_machine(ArchiveMachine, dsn, RUNS)
