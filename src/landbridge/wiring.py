"""Settings to services: the only place that picks an adapter."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from landbridge.core.clock import Clock
from landbridge.core.states import Moves
from landbridge.db.migrate import MigrationRefused, pending
from landbridge.db.pool import Database
from landbridge.db.sealing import Sealer, key_from_text, load_or_create_key
from landbridge.flows.due import Due
from landbridge.flows.swaps import model as swaps_model
from landbridge.flows.swaps.service import Swaps
from landbridge.flows.swaps.steps import SwapSteps
from landbridge.ledger import corrections
from landbridge.ledger.service import Ledger
from landbridge.orgs.model import Mode
from landbridge.orgs.service import Orgs, take_lane
from landbridge.rates.sandbox import PAR
from landbridge.rates.table import PriceTable
from landbridge.sandbox.service import Sandbox
from landbridge.settings import PREFIX, Settings, SettingsInvalid
from landbridge.users.service import Users
from landbridge.users.terms import Terms
from landbridge.wallets import model as wallets_model
from landbridge.wallets.service import Wallets

# Every kind of record and the moves that are allowed to it.
MOVES: Mapping[str, Moves[Any]] = {
    wallets_model.DEPOSIT_KIND: wallets_model.DEPOSIT_MOVES,
    swaps_model.KIND: swaps_model.MOVES,
    corrections.KIND: corrections.MOVES,
}

MASTER_KEY_FILE = "master.key"


@dataclass(frozen=True, slots=True)
class House:
    """Every service, wired; routes and steps take what they need from here."""

    settings: Settings
    database: Database
    clock: Clock
    orgs: Orgs
    ledger: Ledger
    wallets: Wallets
    users: Users
    terms: Terms
    prices: PriceTable
    swaps: Swaps
    due: Due
    sandbox: Sandbox


@asynccontextmanager
async def open_house(settings: Settings, dsn: str, *, name: str) -> AsyncGenerator[House]:
    """Connect and wire. `name` shows in pg_stat_activity.

    Raises `MigrationRefused` if the database does not have the tables of this version, and
    `SealBroken` if the master key is not the one that sealed the wallet seeds.
    """
    database = await Database.connect(dsn, name=name, size_max=settings.pool_size)
    try:
        if missing := await pending(database):
            names = ", ".join(each.name for each in missing)
            raise MigrationRefused(
                f"The database lacks migrations ({names}). Run `landbridge migrate` first."
            )
        house = wire(settings, database, Clock(await take_lane(database)))
        await house.wallets.check_seal()
        yield house
        await house.orgs.note_use()
    finally:
        await database.close()


def wire(settings: Settings, database: Database, clock: Clock) -> House:
    """Every service over a database that is connected and has its tables."""
    orgs = Orgs(database, clock, settings.mode)
    ledger = Ledger(database)
    wallets = Wallets(database, ledger, sealer(settings), clock)
    users = Users(database, wallets, clock)
    prices = PriceTable(database, PAR if settings.mode is Mode.SANDBOX else None)
    swaps = Swaps(
        ledger,
        users,
        wallets,
        prices,
        clock,
        price_age_max=settings.price_age_max,
        can_leave=settings.mode is Mode.SANDBOX,
    )
    due = Due(ledger, clock, {swaps_model.KIND: SwapSteps(swaps, clock)})
    return House(
        settings=settings,
        database=database,
        clock=clock,
        orgs=orgs,
        ledger=ledger,
        wallets=wallets,
        users=users,
        terms=Terms(database, clock),
        prices=prices,
        swaps=swaps,
        due=due,
        sandbox=Sandbox(settings.mode, ledger, orgs, users, wallets, due, clock),
    )


def sealer(settings: Settings) -> Sealer:
    """The key that seals secrets: the setting, else the file in the data directory.

    Without either, one that refuses when it is used: most commands need none. Never makes a key.
    """
    return Keyless(settings) if _is_keyless(settings) else Sealer(_master_key(settings))


def make_key(settings: Settings) -> None:
    """Make the key file of a sandbox if there is neither setting nor file.

    For `serve`, `api` and `worker`; a command that only looks never makes one. Production has no
    file: there the setting is required.
    """
    if _is_keyless(settings):
        settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        load_or_create_key(settings.folder / MASTER_KEY_FILE)


class Keyless(Sealer):
    """Stands in where there is no master key."""

    __slots__ = ("_settings",)

    def __init__(self, settings: Settings) -> None:
        # Without a call to the parent: there is no key that it could take.
        self._settings = settings

    def seal(self, plain: bytes, *, context: str) -> bytes:
        """Refuse."""
        del plain, context
        raise _no_key(self._settings)

    def open(self, sealed: bytes, *, context: str) -> bytes:
        """Refuse."""
        del sealed, context
        raise _no_key(self._settings)


def _is_keyless(settings: Settings) -> bool:
    return settings.master_key is None and not (settings.folder / MASTER_KEY_FILE).exists()


def _master_key(settings: Settings) -> bytes:
    if settings.master_key is not None:
        return key_from_text(settings.master_key)
    try:
        return load_or_create_key(settings.folder / MASTER_KEY_FILE)
    except (OSError, ValueError) as error:
        raise SettingsInvalid(f"There is no master key to be had: {error}") from error


def _no_key(settings: Settings) -> SettingsInvalid:
    return SettingsInvalid(
        f"There is no master key: set {PREFIX}MASTER_KEY, or {PREFIX}DATA_DIR to where "
        f"{MASTER_KEY_FILE} is (there is none in {settings.folder})."
    )
