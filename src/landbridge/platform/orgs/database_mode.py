"""Mode of a database, sandbox or production, which never changes."""

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs import store
from landbridge.platform.orgs.model import Mode


class ModeMismatch(LandbridgeError):
    """The database was created in the other mode."""


async def claim_mode(database: Database, mode: Mode) -> None:
    """Set the mode of a new database, or check it; raises `ModeMismatch` if it is the other."""
    stored = await database.transact(lambda tx: store.claim_mode(tx, mode))
    if stored is not mode:
        raise ModeMismatch(
            f"This database was begun in {stored} mode and can't be opened in {mode} mode: see "
            "LANDBRIDGE_MODE. Each mode needs a database of its own."
        )
