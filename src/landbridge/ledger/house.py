"""House accounts: insert-only while money moves, rolled up behind it.

The entries of a house account are written with the money; its row is not touched, so that a busy
one never queues its payers. The worker folds entries into `house_accounts.rolled_units` from time
to time. Guarantees:
- a balance is exact at any moment: what is rolled up plus the tail that is not, in one snapshot;
- every entry is folded once: sum and watermark move in one transaction under the lock of the
  organisation's row, so a worker may be killed anywhere, and two may work at once;
- no late commit is skipped: the watermark is a transaction id and stays below the oldest
  transaction that still runs;
- a step is bounded, so that it never holds a lock or a snapshot for long.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog

from landbridge.core.errors import Busy, LockTimeout
from landbridge.core.money import Asset, Money
from landbridge.db.pool import Database, Tx
from landbridge.ledger import house_store
from landbridge.ledger.model import Role

# Units by role and asset code.
Units = Mapping[tuple[Role, str], int]

_log = structlog.stdlib.get_logger()

# Folding a change takes about 5 us, so a step takes some ten milliseconds.
STEP_CHANGES = 2_000
# After this many steps the next organisation has its turn.
STEPS_MAX = 50
# A rebuild locks nothing while it sums; this is some tenths of a second for one statement.
REBUILD_CHANGES = 50_000


@dataclass(frozen=True, slots=True)
class HouseDifference:
    """A roll-up that was not the sum of the entries below its watermark, in units."""

    role: Role
    asset: str
    rolled: int
    summed: int


async def roll_up(database: Database, org_ids: Iterable[UUID]) -> bool:
    """Fold what has been settled since the last time; whether some organisation has more."""
    wanted = list(org_ids)
    is_behind = False
    for org_id in await database.single(lambda tx: house_store.behind(tx, wanted)):
        try:
            is_behind |= await _roll_up_org(database, org_id)
        except LockTimeout as error:
            _log.warning("house.roll_up_failed", org_id=str(org_id), reason=str(error))
        except Busy:
            raise
        except Exception as error:  # noqa: BLE001  one organisation must not stop the others
            _log.error("house.roll_up_failed", org_id=str(org_id), exc_info=error)
    return is_behind


async def _roll_up_org(database: Database, org_id: UUID) -> bool:
    """Fold what an organisation has to fold, within its turn; whether it has more."""
    for _ in range(STEPS_MAX):
        if not await roll_up_step(database, org_id):
            return False
    return True


async def roll_up_step(
    database: Database, org_id: UUID, *, changes_max: int = STEP_CHANGES
) -> bool:
    """Fold one step of an organisation; False once nothing was left to fold."""

    async def work(tx: Tx) -> bool:
        rolled_to = await house_store.lock(tx, org_id)
        end = await house_store.step_end(tx, org_id, rolled_to=rolled_to, changes_max=changes_max)
        if end is None:
            return False
        await house_store.fold(tx, org_id, rolled_to=rolled_to, end=end)
        return True

    return await database.transact(work)


async def rebuild(database: Database, org_id: UUID) -> Sequence[HouseDifference]:
    """Sum the roll-up of an organisation anew from all its entries; return what was wrong with it.

    Safe while servers run: entries are summed step by step without a lock, and only those since the
    last step are added while the roll-up is locked.
    """
    rolled_to, rolled = await database.single(lambda tx: house_store.rolled(tx, org_id))
    summed: Units = {}
    at, below = 0, summed
    while True:
        bound = rolled_to if at < rolled_to else None
        since = at
        at, units = await database.transact(
            lambda tx, since=since, bound=bound: _sum_step(tx, org_id, since, bound)
        )
        summed = _added(summed, units)
        if at == since:
            break
        if at == rolled_to:
            below = summed
    if at < rolled_to:
        # Nothing is settled from here to the watermark; what is below it may not be, if a dump was
        # restored into a new server.
        rest = await database.single(
            lambda tx: house_store.sums(tx, org_id, since=at, until=rolled_to)
        )
        below = _added(summed, rest)
    await database.transact(lambda tx: _replace(tx, org_id, summed, at))
    return [
        HouseDifference(role, asset, rolled.get((role, asset), 0), below.get((role, asset), 0))
        for role, asset in sorted(rolled.keys() | below.keys())
        if rolled.get((role, asset), 0) != below.get((role, asset), 0)
    ]


async def _sum_step(tx: Tx, org_id: UUID, since: int, bound: int | None) -> tuple[int, Units]:
    """Sum a step of settled entries, not beyond `bound`: where it ends, and the units."""
    end = await house_store.step_end(tx, org_id, rolled_to=since, changes_max=REBUILD_CHANGES)
    if end is None:
        return since, {}
    end = end if bound is None else min(end, bound)
    return end, await house_store.sums(tx, org_id, since=since, until=end)


async def _replace(tx: Tx, org_id: UUID, summed: Units, summed_to: int) -> None:
    await house_store.lock(tx, org_id)
    end = await house_store.horizon(tx)
    rest = await house_store.sums(tx, org_id, since=summed_to, until=end)
    _, rolled = await house_store.rolled(tx, org_id)
    # What was rolled up without an entry becomes zero.
    units = _added(_added(summed, rest), dict.fromkeys(rolled, 0))
    await house_store.replace(tx, org_id, units, rolled_to=end)


def _added(one: Units, other: Units) -> Units:
    total: defaultdict[tuple[Role, str], int] = defaultdict(int, one)
    for key, units in other.items():
        total[key] += units
    return dict(total)


async def house_balances(database: Database, org_id: UUID) -> dict[tuple[Role, str], int]:
    """Units by role and asset code, of every house account that was ever moved."""
    return await database.single(lambda tx: house_store.balances(tx, org_id))


async def house_balance(database: Database, org_id: UUID, role: Role, asset: Asset) -> Money:
    """What one house account holds; below zero if more went out of it than came in."""
    units = (await house_balances(database, org_id)).get((role, asset.code), 0)
    return Money(units, asset)
