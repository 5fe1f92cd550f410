"""The first start: an organisation and a key, made once and shown once."""

from dataclasses import dataclass

from landbridge.core.clock import Clock
from landbridge.db.migrate import migrate
from landbridge.db.pool import Database
from landbridge.orgs.service import claim_mode, take_lane
from landbridge.settings import Settings
from landbridge.wiring import make_key, wire

FIRST_ORG = "My organisation"
_PRESET_KEY = "LANDBRIDGE_API_KEY"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a start did; `new_key` is the secret of a key that was made up now."""

    applied_migrations: list[str]
    new_key: str | None
    is_preset_ours: bool


async def prepare(settings: Settings, dsn: str) -> Prepared:
    """Migrate, and make sure that there are a master key and an organisation with a key.

    The preset key belongs to the first organisation. One that was revoked stays revoked, and one
    that is another organisation's stays theirs. Raises `SettingsInvalid` if something is sealed
    already but there is no master key: a new one would not open it.
    """
    database = await Database.connect(dsn, name="start", size_max=2, is_patient=True)
    try:
        applied = await migrate(database)
        await claim_mode(database, settings.mode)
        house = wire(settings, database, Clock(await take_lane(database)))
        await database.transact(house.vault.check_seal)
        make_key(settings)
        begun = await house.orgs.begin(FIRST_ORG, preset_name=_PRESET_KEY, preset=settings.api_key)
        return Prepared([each.name for each in applied], begun.new_key, begun.is_preset_ours)
    finally:
        await database.close()
