"""House accounts: insert-only while money moves, rolled up in the background.

Entries of a house account are written with the money, but its row is not updated, so that
payments never queue for a busy house account. The worker periodically adds entries to
`house_accounts.rolled_up_units`. Guarantees:

- A balance is exact at any moment: rolled-up units plus pending entries, in one snapshot.
- Every entry is rolled up once: sum and watermark advance in one transaction under the lock of
  the organisation's row. A worker may be killed at any point, and two may run at once.
- No late commit is skipped: the watermark is a place in the log, and later commits get places above
  it.
- A step is bounded, so that it never holds a lock or a snapshot for long.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.ledger import house_account_store
from landbridge.ledger.model import HouseRole
from landbridge.platform.changes.placing import place_changes
from landbridge.platform.changes.service import end_of_log
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Database, Tx

# Units by role and asset code.
Units = Mapping[tuple[HouseRole, str], int]


# Changes in one step. Rolling up a change takes about 5 us, so a step takes some ten milliseconds.
STEP_CHANGES = 2_000
# Steps for one organisation before the next organisation is rolled up.
STEPS_MAX = 50
# Changes summed by one statement of a rebuild, without locks; it takes some tenths of a second.
REBUILD_CHANGES = 50_000


@dataclass(frozen=True, slots=True)
class HouseDifference:
    """Wrong roll-up: its units and the sum of the entries below its watermark."""

    role: HouseRole
    asset: str
    rolled: int
    summed: int


async def roll_up(database: Database, org_ids: Iterable[UUID]) -> bool:
    """Roll up entries written since the last run; return whether there are more."""
    candidates = list(org_ids)
    await place_changes(database, candidates)
    is_behind = False
    for org_id in await database.single(lambda tx: house_account_store.find_behind(tx, candidates)):
        with logged_failures(
            busy="house.roll_up_failed", failed="house.roll_up_failed", org_id=str(org_id)
        ):
            is_behind |= await _roll_up_org(database, org_id)
    return is_behind


async def _roll_up_org(database: Database, org_id: UUID) -> bool:
    """Roll up an organisation for at most `STEPS_MAX` steps; return whether there is more."""
    for _ in range(STEPS_MAX):
        if not await roll_up_step(database, org_id):
            return False
    return True


async def roll_up_step(
    database: Database, org_id: UUID, *, changes_max: int = STEP_CHANGES
) -> bool:
    """Roll up one step of an organisation; return False if nothing was left."""

    async def work(tx: Tx) -> bool:
        rolled_up_to = await house_account_store.lock(tx, org_id)
        end = await house_account_store.step_end(
            tx, org_id, rolled_up_to=rolled_up_to, changes_max=changes_max
        )
        if end is None:
            return False
        await house_account_store.roll_up(tx, org_id, rolled_up_to=rolled_up_to, end=end)
        return True

    return await database.transact(work)


async def find_step_end(tx: Tx, org_id: UUID, since: int, *, changes_max: int) -> int | None:
    """Return the place where a step from the place `since` ends; None at the end of the log.

    No change gets a place below that any more.
    """
    return await house_account_store.step_end(
        tx, org_id, rolled_up_to=since, changes_max=changes_max
    )


async def units_below(tx: Tx, org_id: UUID, end: int) -> Units:
    """Return the balances from all changes at places below `end`, all of which have been given."""
    rolled_up_to, rolled = await house_account_store.rolled_up_balances(tx, org_id)
    first, last = min(rolled_up_to, end), max(rolled_up_to, end)
    between = await house_account_store.sums(tx, org_id, since=first, until=last)
    if rolled_up_to > end:
        between = {each: -units for each, units in between.items()}
    return _added(rolled, between)


async def rebuild(database: Database, org_id: UUID) -> Sequence[HouseDifference]:
    """Recompute the roll-up of an organisation from all its entries; return the differences.

    Safe while servers run: entries are summed step by step without a lock. Only entries since the
    last step are added while the roll-up is locked.
    """
    await place_changes(database, [org_id])
    rolled_up_to, rolled = await database.single(
        lambda tx: house_account_store.rolled_up_balances(tx, org_id)
    )
    summed: Units = {}
    at, below = 0, summed
    while True:
        bound = rolled_up_to if at < rolled_up_to else None
        since = at
        at, units = await database.transact(
            lambda tx, since=since, bound=bound: _sum_step(tx, org_id, since, bound)
        )
        summed = _added(summed, units)
        if at == since:
            break
        if at == rolled_up_to:
            below = summed
    if at < rolled_up_to:
        # No change got a place between the last step and the watermark.
        below = summed
    await database.transact(lambda tx: _replace(tx, org_id, summed, at))
    return [
        HouseDifference(role, asset, rolled.get((role, asset), 0), below.get((role, asset), 0))
        for role, asset in sorted(rolled.keys() | below.keys())
        if rolled.get((role, asset), 0) != below.get((role, asset), 0)
    ]


async def _sum_step(tx: Tx, org_id: UUID, since: int, bound: int | None) -> tuple[int, Units]:
    """Sum one step of entries up to `bound`; return the place where it ends, and the units."""
    end = await house_account_store.step_end(
        tx, org_id, rolled_up_to=since, changes_max=REBUILD_CHANGES
    )
    if end is None:
        return since, {}
    end = end if bound is None else min(end, bound)
    return end, await house_account_store.sums(tx, org_id, since=since, until=end)


async def _replace(tx: Tx, org_id: UUID, summed: Units, summed_to: int) -> None:
    await house_account_store.lock(tx, org_id)
    end = (await end_of_log(tx, org_id)).place
    rest = await house_account_store.sums(tx, org_id, since=summed_to, until=end)
    _, rolled = await house_account_store.rolled_up_balances(tx, org_id)
    # Roll-ups without any entry become zero.
    units = _added(_added(summed, rest), dict.fromkeys(rolled, 0))
    await house_account_store.replace(tx, org_id, units, rolled_up_to=end)


def _added(one: Units, other: Units) -> Units:
    total: defaultdict[tuple[HouseRole, str], int] = defaultdict(int, one)
    for key, units in other.items():
        total[key] += units
    return dict(total)


async def house_balances(database: Database, org_id: UUID) -> dict[tuple[HouseRole, str], int]:
    """Return the balance in units of every house account with entries, by role and asset code."""
    return await database.single(lambda tx: house_account_store.balances(tx, org_id))
