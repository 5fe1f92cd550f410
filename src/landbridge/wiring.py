"""Settings to services: the only place that picks an adapter."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from typing import Any

from landbridge.accounts import service as accounts_service
from landbridge.accounts.service import Accounts
from landbridge.core.clock import Clock, ReadingClock
from landbridge.core.states import Moves
from landbridge.db.migrate import MigrationRefused, pending
from landbridge.db.pool import Database
from landbridge.db.sealing import Sealer, keys_from_text, load_or_create_keys
from landbridge.files.disk import Disk
from landbridge.files.s3 import S3
from landbridge.files.service import Files
from landbridge.files.storage import Storage
from landbridge.flows.due import Due
from landbridge.flows.swaps import model as swaps_model
from landbridge.flows.swaps.service import Swaps
from landbridge.flows.swaps.steps import SwapSteps
from landbridge.identity.manual import ManualIdentity
from landbridge.identity.port import Identity
from landbridge.identity.sandbox import SandboxIdentity
from landbridge.kyc.service import Dossiers
from landbridge.ledger import corrections
from landbridge.ledger.service import Ledger
from landbridge.mail.outbox import Outbox
from landbridge.mail.port import Mail
from landbridge.mail.sandbox import SandboxMail
from landbridge.mail.smtp import Smtp
from landbridge.onboarding.service import Links, erasing
from landbridge.onboarding.uploading import Uploading
from landbridge.onboarding.visits import Visits
from landbridge.orgs.model import Mode
from landbridge.orgs.service import Orgs, claim_mode, take_lane
from landbridge.privacy.service import Vault
from landbridge.rates.sandbox import PAR
from landbridge.rates.table import PriceTable
from landbridge.sandbox.service import Sandbox
from landbridge.screening.service import Screening
from landbridge.settings import PREFIX, Settings, SettingsInvalid
from landbridge.users.policy import COUNTRIES, US_STATES, Policy, codes
from landbridge.users.service import Users
from landbridge.users.terms import Terms
from landbridge.verification.cases import Cases
from landbridge.verification.checks import Checks
from landbridge.verification.letters import Letters
from landbridge.verification.rescreening import Rescreening
from landbridge.verification.reviews import Reviews
from landbridge.verification.service import Verification
from landbridge.wallets import model as wallets_model
from landbridge.wallets.service import Wallets

# Every kind of record and the moves that are allowed to it.
MOVES: Mapping[str, Moves[Any]] = {
    wallets_model.DEPOSIT_KIND: wallets_model.DEPOSIT_MOVES,
    swaps_model.KIND: swaps_model.MOVES,
    corrections.KIND: corrections.MOVES,
}

MASTER_KEY_FILE = "master.key"
FILES_FOLDER = "files"


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """What all the rest stands on."""

    settings: Settings
    database: Database
    clock: Clock
    orgs: Orgs
    vault: Vault
    files: Files
    screening: Screening
    outbox: Outbox
    ledger: Ledger
    wallets: Wallets


@dataclass(frozen=True, slots=True, kw_only=True)
class People(Foundation):
    """Users, and all that is known of them."""

    users: Users
    terms: Terms
    dossiers: Dossiers
    verification: Verification
    reviews: Reviews
    rescreening: Rescreening
    accounts: Accounts
    links: Links
    visits: Visits
    uploading: Uploading


@dataclass(frozen=True, slots=True, kw_only=True)
class House(People):
    """Every service, wired; routes and steps take what they need from here."""

    prices: PriceTable
    swaps: Swaps
    due: Due
    sandbox: Sandbox


@asynccontextmanager
async def open_house(
    settings: Settings, dsn: str, *, name: str, writes: bool = True
) -> AsyncGenerator[House]:
    """Connect and wire. `name` shows in pg_stat_activity; without `writes` nothing is stamped.

    Raises `MigrationRefused` if the database does not have the tables of this version,
    `ModeMismatch` if it was begun in another mode, and `SealBroken` if a master key that sealed
    something is missing or another one.
    """
    database = await Database.connect(dsn, name=name, size_max=settings.pool_size)
    try:
        if missing := await pending(database):
            names = ", ".join(each.name for each in missing)
            raise MigrationRefused(
                f"The database lacks migrations ({names}). Run `landbridge migrate` first."
            )
        await claim_mode(database, settings.mode)
        clock = Clock(await take_lane(database)) if writes else ReadingClock()
        house = wire(settings, database, clock)
        await database.transact(house.vault.check_seal)
        yield house
        await house.orgs.note_use()
    finally:
        await database.close()


def wire(settings: Settings, database: Database, clock: Clock) -> House:
    """Every service over a database that is connected and has its tables."""
    people = _people(_foundation(settings, database, clock))
    ledger, users, wallets = people.ledger, people.users, people.wallets
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
        **_members(people),
        prices=prices,
        swaps=swaps,
        due=due,
        sandbox=Sandbox(
            settings.mode, ledger, people.orgs, users, wallets, due, people.verification, clock
        ),
    )


def _foundation(settings: Settings, database: Database, clock: Clock) -> Foundation:
    vault = Vault(sealer(settings))
    ledger = Ledger(database)
    return Foundation(
        settings=settings,
        database=database,
        clock=clock,
        orgs=Orgs(database, clock, settings.mode),
        vault=vault,
        files=Files(database, vault, storage(settings), clock),
        screening=Screening(
            database,
            clock,
            score_min=settings.screening_score,
            needs_list=settings.mode is Mode.PRODUCTION,
        ),
        outbox=Outbox(database, vault, clock, mail(settings)),
        ledger=ledger,
        wallets=Wallets(database, ledger, vault, clock),
    )


def _people(on: Foundation) -> People:
    settings, database, vault, clock = on.settings, on.database, on.vault, on.clock
    rules = policy(settings)
    dossiers = Dossiers(database, vault, on.files, clock, policy=rules, mode=settings.mode)
    cases = Cases(database, vault, Letters(on.outbox))
    users = Users(
        database,
        on.wallets,
        vault,
        clock,
        policy=rules,
        moves=MOVES,
        joined=[dossiers.begin],
        leaving=[dossiers.forget, cases.forget, accounts_service.forget, erasing(vault)],
    )
    checker = identity(settings)
    checks = Checks(cases, checker, on.screening, clock, read_file=on.files.content)
    verification = Verification(
        database, cases, checks, users, dossiers, identity=checker, clock=clock
    )
    terms = Terms(database, vault, clock, version=settings.terms_version)
    links = Links(database, vault, users, on.outbox, clock, public_url=settings.base_url)
    visits = Visits(
        *(links, terms, users, dossiers),
        verification=verification,
        orgs=on.orgs,
        clock=clock,
        policy=rules,
    )
    return People(
        **_members(on),
        users=users,
        terms=terms,
        dossiers=dossiers,
        verification=verification,
        reviews=Reviews(cases, users, clock),
        rescreening=Rescreening(cases, on.screening, clock),
        accounts=Accounts(
            database, vault, clock, users=users, verified=verification, screening=on.screening
        ),
        links=links,
        visits=visits,
        uploading=Uploading(links, dossiers, on.files, database),
    )


def _members(of: Foundation) -> dict[str, Any]:
    """What is wired already, for the next storey."""
    return {each.name: getattr(of, each.name) for each in fields(of)}


def sealer(settings: Settings) -> Sealer:
    """The keys that seal secrets: the setting, else the file in the data directory.

    Without either, one that refuses when it is used: most commands need none. Never makes a key.
    """
    return Keyless(settings) if _is_keyless(settings) else Sealer(_master_keys(settings))


def make_key(settings: Settings) -> None:
    """Make the key file of a sandbox if there is neither setting nor file.

    For `serve`, `api` and `worker`; a command that only looks never makes one. Production has no
    file: there the setting is required.
    """
    if _is_keyless(settings):
        settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        load_or_create_keys(settings.folder / MASTER_KEY_FILE)


def storage(settings: Settings) -> Storage:
    """Where the contents of files are kept: a bucket if a setting names one, else the data dir."""
    if settings.files:
        return S3(settings.files, endpoint=settings.files_endpoint)
    return Disk(settings.folder / FILES_FOLDER)


def mail(settings: Settings) -> Mail | None:
    """How mail is sent: not at all in a sandbox, nor (None) in production without a server."""
    if settings.mode is Mode.SANDBOX:
        return SandboxMail()
    if settings.smtp_url is None or settings.mail_from is None:
        return None
    return Smtp(settings.smtp_url, sender=settings.mail_from)


def identity(settings: Settings) -> Identity:
    """Who checks users: what the setting says, else nobody but reviewers outside of a sandbox."""
    is_sandbox = settings.mode is Mode.SANDBOX
    if (settings.identity or ("sandbox" if is_sandbox else "manual")) == "sandbox":
        return SandboxIdentity()
    return ManualIdentity()


def policy(settings: Settings) -> Policy:
    """Where users may not live: what the settings say, else the lists of this version."""
    countries, states = settings.unsupported_countries, settings.unsupported_us_states
    return Policy(
        countries=COUNTRIES.keys() if countries is None else codes(countries),
        us_states=US_STATES.keys() if states is None else codes(states),
    )


class Keyless(Sealer):
    """Stands in where there is no master key."""

    __slots__ = ("_settings",)

    def __init__(self, settings: Settings) -> None:
        # Without a call to the parent: there is no key that it could take.
        self._settings = settings

    @property
    def sealing_id(self) -> int:
        """Refuse."""
        raise _no_key(self._settings)

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


def _master_keys(settings: Settings) -> dict[int, bytes]:
    if settings.master_key is not None:
        return keys_from_text(settings.master_key)
    try:
        return load_or_create_keys(settings.folder / MASTER_KEY_FILE)
    except (OSError, ValueError) as error:
        raise SettingsInvalid(f"There is no master key to be had: {error}") from error


def _no_key(settings: Settings) -> SettingsInvalid:
    return SettingsInvalid(
        f"There is no master key: set {PREFIX}MASTER_KEY, or {PREFIX}DATA_DIR to where "
        f"{MASTER_KEY_FILE} is (there is none in {settings.folder})."
    )
