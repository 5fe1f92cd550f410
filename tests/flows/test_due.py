"""Running what is due: nothing that fails may stand in the way of the rest."""

from datetime import timedelta
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.flows import due
from landbridge.flows.due import Due
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.insistence import StillRefused, refused_again
from tests import make
from tests.make import CLOCK, Status


class Sometimes:
    """Moves records on, but for those that are poison."""

    def __init__(self, ledger: Ledger, poison: set[UUID]) -> None:
        self.ledger = ledger
        self.poison = poison
        self.tried: list[UUID] = []

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:  # noqa: ARG002  the port
        self.tried.append(record.id)
        if record.id in self.poison:
            raise RuntimeError(record.id)
        await self.ledger.advance(make.move(record, Status.GONE), make.MOVES)


async def due_records(database: Database, ledger: Ledger, count: int) -> tuple[UUID, list[UUID]]:
    org_id = await make.make_org(database)
    made: list[UUID] = []
    for _ in range(count):
        asked = make.opening(org_id, due_in=timedelta(), at=CLOCK.stamp())
        made.append(make.opened(await ledger.open(asked, make.MOVES)).id)
    return org_id, made


async def test_poison_does_not_starve_the_rest(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "BATCH_SIZE", 3)
    # Longer than the runs take: a second may well be over before the last of them.
    monkeypatch.setattr(due, "_FIRST_PAUSE_S", 3600)
    org_id, made = await due_records(database, ledger, 7)
    steps = Sometimes(ledger, poison=set(made[:4]))
    runner = Due(ledger, clock, {make.PAYMENT: steps})
    moved = [await runner.run_once({org_id: timedelta()}) for _ in range(4)]
    assert sum(moved) == 3
    assert runner.failing == 4
    assert len(steps.tried) == 7


async def test_a_record_that_failed_is_tried_again_later_and_then_forgotten(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "_FIRST_PAUSE_S", 0)
    org_id, made = await due_records(database, ledger, 1)
    steps = Sometimes(ledger, poison=set(made))
    runner = Due(ledger, clock, {make.PAYMENT: steps})
    assert await runner.run_once({org_id: timedelta()}) == 0
    assert runner.failing == 1
    steps.poison.clear()
    assert await runner.run_once({org_id: timedelta()}) == 1
    assert runner.failing == 0


async def test_a_failed_record_that_somebody_else_moved_is_forgotten(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "_FIRST_PAUSE_S", 0)
    org_id, made = await due_records(database, ledger, 2)
    runner = Due(ledger, clock, {make.PAYMENT: Sometimes(ledger, poison=set(made))})
    await runner.run_once({org_id: timedelta()})
    assert runner.failing == 2
    moved = await ledger.find(org_id, made[0])
    assert moved is not None
    await ledger.advance(make.move(moved, Status.GONE), make.MOVES)
    await runner.run_once({org_id: timedelta()})
    assert runner.failing == 1


class Refusing:
    """Puts off what it was refused, as `Sending` does."""

    def __init__(self, ledger: Ledger, pause: timedelta) -> None:
        self.ledger = ledger
        self.pause = pause

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        if record.facts:
            await self.ledger.advance(make.move(record, Status.GONE), make.MOVES)
            return
        refusal = StillRefused("return", "closed")
        facts = refused_again(record, refusal)
        refusal.pause = self.pause
        await self.ledger.postpone(record, CLOCK.now(clock_offset) + self.pause, facts)
        raise refusal


async def test_what_must_arrive_and_was_refused_counts_as_failing_until_it_is_tried_again(
    database: Database, ledger: Ledger, clock: Clock
) -> None:
    org_id, made = await due_records(database, ledger, 1)
    steps = Refusing(ledger, timedelta(hours=1))
    runner = Due(ledger, clock, {make.PAYMENT: steps})
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
                    "id": str(made[0]),
                    "reason": "return: closed",
                    "delay_s": 3600,
                }
            ]
        else:
            assert logs == []
    # An organisation whose clock went on does not wait for ours.
    assert await runner.run_once({org_id: timedelta(hours=2)}) == 1
    assert runner.failing == 0


async def test_running_all_ends_although_some_records_cannot_be_moved(
    database: Database, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "BATCH_SIZE", 2)
    org_id, made = await due_records(database, ledger, 6)
    steps = Sometimes(ledger, poison=set(made[::2]))
    await Due(ledger, clock, {make.PAYMENT: steps}).run_all({org_id: timedelta()})
    assert sorted(steps.tried) == sorted(made)


async def test_a_kind_without_steps_stops_no_other_record(
    database: Database, ledger: Ledger, clock: Clock
) -> None:
    org_id, made = await due_records(database, ledger, 1)
    asked = make.opening(org_id, kind="TEST.UNKNOWN", due_in=timedelta(), at=CLOCK.stamp())
    make.opened(await ledger.open(asked, make.MOVES))
    steps = Sometimes(ledger, poison=set())
    assert await Due(ledger, clock, {make.PAYMENT: steps}).run_once({org_id: timedelta()}) == 1
    assert steps.tried == made
