"""What the processes do that race, or are killed, in the tests beside this file.

Each function runs in a process of its own, with its own ledger and connections. `hire` starts one
and `report` reads what it has to say, unless it was killed.
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

from landbridge.core.ids import derived_id
from landbridge.db.pool import Database
from landbridge.ledger.house import roll_up_step
from landbridge.ledger.model import Outcome, Transfer
from landbridge.ledger.service import Ledger, Opened
from tests import make
from tests.make import MOVES, PAYMENT, Status

# Either end of a pipe. (multiprocessing's own type for it differs from system to system.)
Pipe = Any

# A server that has everything imported forks the clerks, which so start in milliseconds.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.races.clerk", "tests.races.sender"])


@dataclass
class Report:
    """What came of a clerk's calls."""

    outcomes: "Counter[str]" = field(default_factory=Counter[str])
    # Every record by its id that this clerk opened, and every (record, version) that it made.
    opened: list[UUID] = field(default_factory=list[UUID])
    moved: list[tuple[UUID, int]] = field(default_factory=list[tuple[UUID, int]])

    def note(self, came: "Opened | Transfer | Outcome | Exception") -> None:
        """Count a call by how it ended."""
        match came:
            case Opened():
                self.outcomes["replayed" if came.is_replay else "opened"] += 1
                if not came.is_replay:
                    self.opened.append(came.transfer.id)
            case Transfer():
                self.outcomes["moved"] += 1
                self.moved.append((came.id, came.version))
            case Outcome():
                self.outcomes[came.value] += 1
            case Exception():
                self.outcomes[type(came).__name__] += 1


@dataclass
class Clerk:
    """A process at work."""

    process: BaseProcess
    pipe: Pipe

    def report(self) -> Report:
        """Wait until it is done."""
        told: Report = self.pipe.recv()
        self.process.join()
        return told

    def wait_until_started(self) -> None:
        """Wait for its first word."""
        self.pipe.recv()

    def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        self.process.join()


def hire(work: Callable[..., Any], *args: Any) -> Clerk:
    """Start a process that runs `work(say, *args)`."""
    ours, theirs = _PROCESSES.Pipe()
    process = _PROCESSES.Process(target=work, args=(theirs, *args), daemon=True)
    process.start()
    theirs.close()
    return Clerk(process, ours)


def race(say: Pipe, dsn: str, org_id: UUID, accounts: Sequence[UUID], seed: int) -> None:
    """Open and move at random, on few wallets, few request ids and whatever records there are."""
    say.send(asyncio.run(_race(dsn, org_id, accounts, random.Random(seed))))  # noqa: S311  dice


async def _race(dsn: str, org_id: UUID, accounts: Sequence[UUID], dice: random.Random) -> Report:
    database = await Database.connect(dsn, name="race", size_max=6)
    ledger, told = Ledger(database), Report()

    async def open_one() -> None:
        # All processes draw from the same numbers, so a number has one body everywhere.
        number = dice.randrange(400)
        asked = make.opening(
            org_id,
            Status.HELD if number % 2 else Status.OPEN,
            units=1 + number % 5,
            account_id=accounts[number % len(accounts)],
            request_id=derived_id(org_id, str(number)),
        )
        told.note(await ledger.open(asked, MOVES))

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
                # Now and then twice at once: whether two meet by themselves is up to the machine.
                asked = [make.move(record, *path) for _ in range(dice.choice((1, 1, 2)))]
                for came in await asyncio.gather(*(ledger.advance(each, MOVES) for each in asked)):
                    told.note(came)

    async def work() -> None:
        for _ in range(60):
            try:
                await dice.choice([open_one, move_one, move_one])()
            except Exception as error:  # noqa: BLE001  the test judges whatever surfaces
                told.note(error)

    await asyncio.gather(*(work() for _ in range(12)))
    await database.close()
    return told


PATHS: dict[Status, list[tuple[Status, ...]]] = {
    Status.FUNDED: [()],
    Status.OPEN: [(Status.HELD,), (Status.GONE,), (Status.HELD, Status.SETTLED)],
    Status.HELD: [(Status.SETTLED,), (Status.RETURNED,)],
    Status.SETTLED: [()],
    Status.RETURNED: [()],
    Status.GONE: [()],
}


def spend(say: Pipe, dsn: str, org_id: UUID, account_id: UUID, spenders: int) -> None:
    """Many spend one unit each of the same wallet, all at once."""

    async def run() -> Report:
        database = await Database.connect(dsn, name="spend", size_max=4)
        told = Report()
        # As many ledgers as there are connections, so that the locks decide and not the grouping.
        ledgers = [Ledger(database) for _ in range(4)]
        say.send("ready")
        say.recv()
        asked = [make.opening(org_id, Status.HELD, account_id=account_id) for _ in range(spenders)]
        for came in await asyncio.gather(
            *(ledgers[place % 4].open(each, MOVES) for place, each in enumerate(asked))
        ):
            told.note(came)
        await database.close()
        return told

    say.send(asyncio.run(run()))


def retry(say: Pipe, dsn: str, org_id: UUID, account_id: UUID, request_id: UUID) -> None:
    """Ask for the same thing many times at once."""

    async def run() -> Report:
        database = await Database.connect(dsn, name="retry", size_max=4)
        told = Report()
        ledgers = [Ledger(database) for _ in range(4)]
        say.send("ready")
        say.recv()
        for came in await asyncio.gather(
            *(
                ledgers[place % 4].open(
                    make.opening(org_id, Status.HELD, account_id=account_id, request_id=request_id),
                    MOVES,
                )
                for place in range(25)
            )
        ):
            told.note(came)
        await database.close()
        return told

    say.send(asyncio.run(run()))


def pay_in_order(
    say: Pipe, dsn: str, org_id: UUID, accounts: Sequence[UUID], numbers: range
) -> None:
    """Pay the payments of these numbers, 32 at a time; a number has one request id for ever.

    Says so once it is at payments that nobody has asked for before.
    """

    async def run() -> Report:
        database = await Database.connect(dsn, name="pay", size_max=6)
        ledger, told, left = Ledger(database), Report(), iter(numbers)

        async def pay_on() -> None:
            for number in left:
                asked = make.opening(
                    org_id,
                    Status.HELD,
                    account_id=accounts[number % len(accounts)],
                    request_id=derived_id(org_id, str(number)),
                )
                opened = await ledger.open(asked, MOVES)
                told.note(opened)
                record = make.opened(opened)
                if told.opened == [record.id]:
                    say.send("at work")
                if record.status == Status.HELD:
                    told.note(await ledger.advance(make.move(record, Status.SETTLED), MOVES))

        await asyncio.gather(*(pay_on() for _ in range(32)))
        await database.close()
        return told

    say.send(asyncio.run(run()))


def roll_up(say: Pipe, dsn: str, org_id: UUID) -> None:
    """Fold the house accounts in small steps, for ever."""

    async def run() -> None:
        database = await Database.connect(dsn, name="roll", size_max=1)
        say.send("ready")
        while True:
            await roll_up_step(database, org_id, changes_max=5)

    asyncio.run(run())
