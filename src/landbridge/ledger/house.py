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

from collections.abc import Iterable
from uuid import UUID

import structlog

from landbridge.core.errors import Busy, LockTimeout
from landbridge.core.money import Asset, Money
from landbridge.db.pool import Database, Tx
from landbridge.ledger import house_store
from landbridge.ledger.model import Role

_log = structlog.stdlib.get_logger()

# Folding a change takes about 5 us, so a step takes some ten milliseconds.
STEP_CHANGES = 2_000
# After this many steps the next organisation has its turn.
STEPS_MAX = 50


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


async def house_balances(database: Database, org_id: UUID) -> dict[tuple[Role, str], int]:
    """Units by role and asset code, of every house account that was ever moved."""
    return await database.single(lambda tx: house_store.balances(tx, org_id))


async def house_balance(database: Database, org_id: UUID, role: Role, asset: Asset) -> Money:
    """What one house account holds; below zero if more went out of it than came in."""
    units = (await house_balances(database, org_id)).get((role, asset.code), 0)
    return Money(units, asset)
