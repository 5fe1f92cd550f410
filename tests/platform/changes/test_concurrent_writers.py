"""Random writers, rollbacks, placers and a reader at once: each change is read once, in order."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from uuid import UUID

import pytest

from landbridge.platform.changes import service as log
from landbridge.platform.changes.model import START, Change
from landbridge.platform.changes.placing import place_changes
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.matrices import part_of
from tests.platform.changes.test_order import AT, append_next

WRITERS = 8
OBJECTS = 4
# In the control, this many rounds at most until an order is wrong.
ROUNDS_MAX = 50

_DRAW = "select nextval('change_batch_numbers')"
_ADD = """
with batch as (
    insert into change_batches (org_id, number) values ($1, $2) returning number
)
insert into changes (org_id, object_id, seq, kind, change_type, actor, occurred_at, is_settled,
    batch)
select $1, $3, 1 + count(c.seq), 'THING', 'set', 't', $4, true, b.number
from batch b
left join changes c on c.org_id = $1 and c.object_id = $3
group by b.number
"""


class Undone(Exception):
    """Ends a transaction."""


@dataclass(frozen=True, slots=True)
class Step:
    """A change, and pauses before its lock and after it."""

    object_id: UUID
    before_s: float
    after_s: float


@pytest.mark.parametrize("seed", range(2))
async def test_reader_sees_every_change_once_and_in_order(dsn: str, seed: int) -> None:
    assert await play(dsn, seed, transactions=100, draws_early=False) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", part_of(range(100, 110), 0, 5))
async def test_reader_sees_every_change_of_many_once_and_in_order(dsn: str, seed: int) -> None:
    assert await play(dsn, seed, transactions=2_000, draws_early=False) == []


async def test_number_drawn_before_the_lock_is_found(dsn: str) -> None:
    """The control: the test above can fail."""
    for seed in range(ROUNDS_MAX):
        if await play(dsn, seed, transactions=100, draws_early=True):
            return
    raise AssertionError("the order was always right")


@dataclass(slots=True, kw_only=True)
class Play:
    """Writers, placers and a reader of one organisation."""

    database: Database
    org_id: UUID
    random: Random
    append: Callable[[Tx, UUID, Step], Awaitable[None]]
    # Committed changes by object.
    written: dict[UUID, int]
    is_over: asyncio.Event

    async def write(self) -> None:
        """Change some objects, locked in sorted order, in one transaction; undo a fifth of them."""
        count = self.random.choice((1, 1, 2, 3))
        steps = [
            Step(each, self.random.random() / 200, self.random.random() / 200)
            for each in sorted(self.random.choices(list(self.written), k=count))
        ]
        is_undone = self.random.random() < 0.2

        async def work(tx: Tx) -> None:
            for each in steps:
                await self.append(tx, self.org_id, each)
            if is_undone:
                raise Undone

        with suppress(Undone):
            await self.database.transact(work)
            for each in steps:
                self.written[each.object_id] += 1

    async def place(self) -> None:
        """Place batches until all is over."""
        while not self.is_over.is_set():
            await place_changes(self.database, [self.org_id])

    async def follow(self) -> list[Change]:
        """Read the log to its end, page by page."""
        read: list[Change] = []
        while True:
            was_over = self.is_over.is_set()
            after = read[-1].position if read else START
            found = await self.database.single(
                lambda tx, after=after: log.read(tx, self.org_id, after, limit=7)
            )
            read += found
            if was_over and not found:
                return read


async def play(dsn: str, seed: int, *, transactions: int, draws_early: bool) -> list[str]:
    """Let writers, two placers and a reader run; return what is wrong with what was read."""
    database = await Database.connect(dsn, name="tests", size_max=WRITERS + 3)
    game = Play(
        database=database,
        org_id=await make.make_org(database),
        random=Random(seed),  # noqa: S311  no secret
        append=append_early if draws_early else append_locked,
        written={new_id(): 0 for _ in range(OBJECTS)},
        is_over=asyncio.Event(),
    )
    placers = [asyncio.create_task(game.place()) for _ in range(2)]
    reading = asyncio.create_task(game.follow())
    await run_all([game.write] * transactions)
    await place_changes(database, [game.org_id])
    game.is_over.set()
    await asyncio.gather(*placers)
    found = findings(await reading, game.written)
    await database.close()
    return found


async def append_locked(tx: Tx, org_id: UUID, step: Step) -> None:
    """As the product: the number is drawn under the lock of the object."""
    await asyncio.sleep(step.before_s)
    await lock(tx, step.object_id)
    await append_next(tx, org_id, step.object_id)
    await asyncio.sleep(step.after_s)


async def append_early(tx: Tx, org_id: UUID, step: Step) -> None:
    """As the product must not: another one may lock the object, with a larger number, first."""
    number = await tx.fetchval(_DRAW)
    await asyncio.sleep(step.before_s)
    await lock(tx, step.object_id)
    await tx.execute(_ADD, org_id, number, step.object_id, AT)
    await asyncio.sleep(step.after_s)


async def lock(tx: Tx, object_id: UUID) -> None:
    """Lock an object until the transaction ends, as its row would be."""
    await tx.execute("select pg_advisory_xact_lock($1)", object_id.int % (1 << 62))


async def run_all(writes: Sequence[Callable[[], Awaitable[None]]]) -> None:
    """Run all, as many at once as there are writers."""
    at_once = asyncio.Semaphore(WRITERS)

    async def run(write: Callable[[], Awaitable[None]]) -> None:
        async with at_once:
            await write()

    await asyncio.gather(*map(run, writes))


def findings(read: Sequence[Change], written: dict[UUID, int]) -> list[str]:
    """Return what was lost, doubled or read out of order."""
    positions = [each.position for each in read]
    found = [] if positions == sorted(positions) else ["the positions do not ascend"]
    for object_id, count in written.items():
        seqs = [each.seq for each in read if each.object_id == object_id]
        if seqs != list(range(1, count + 1)):
            found.append(f"the changes 1 to {count} of {object_id} were read as {seqs}")
    return found
