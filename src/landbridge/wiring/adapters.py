"""The only place that picks an adapter, and finds the keys."""

from landbridge.bank_files.rails import FileRails
from landbridge.chains.none import NoChains
from landbridge.chains.port import Chains
from landbridge.chains.sandbox import SandboxChains
from landbridge.db.sealing import Sealer, keys_from_text, load_or_create_keys
from landbridge.files.disk import Disk
from landbridge.files.s3 import S3
from landbridge.files.storage import Storage
from landbridge.identity.manual import ManualIdentity
from landbridge.identity.port import Identity
from landbridge.identity.sandbox import SandboxIdentity
from landbridge.mail.port import Mail
from landbridge.mail.sandbox import SandboxMail
from landbridge.mail.smtp import Smtp
from landbridge.orgs.model import Mode
from landbridge.rails.none import NoRails
from landbridge.rails.port import Rails
from landbridge.rails.sandbox import SandboxRails
from landbridge.settings import PREFIX, Settings, SettingsInvalid
from landbridge.simulation.playing import Playing
from landbridge.users.policy import COUNTRIES, US_STATES, Policy, codes

MASTER_KEY_FILE = "master.key"
FILES_FOLDER = "files"


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


def chains(settings: Settings, playing: Playing) -> Chains:
    """What carries coins: nothing yet outside of a sandbox."""
    return SandboxChains(playing) if settings.mode is Mode.SANDBOX else NoChains()


def rails(settings: Settings, playing: Playing, files: FileRails) -> Rails:
    """What moves fiat: what the setting says, else the sandbox's bank, and none in production."""
    match settings.bank:
        case "sandbox":
            return SandboxRails(playing)
        case "files":
            return files
        case _:
            return NoRails()


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
