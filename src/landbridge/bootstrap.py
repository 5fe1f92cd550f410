"""The first start: an organisation and a key, made once and shown once."""

from dataclasses import dataclass

from landbridge.core.clock import Clock
from landbridge.db.migrate import migrate
from landbridge.db.pool import Database
from landbridge.orgs.service import Orgs, take_lane
from landbridge.settings import Settings

FIRST_ORG = "My organisation"
_PRESET_KEY = "LANDBRIDGE_API_KEY"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a start did; `new_key` is the secret of a key that was made up now."""

    applied_migrations: list[str]
    new_key: str | None


async def prepare(settings: Settings, dsn: str) -> Prepared:
    """Migrate, and make sure that there is an organisation with a key.

    The preset key belongs to the first organisation. One that was revoked stays revoked.
    """
    database = await Database.connect(dsn, name="start", size_max=2, is_patient=True)
    try:
        applied = await migrate(database)
        orgs = Orgs(database, Clock(await take_lane(database)), settings.mode)
        everyone = await orgs.all()
        first = everyone[0] if everyone else await orgs.create(FIRST_ORG)
        new_key: str | None = None
        if settings.api_key is not None:
            await orgs.create_key(first.id, _PRESET_KEY, expires_at=None, secret=settings.api_key)
        elif not everyone:
            _, new_key = await orgs.create_key(first.id, "first key", expires_at=None)
        return Prepared([each.name for each in applied], new_key)
    finally:
        await database.close()
