"""Scheduler: failing records never block the others."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest
from structlog.testing import capture_logs
from typing_extensions import override

from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments import scheduler
from landbridge.payments.engine.retry_until_settled import RetryExhausted, record_refusal
from landbridge.payments.scheduler import Scheduler
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unclear
from landbridge.platform.db import worker_shares
from landbridge.platform.db.pool import Database
from landbridge.platform.db.worker_shares import WorkerShare, WorkPart
from tests import make
from tests.make import CLOCK, Status


class FailingSteps:
    """Advances records, except failing ones."""

    def __init__(self, ledger: Ledger, poison: set[UUID]) -> None:
        self.ledger = ledger
        self.poison = poison
        self.tried: list[UUID] = []

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:  # noqa: ARG002  the port
        self.tried.append(record.id)
        if record.id in self.poison:
            raise RuntimeError(record.id)
        await self.ledger.advance(make.move(record, Status.GONE), make.TRANSITIONS)


async def due_records(database: Database, ledger: Ledger, count: int) -> tuple[UUID, list[UUID]]:
    org_id = await make.make_org(database)
    created: list[UUID] = []
    for _ in range(count):
        request = make.opening(org_id, due_in=timedelta(), at=CLOCK.stamp())
        created.append(make.opened(await ledger.create(request, make.TRANSITIONS)).id)
    return org_id, created


async def test_failing_records_do_not_starve_the_others(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "BATCH_SIZE", 3)
    # Longer than the runs take: up to a second may pass before the last of them.
    monkeypatch.setattr(scheduler, "_FIRST_PAUSE_S", 3600)
    org_id, created = await due_records(database, ledger, 7)
    steps = FailingSteps(ledger, poison=set(created[:4]))
    runner = Scheduler(ledger, clock, {make.PAYMENT: steps})
    moved = [await runner.run_once({org_id: timedelta()}) for _ in range(4)]
    assert sum(moved) == 3
    assert runner.failing == 4
    assert len(steps.tried) == 7


async def test_failed_record_is_retried_after_its_backoff(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_FIRST_PAUSE_S", 0)
    org_id, created = await due_records(database, ledger, 1)
    steps = FailingSteps(ledger, poison=set(created))
    runner = Scheduler(ledger, clock, {make.PAYMENT: steps})
    assert await runner.run_once({org_id: timedelta()}) == 0
    assert runner.failing == 1
    steps.poison.clear()
    assert await runner.run_once({org_id: timedelta()}) == 1
    assert runner.failing == 0


async def test_failure_is_forgotten_once_another_worker_advances_the_record(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_FIRST_PAUSE_S", 0)
    org_id, created = await due_records(database, ledger, 2)
    runner = Scheduler(ledger, clock, {make.PAYMENT: FailingSteps(ledger, poison=set(created))})
    await runner.run_once({org_id: timedelta()})
    assert runner.failing == 2
    moved = await ledger.find(org_id, created[0])
    assert moved is not None
    await ledger.advance(make.move(moved, Status.GONE), make.TRANSITIONS)
    await runner.run_once({org_id: timedelta()})
    assert runner.failing == 1


class HangingSteps(FailingSteps):
    """Wait for a provider that does not answer, for these records."""

    def __init__(self, ledger: Ledger, poison: set[UUID]) -> None:
        super().__init__(ledger, set())
        self.hanging = poison
        self.answer = asyncio.Event()

    @override
    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        if record.id in self.hanging:
            self.tried.append(record.id)
            await self.answer.wait()
            raise Unclear("no answer")
        await super().run(record, clock_offset)


async def test_a_step_without_an_answer_delays_its_record_alone(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_BATCH_S", 0.05)
    org_id, created = await due_records(database, ledger, 3)
    other_id, others = await due_records(database, ledger, 1)
    steps = HangingSteps(ledger, poison={created[0]})
    runner = Scheduler(ledger, clock, {make.PAYMENT: steps})
    offsets = {org_id: timedelta(), other_id: timedelta()}
    async with asyncio.timeout(10):
        assert await runner.run_once(offsets) >= 2
        await runner.run_once(offsets)
        await runner.run_once(offsets)
        assert sorted(steps.tried) == sorted([*created, *others])
        steps.answer.set()
        await runner.close()
    # It is retried after its backoff, as any other without an answer.
    await runner.run_once(offsets)
    assert steps.tried.count(created[0]) == 1
    assert runner.failing == 0


async def test_no_batch_begins_beside_too_many_steps_without_an_answer(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_BATCH_S", 0.05)
    monkeypatch.setattr(scheduler, "_LATE_MAX", 2)
    monkeypatch.setattr(scheduler, "BATCH_SIZE", 2)
    org_id, created = await due_records(database, ledger, 4)
    steps = HangingSteps(ledger, poison=set(created))
    runner = Scheduler(ledger, clock, {make.PAYMENT: steps})
    for _ in range(3):
        assert await runner.run_once({org_id: timedelta()}) == 0
    assert len(steps.tried) == 2
    steps.answer.set()
    await runner.close()


class RefusedSteps:
    """Postpones a refused record, as `OrderSender` does."""

    def __init__(self, ledger: Ledger, pause: timedelta) -> None:
        self.ledger = ledger
        self.pause = pause

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        if record.facts:
            await self.ledger.advance(make.move(record, Status.GONE), make.TRANSITIONS)
            return
        refusal = RetryExhausted("return", "closed")
        facts = record_refusal(record, refusal)
        refusal.pause = self.pause
        await self.ledger.postpone(record, CLOCK.now(clock_offset) + self.pause, facts)
        raise refusal


async def test_refused_order_that_must_arrive_counts_as_failing_until_retried(
    database: Database, ledger: Ledger, clock: Clock
) -> None:
    org_id, created = await due_records(database, ledger, 1)
    steps = RefusedSteps(ledger, timedelta(hours=1))
    runner = Scheduler(ledger, clock, {make.PAYMENT: steps})
    for count in range(3):
        with capture_logs() as logs:
            assert await runner.run_once({org_id: timedelta()}) == 0
        assert runner.failing == 1
        if count == 0:
            assert logs == [
                {
                    "event": "due.refused",
                    "log_level": "warning",
                    "kind": make.PAYMENT,
                    "id": str(created[0]),
                    "reason": "return: closed",
                    "delay_s": 3600,
                }
            ]
        else:
            assert logs == []
    # An organisation with an advanced clock does not wait for real time.
    assert await runner.run_once({org_id: timedelta(hours=2)}) == 1
    assert runner.failing == 0


async def test_run_all_ends_despite_failing_records(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "BATCH_SIZE", 2)
    org_id, created = await due_records(database, ledger, 6)
    steps = FailingSteps(ledger, poison=set(created[::2]))
    await Scheduler(ledger, clock, {make.PAYMENT: steps}).run_all({org_id: timedelta()})
    assert sorted(steps.tried) == sorted(created)


async def test_kind_without_steps_does_not_stop_other_records(
    database: Database, ledger: Ledger, clock: Clock
) -> None:
    org_id, created = await due_records(database, ledger, 1)
    request = make.opening(org_id, kind="TEST.UNKNOWN", due_in=timedelta(), at=CLOCK.stamp())
    make.opened(await ledger.create(request, make.TRANSITIONS))
    steps = FailingSteps(ledger, poison=set())
    assert (
        await Scheduler(ledger, clock, {make.PAYMENT: steps}).run_once({org_id: timedelta()}) == 1
    )
    assert steps.tried == created


async def test_steps_without_an_answer_of_one_organisation_leave_room_for_others(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_BATCH_S", 0.05)
    monkeypatch.setattr(scheduler, "_LATE_MAX", 3)
    monkeypatch.setattr(scheduler, "_LATE_EACH", 2)
    monkeypatch.setattr(scheduler, "BATCH_SIZE", 2)
    org_id, created = await due_records(database, ledger, 4)
    steps = HangingSteps(ledger, poison=set(created))
    runner = Scheduler(ledger, clock, {make.PAYMENT: steps})
    await runner.run_once({org_id: timedelta()})
    other_id, others = await due_records(database, ledger, 1)
    offsets = {org_id: timedelta(), other_id: timedelta()}
    assert await runner.run_once(offsets) == 1
    assert others[0] in steps.tried
    assert len(steps.tried) == 3
    steps.answer.set()
    await runner.close()


async def test_workers_divide_due_records(database: Database, ledger: Ledger, clock: Clock) -> None:
    org_id, created = await due_records(database, ledger, 24)
    for index in range(2):
        steps, share = FailingSteps(ledger, poison=set()), WorkerShare()
        share.part = WorkPart(index, 2)
        own = [each for each in created if share.part.has(each)]
        runner = Scheduler(ledger, clock, {make.PAYMENT: steps}, share)
        assert await runner.run_once({org_id: timedelta()}) == len(own)
        assert sorted(steps.tried) == sorted(own)


async def test_a_look_beyond_the_share_takes_few_records(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_BEYOND_SHARE_SIZE", 2)
    monkeypatch.setattr(worker_shares, "_WHOLE_EVERY", 1)
    monkeypatch.setattr(worker_shares, "_WHOLE_EVERY_S", 0.0)
    org_id, created = await due_records(database, ledger, 6)
    share = WorkerShare()
    # No id is in this part.
    share.part = WorkPart(256, 512)
    runner = Scheduler(ledger, clock, {make.PAYMENT: FailingSteps(ledger, poison=set())}, share)
    moved = [await runner.run_once({org_id: timedelta()}) for _ in range(6)]
    assert moved == [0, 2, 0, 2, 0, 2]
    assert len(created) == sum(moved)
