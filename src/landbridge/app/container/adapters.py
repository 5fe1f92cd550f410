"""Choice of adapters and keys: the only module that names concrete adapters."""

from collections.abc import Mapping

from landbridge.app.container.evm_services import EvmServices
from landbridge.app.settings import PREFIX, Settings, SettingsInvalid
from landbridge.customers.users.country_policy import COUNTRIES, US_STATES, CountryPolicy, codes
from landbridge.payments.bank_files.rails import FileRails
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.db.sealing import (
    KEY_BYTES,
    Sealer,
    check_sealing_key,
    keys_from_text,
    load_or_create_keys,
    wrapped_keys_from_text,
)
from landbridge.platform.encryption.key_wrapping import wrapping_from_text
from landbridge.platform.files.disk import Disk
from landbridge.platform.files.s3 import S3
from landbridge.platform.files.storage import Storage
from landbridge.platform.mail.port import MailTransport
from landbridge.platform.mail.sandbox import SandboxMail
from landbridge.platform.mail.smtp import Smtp
from landbridge.platform.orgs.model import Mode
from landbridge.providers.chains.none import NoChains
from landbridge.providers.chains.port import Chains
from landbridge.providers.chains.sandbox import SandboxChains
from landbridge.providers.chains.sandbox_records import SandboxChainRecords
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.evm.chain_records import EvmChainRecords
from landbridge.providers.evm.outbox.adapter import EvmChains
from landbridge.providers.identity.manual import ManualIdentity
from landbridge.providers.identity.port import Identity
from landbridge.providers.identity.sandbox import SandboxIdentity
from landbridge.providers.rails.none import NoRails
from landbridge.providers.rails.port import Rails
from landbridge.providers.rails.sandbox import SandboxRails
from landbridge.providers.simulation.movements import SimulatedMovements
from landbridge.providers.simulation.scripted_outcomes import ScriptedOrders
from landbridge.providers.solana.order_check import order_check
from landbridge.reporting.reconciliation.connected_chains import ConnectedChain
from landbridge.reporting.reconciliation.model import CHAIN_PATIENCE, SANDBOX_PATIENCE

MASTER_KEY_FILE = "master.key"
FILES_FOLDER = "files"


def sealer(settings: Settings) -> Sealer:
    """Return the sealer with the master keys of the setting, else of the file in the data dir.

    Without either, the sealer refuses when it is used: most commands need none. Never creates a
    key.
    """
    return NoMasterKey(settings) if _is_keyless(settings) else Sealer(_master_keys(settings))


def make_key(settings: Settings) -> None:
    """Create the key file of a sandbox if there is neither setting nor file.

    For `serve`, `api` and `worker`; commands that only read never create one. Production has no
    file: the setting is required there.
    """
    if _is_keyless(settings):
        settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        load_or_create_keys(settings.folder / MASTER_KEY_FILE)


def storage(settings: Settings) -> Storage:
    """Return the file storage: a bucket if a setting names one, else the data directory."""
    if settings.files:
        return S3(settings.files, endpoint=settings.files_endpoint)
    return Disk(settings.folder / FILES_FOLDER)


def mail(settings: Settings) -> MailTransport | None:
    """Return the mail transport: None in production without a server, a no-op in a sandbox."""
    if settings.mode is Mode.SANDBOX:
        return SandboxMail()
    if settings.smtp_url is None or settings.mail_from is None:
        return None
    return Smtp(settings.smtp_url, sender=settings.mail_from)


def identity(settings: Settings) -> Identity:
    """Return the identity provider of the settings; by default manual review outside a sandbox."""
    is_sandbox = settings.mode is Mode.SANDBOX
    if (settings.identity or ("sandbox" if is_sandbox else "manual")) == "sandbox":
        return SandboxIdentity()
    return ManualIdentity()


def chains(
    settings: Settings,
    scripted_orders: ScriptedOrders,
    database: Database,
    clock: Clock,
    evm: EvmServices | None,
) -> Chains:
    """Return the chains of the chains file; in a sandbox all others are simulated."""
    sandbox = SandboxChains(scripted_orders) if settings.mode is Mode.SANDBOX else None
    if evm is not None:
        solana = None if evm.solana is None else evm.solana.chain
        checks = {} if solana is None else {solana.name: order_check(solana)}
        return EvmChains(
            database, evm.chains, clock, bridges=evm.bridges, others=sandbox, checks=checks
        )
    return sandbox or NoChains()


def recorded_chains(
    settings: Settings, simulated_movements: SimulatedMovements, evm: EvmServices | None
) -> Mapping[Chain, ConnectedChain]:
    """Return the chains that reconciliation reads: those that `chains` would send orders to."""
    found: dict[Chain, ConnectedChain] = {}
    if settings.mode is Mode.SANDBOX:
        records = SandboxChainRecords(simulated_movements)
        sandbox = ConnectedChain(records, SANDBOX_PATIENCE, is_simulated=True)
        found = dict.fromkeys(Chain, sandbox)
    if evm is not None:
        for name, chain in evm.chains.items():
            if name.chain is not None:
                records = EvmChainRecords(chain, evm.clients[name])
                found[name.chain] = ConnectedChain(records, CHAIN_PATIENCE)
        if evm.solana is not None:
            found[Chain.SOLANA] = ConnectedChain(evm.solana.records(), CHAIN_PATIENCE)
    return found


def rails(settings: Settings, scripted_orders: ScriptedOrders, files: FileRails) -> Rails:
    """Return the rails of the settings; by default the sandbox's bank, and none in production."""
    match settings.bank:
        case "sandbox":
            return SandboxRails(scripted_orders)
        case "files":
            return files
        case _:
            return NoRails()


def policy(settings: Settings) -> CountryPolicy:
    """Return the country policy of the settings, else the lists of this version."""
    countries, states = settings.unsupported_countries, settings.unsupported_us_states
    return CountryPolicy(
        countries=COUNTRIES.keys() if countries is None else codes(countries),
        us_states=US_STATES.keys() if states is None else codes(states),
    )


class NoMasterKey(Sealer):
    """Sealer of an installation without a master key: every use is refused."""

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
        service = wrapping_from_text(settings.master_key_wrap)
        if service is None:
            return keys_from_text(settings.master_key)
        wrapped = wrapped_keys_from_text(settings.master_key)
        keys = {key_id: service.unwrap(key) for key_id, key in wrapped.items()}
        if any(len(key) != KEY_BYTES for key in keys.values()):
            raise SettingsInvalid(f"{PREFIX}MASTER_KEY does not wrap keys of {KEY_BYTES} bytes.")
        try:
            check_sealing_key(keys)
        except ValueError as error:
            raise SettingsInvalid(f"{PREFIX}MASTER_KEY is refused: {error}") from error
        return keys
    try:
        return load_or_create_keys(settings.folder / MASTER_KEY_FILE)
    except (OSError, ValueError) as error:
        raise SettingsInvalid(f"There is no master key to be had: {error}") from error


def _no_key(settings: Settings) -> SettingsInvalid:
    return SettingsInvalid(
        f"There is no master key: set {PREFIX}MASTER_KEY, or {PREFIX}DATA_DIR to where "
        f"{MASTER_KEY_FILE} is (there is none in {settings.folder})."
    )
