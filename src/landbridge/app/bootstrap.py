"""First start: creates an organisation, an API key and an admin, and shows their secrets once."""

from dataclasses import dataclass

from landbridge.app.container import make_key, wire
from landbridge.app.settings import Settings
from landbridge.customers.team.model import FirstAdmin
from landbridge.ledger.functions import NODE_FUNCTIONS
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.distribution import distribute
from landbridge.platform.db.migrate import migrate
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.database_mode import claim_mode

FIRST_ORG = "My organisation"
_PRESET_KEY = "LANDBRIDGE_API_KEY"


@dataclass(frozen=True, slots=True)
class FirstStartResult:
    """Result of a start.

    `new_key` is the secret of a key created by this start, `new_admin` the admin created by it.
    """

    applied_migrations: list[str]
    new_key: str | None
    is_preset_ours: bool
    new_admin: FirstAdmin | None


async def prepare(settings: Settings, dsn: str) -> FirstStartResult:
    """Migrate, and ensure a master key and an organisation with an API key and an admin.

    The preset key belongs to the first organisation. A revoked preset key stays revoked, and one of
    another organisation stays with it. Raises `SettingsInvalid` if sealed data exist without a
    master key, since a new key would not open them.
    """
    database = await Database.connect(dsn, name="start", size_max=2, is_patient=True)
    try:
        applied = await migrate(database)
        if applied and database.is_distributed:
            await distribute(database, NODE_FUNCTIONS)
        await claim_mode(database, settings.mode)
        container = wire(settings, database, Clock(await take_node(database)))
        await database.transact(container.vault.check_seal)
        make_key(settings)
        bootstrapped = await container.orgs.begin(
            FIRST_ORG, preset_name=_PRESET_KEY, preset=settings.api_key
        )
        first_org = (await container.orgs.all())[0]
        new_admin = await container.team.first(
            first_org.id, email=settings.admin_email, password=settings.admin_password
        )
        names = [each.name for each in applied]
        return FirstStartResult(names, bootstrapped.new_key, bootstrapped.is_preset_ours, new_admin)
    finally:
        await database.close()
