"""Processes that tests race or kill.

Each function runs in its own process, with its own ledger and connections. `start_process` starts
one; `report` reads its result, unless it was killed.
"""

import asyncio
import multiprocessing
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from typing import Any
from uuid import UUID

from landbridge.ledger.house_accounts import roll_up_step
from landbridge.ledger.model import CommitOutcome, Transfer
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database
from tests import make
from tests.make import PAYMENT, TRANSITIONS, Status

# Either end of a pipe. (multiprocessing's own type for it differs from system to system.)
Pipe = Any

# A fork server with all imports done starts processes in milliseconds.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.races.racing_processes", "tests.races.payment_worker"])


@dataclass
class Report:
    """Outcomes of a process's calls."""

    outcomes: "Counter[str]" = field(default_factory=Counter[str])
    # Every record that this process created, by id, and every (record, version) that it wrote.
    opened: list[UUID] = field(default_factory=list[UUID])
    moved: list[tuple[UUID, int]] = field(default_factory=list[tuple[UUID, int]])

    def note(self, outcome: "CreatedTransfer | Transfer | CommitOutcome | Exception") -> None:
        """Count a call by how it ended."""
        match outcome:
            case CreatedTransfer():
                self.outcomes["replayed" if outcome.is_replay else "opened"] += 1
                if not outcome.is_replay:
                    self.opened.append(outcome.transfer.id)
            case Transfer():
                self.outcomes["moved"] += 1
                self.moved.append((outcome.id, outcome.version))
            case CommitOutcome():
                self.outcomes[outcome.value] += 1
            case Exception():
                self.outcomes[type(outcome).__name__] += 1


@dataclass
class RacingProcess:
    """Running process."""

    process: BaseProcess
    pipe: Pipe

    def report(self) -> Report:
        """Wait for the result."""
        report: Report = self.pipe.recv()
        self.process.join()
        return report

    def wait_until_started(self) -> None:
        """Wait until it reports that it has started."""
        self.pipe.recv()

    def kill(self) -> None:
        """Kill it, like a power failure."""
        self.process.kill()
        self.process.join()


def start_process(work: Callable[..., Any], *args: Any) -> RacingProcess:
    """Start a process that runs `work(pipe, *args)`."""
    ours, theirs = _PROCESSES.Pipe()
    process = _PROCESSES.Process(target=work, args=(theirs, *args), daemon=True)
    process.start()
    theirs.close()
    return RacingProcess(process, ours)


def race(pipe: Pipe, dsn: str, org_id: UUID, accounts: Sequence[UUID], seed: int) -> None:
    """Create and advance at random, on few wallets, few request ids and any existing records."""
    pipe.send(asyncio.run(_race(dsn, org_id, accounts, random.Random(seed))))  # noqa: S311  dice


async def _race(dsn: str, org_id: UUID, accounts: Sequence[UUID], dice: random.Random) -> Report:
    database = await Database.connect(dsn, name="race", size_max=6)
    ledger, report = Ledger(database), Report()

    async def open_one() -> None:
        # All processes draw from the same numbers, so a number has the same body everywhere.
        number = dice.randrange(400)
        request = make.opening(
            org_id,
            Status.HELD if number % 2 else Status.OPEN,
            units=1 + number % 5,
            account_id=accounts[number % len(accounts)],
            request_id=derived_id(org_id, str(number)),
        )
        report.note(await ledger.create(request, TRANSITIONS))

    async def move_one() -> None:
        number = dice.randrange(400)
        rows = await database.rows(
            "select id from transfers where org_id = $1 and request_id = $2",
            org_id,
            derived_id(org_id, str(number)),
        )
        if rows:
            record = await ledger.get(org_id, PAYMENT, rows[0]["id"])
            path = dice.choice(PATHS[Status(record.status)])
            if path:
                # Sometimes two at once: whether two collide by themselves depends on the machine.
                moves = [make.move(record, *path) for _ in range(dice.choice((1, 1, 2)))]
                for outcome in await asyncio.gather(
                    *(ledger.advance(each, TRANSITIONS) for each in moves)
                ):
                    report.note(outcome)

    async def work() -> None:
        for _ in range(60):
            try:
                await dice.choice([open_one, move_one, move_one])()
            except Exception as error:  # noqa: BLE001  the test judges whatever surfaces
                report.note(error)

    await asyncio.gather(*(work() for _ in range(12)))
    await database.close()
    return report


PATHS: dict[Status, list[tuple[Status, ...]]] = {
    Status.FUNDED: [()],
    Status.OPEN: [(Status.HELD,), (Status.GONE,), (Status.HELD, Status.SETTLED)],
    Status.HELD: [(Status.SETTLED,), (Status.RETURNED,)],
    Status.SETTLED: [()],
    Status.RETURNED: [()],
    Status.GONE: [()],
}


def spend(pipe: Pipe, dsn: str, org_id: UUID, account_id: UUID, spenders: int) -> None:
    """Many spend one unit each of the same wallet, all at once."""

    async def run() -> Report:
        database = await Database.connect(dsn, name="spend", size_max=4)
        report = Report()
        # As many ledgers as connections, so that locks are contended, not the batches.
        ledgers = [Ledger(database) for _ in range(4)]
        pipe.send("ready")
        pipe.recv()
        requests = [
            make.opening(org_id, Status.HELD, account_id=account_id) for _ in range(spenders)
        ]
        for outcome in await asyncio.gather(
            *(ledgers[index % 4].create(each, TRANSITIONS) for index, each in enumerate(requests))
        ):
            report.note(outcome)
        await database.close()
        return report

    pipe.send(asyncio.run(run()))


def retry(pipe: Pipe, dsn: str, org_id: UUID, account_id: UUID, request_id: UUID) -> None:
    """Send the same request many times concurrently."""

    async def run() -> Report:
        database = await Database.connect(dsn, name="retry", size_max=4)
        report = Report()
        ledgers = [Ledger(database) for _ in range(4)]
        pipe.send("ready")
        pipe.recv()
        for outcome in await asyncio.gather(
            *(
                ledgers[index % 4].create(
                    make.opening(org_id, Status.HELD, account_id=account_id, request_id=request_id),
                    TRANSITIONS,
                )
                for index in range(25)
            )
        ):
            report.note(outcome)
        await database.close()
        return report

    pipe.send(asyncio.run(run()))


def pay_in_order(
    pipe: Pipe, dsn: str, org_id: UUID, accounts: Sequence[UUID], numbers: range
) -> None:
    """Pay the payments of these numbers, 32 at a time; a number always has the same request id.

    Reports when it reaches payments that were never requested before.
    """

    async def run() -> Report:
        database = await Database.connect(dsn, name="pay", size_max=6)
        ledger, report, left = Ledger(database), Report(), iter(numbers)

        async def pay_on() -> None:
            for number in left:
                request = make.opening(
                    org_id,
                    Status.HELD,
                    account_id=accounts[number % len(accounts)],
                    request_id=derived_id(org_id, str(number)),
                )
                created = await ledger.create(request, TRANSITIONS)
                report.note(created)
                record = make.opened(created)
                if report.opened == [record.id]:
                    pipe.send("at work")
                if record.status == Status.HELD:
                    report.note(
                        await ledger.advance(make.move(record, Status.SETTLED), TRANSITIONS)
                    )

        await asyncio.gather(*(pay_on() for _ in range(32)))
        await database.close()
        return report

    pipe.send(asyncio.run(run()))


def roll_up(pipe: Pipe, dsn: str, org_id: UUID) -> None:
    """Roll up the house accounts in small steps, forever."""

    async def run() -> None:
        database = await Database.connect(dsn, name="roll", size_max=1)
        pipe.send("ready")
        while True:
            await roll_up_step(database, org_id, changes_max=5)

    asyncio.run(run())
