"""Random sequences of ledger operations, compared with a simple model.

HYPOTHESIS_PROFILE=long runs it for minutes; row 1 of the proofs is 10,000 runs of 50 steps.
"""

import asyncio
import os
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from landbridge.ledger.audit import audit, table
from landbridge.ledger.errors import RequestIdTaken
from landbridge.ledger.house_accounts import house_balances, roll_up_step
from landbridge.ledger.model import CommitOutcome, CreateTransfer, DueCheck, HouseRole, Transfer
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from tests import make
from tests.make import MOVES_BY_KIND, PAYMENT, TRANSITIONS, USDC, Status

T = TypeVar("T")

# (sequences, steps of each); a step takes about 5 ms.
RUNS = {"default": (25, 30), "medium": (80, 30), "long": (10_000, 50)}
DUE_IN = timedelta(seconds=30)
NOTHING: MultipleResults[int] = multiple()  # value that a rule adds to its bundle


@dataclass
class Known:
    """Record as the model knows it."""

    request: CreateTransfer
    wallet: int
    record: Transfer


class LedgerMachine(RuleBasedStateMachine):
    """State machine of the ledger and its model; hypothesis runs its rules in any order."""

    runner: ClassVar[asyncio.Runner]
    database: ClassVar[Database]

    records: Bundle[int] = Bundle("records")
    wallets = st.integers(0, 2)
    some_units = st.integers(1, 6)

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger(self.database)
        self.known: list[Known] = []
        self.available = [0, 0, 0]
        self.held = [0, 0, 0]
        self.outside = 0

    @initialize()
    def begin(self) -> None:
        self.org_id: UUID = self.wait_for(make.make_org(self.database))
        self.accounts: list[UUID] = [
            self.wait_for(make.make_account(self.database, self.org_id)) for _ in range(3)
        ]

    @rule(wallet=wallets, units=some_units)
    def fund(self, wallet: int, units: int) -> None:
        request = make.funding(self.org_id, self.accounts[wallet], units)
        make.opened(self.wait_for(self.ledger.create(request, TRANSITIONS)))
        self.available[wallet] += units
        self.outside -= units

    @rule(target=records, wallet=wallets, units=some_units, holds=st.booleans())
    def open(self, *, wallet: int, units: int, holds: bool) -> int | MultipleResults[int]:
        request = make.opening(
            self.org_id,
            Status.HELD if holds else Status.OPEN,
            units=units,
            account_id=self.accounts[wallet],
            due_in=None if holds else DUE_IN,
        )
        outcome = self.wait_for(self.ledger.create(request, TRANSITIONS))
        if holds and units > self.available[wallet]:
            assert outcome is CommitOutcome.INSUFFICIENT
            return NOTHING
        assert isinstance(outcome, CreatedTransfer)
        assert not outcome.is_replay
        if holds:
            self._hold(wallet, units)
        self.known.append(Known(request, wallet, outcome.transfer))
        return len(self.known) - 1

    @rule(which=records, late_by=st.integers(-1, 1))
    def hold(self, which: int, late_by: int) -> None:
        one = self.known[which]
        if one.record.status != Status.OPEN:
            return
        units = one.record.source_units
        at = one.request.at + DUE_IN + timedelta(microseconds=late_by)
        move = make.move(one.record, Status.HELD, timing=DueCheck.IN_TIME, at=at)
        outcome = self.wait_for(self.ledger.advance(move, TRANSITIONS))
        if late_by >= 0:
            assert outcome is CommitOutcome.LATE
        elif units > self.available[one.wallet]:
            assert outcome is CommitOutcome.INSUFFICIENT
        else:
            one.record = make.moved(outcome)
            self._hold(one.wallet, units)

    @rule(which=records, status=st.sampled_from([Status.SETTLED, Status.RETURNED]))
    def finish(self, which: int, status: Status) -> None:
        one = self.known[which]
        if one.record.status == Status.HELD:
            one.record = make.moved(
                self.wait_for(self.ledger.advance(make.move(one.record, status), TRANSITIONS))
            )
            self._release(one, status)

    @rule(which=consumes(records), late_by=st.integers(-1, 1))
    def expire(self, which: int, late_by: int) -> None:
        one = self.known[which]
        at = one.request.at + DUE_IN + timedelta(microseconds=late_by)
        if one.record.status == Status.OPEN:
            move = make.move(one.record, Status.GONE, timing=DueCheck.OVERDUE, at=at)
            outcome = self.wait_for(self.ledger.advance(move, TRANSITIONS))
            if late_by < 0:
                assert outcome is CommitOutcome.EARLY
            else:
                one.record = make.moved(outcome)

    @rule(which=records)
    def advance_a_stale_record(self, which: int) -> None:
        one = self.known[which]
        stale = replace(one.record, status=Status.OPEN, version=one.record.version + 1)
        for other in (stale, replace(stale, version=one.record.version - 1)):
            outcome = self.wait_for(self.ledger.advance(make.move(other, Status.GONE), TRANSITIONS))
            assert outcome is CommitOutcome.STALE

    @rule(which=records)
    def replay(self, which: int) -> None:
        one = self.known[which]
        outcome = self.wait_for(self.ledger.create(replace(one.request, id=new_id()), TRANSITIONS))
        assert outcome == CreatedTransfer(one.record, is_replay=True)

    @rule(which=records)
    def replay_with_another_body(self, which: int) -> None:
        request = replace(self.known[which].request, request={"amount": "x"})
        with pytest.raises(RequestIdTaken, match="amount"):
            self.wait_for(self.ledger.create(request, TRANSITIONS))

    @rule(which=records, status=st.sampled_from([Status.SETTLED, Status.RETURNED]))
    def finish_twice_at_once(self, which: int, status: Status) -> None:
        one = self.known[which]
        if one.record.status != Status.HELD:
            return
        # To one status: who wins must not change what Hypothesis may draw next.
        move = make.move(one.record, status)

        async def both() -> list[Transfer | CommitOutcome]:
            ledgers = (self.ledger, Ledger(self.database))
            return await asyncio.gather(*(each.advance(move, TRANSITIONS) for each in ledgers))

        outcome = self.wait_for(both())
        (one.record,) = [each for each in outcome if isinstance(each, Transfer)]
        assert CommitOutcome.STALE in outcome
        self._release(one, Status(one.record.status))

    @rule()
    def roll_up(self) -> None:
        self.wait_for(roll_up_step(self.database, self.org_id, changes_max=3))

    @invariant()
    def balances_equal_the_model(self) -> None:
        if hasattr(self, "accounts"):
            for index, account_id in enumerate(self.accounts):
                expected = (self.available[index], self.held[index])
                assert self.wait_for(make.balance(self.database, account_id)) == expected
            outside = self.wait_for(house_balances(self.database, self.org_id)).get(
                (HouseRole.OUTSIDE, USDC.code), 0
            )
            assert outside == self.outside

    def teardown(self) -> None:
        if hasattr(self, "org_id"):
            for one in self.known:
                read = self.wait_for(self.ledger.get(self.org_id, PAYMENT, one.record.id))
                assert read == one.record
            audited = self.wait_for(audit(self.database, MOVES_BY_KIND, {}, org_id=self.org_id))
            assert audited.is_clean, table(audited)

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Steps are not coroutines, so each waits for the database by this."""
        return self.runner.run(work)

    def _hold(self, wallet: int, units: int) -> None:
        self.available[wallet] -= units
        self.held[wallet] += units

    def _release(self, one: Known, status: Status) -> None:
        units = one.record.source_units
        self.held[one.wallet] -= units
        if status is Status.SETTLED:
            self.outside += units
        else:
            self.available[one.wallet] += units


@pytest.mark.machine
def test_no_sequence_of_operations_corrupts_the_ledger(dsn: str) -> None:
    examples, steps = RUNS[os.environ.get("HYPOTHESIS_PROFILE", "default")]
    with asyncio.Runner() as runner:
        database = runner.run(Database.connect(dsn, name="machine", size_max=4))
        LedgerMachine.runner = runner
        LedgerMachine.database = database
        run_state_machine_as_test(
            LedgerMachine,
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                suppress_health_check=[HealthCheck.too_slow],
            ),
        )
        runner.run(database.close())
