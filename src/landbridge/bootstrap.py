"""The first start: an organisation, a key and an admin, made once and shown once."""

from dataclasses import dataclass

from landbridge.core.clock import Clock
from landbridge.db.migrate import migrate
from landbridge.db.pool import Database
from landbridge.db.transaction_ids import check
from landbridge.members.model import First
from landbridge.orgs.modes import claim_mode
from landbridge.orgs.service import take_lane
from landbridge.settings import Settings
from landbridge.wiring import make_key, wire

FIRST_ORG = "My organisation"
_PRESET_KEY = "LANDBRIDGE_API_KEY"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a start did.

    `new_key` is the secret of a key that was made up now, `new_admin` whoever was made an admin.
    """

    applied_migrations: list[str]
    new_key: str | None
    is_preset_ours: bool
    new_admin: First | None


async def prepare(settings: Settings, dsn: str) -> Prepared:
    """Migrate, and make sure of a master key, and of an organisation with a key and an admin.

    The preset key belongs to the first organisation. One that was revoked stays revoked, and one
    that is another organisation's stays theirs. Raises `SettingsInvalid` if something is sealed
    already but there is no master key: a new one would not open it; and `TransactionIdsAhead` if
    the database is a restored dump that was not repaired.
    """
    database = await Database.connect(dsn, name="start", size_max=2, is_patient=True)
    try:
        applied = await migrate(database)
        await check(database)
        await claim_mode(database, settings.mode)
        house = wire(settings, database, Clock(await take_lane(database)))
        await database.transact(house.vault.check_seal)
        make_key(settings)
        begun = await house.orgs.begin(FIRST_ORG, preset_name=_PRESET_KEY, preset=settings.api_key)
        first_org = (await house.orgs.all())[0]
        new_admin = await house.members.first(
            first_org.id, email=settings.admin_email, password=settings.admin_password
        )
        names = [each.name for each in applied]
        return Prepared(names, begun.new_key, begun.is_preset_ours, new_admin)
    finally:
        await database.close()
