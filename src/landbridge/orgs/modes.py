"""In which mode a database was begun; it is never opened in the other."""

from landbridge.core.errors import LandbridgeError
from landbridge.db.pool import Database
from landbridge.orgs import store
from landbridge.orgs.model import Mode


class ModeMismatch(LandbridgeError):
    """The database was begun in the other mode."""


async def claim_mode(database: Database, mode: Mode) -> None:
    """Make this database one of `mode`, or find that it is; raises `ModeMismatch` otherwise."""
    kept = await database.transact(lambda tx: store.claim_mode(tx, mode))
    if kept is not mode:
        raise ModeMismatch(
            f"This database was begun in {kept} mode and can't be opened in {mode} mode: see "
            "LANDBRIDGE_MODE. Each mode needs a database of its own."
        )
