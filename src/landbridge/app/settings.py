"""All settings, read once from the environment. Source: docs/reference/settings.md."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any

import msgspec

from landbridge.app.setting_checks import OFF, checks_by_name, is_guessable
from landbridge.customers.team.errors import PasswordWeak
from landbridge.customers.team.passwords import check_password
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.session_settings import Pooler
from landbridge.platform.encryption.key_wrapping import LOCAL
from landbridge.platform.orgs.model import Mode
from landbridge.providers.evm.signing.socket_path import SOCKET_FILE
from landbridge.providers.screening.model import OFAC_SDN

PREFIX = "LANDBRIDGE_"
# Where client libraries find the API; people export it in shells that run this program too.
CLIENT_URL = f"{PREFIX}URL"
# A year: older prices are of no use.
_PRICE_AGE_MAX_S = 366 * 24 * 3600
# A day: yesterday's market is of no use.
_FEED_AGE_MAX_S = 24 * 3600
# A day: the books of a day are proven on the next one at the latest.
_CHECKPOINT_EVERY_MAX_S = 24 * 3600
# Longer than any law requires.
_RETENTION_DAYS_MAX = 36_600
# Three months: older requests are found in the records.
_REQUEST_LOG_DAYS_MAX = 90
# Older events are found in the records and journals; each day is one table that has to be locked.
_EVENTS_DAYS_MAX = 90
# A petabyte.
_FILES_GB_MAX = 1_000_000
# More than any process can answer.
_RATE_MAX = 100_000
# With less, a stolen database gives its passwords away; OWASP's least.
_PASSWORD_MEMORY_MIN_KIB = 19_456
# The key of all examples in our pages.
_EXAMPLE_KEY = "a-key-of-my-own-choice-1234"


class SettingsInvalid(LandbridgeError):
    """A setting is invalid; the message names it."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One field per `LANDBRIDGE_*` variable, in lower case. Times are in seconds."""

    mode: Mode = Mode.SANDBOX
    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 8080
    public_url: str | None = None
    data_dir: str = ".landbridge"
    database_url: str | None = None
    pooler_url: str | None = None
    pooler_statements: str = "kept"
    read_database_url: str | None = None
    api_processes: Annotated[int, msgspec.Meta(ge=1, le=32)] = 1
    pool_size: Annotated[int, msgspec.Meta(ge=4, le=100)] = 12
    master_key: str | None = None
    master_key_wrap: str = LOCAL
    chains_file: str | None = None
    signer_socket: str | None = None
    files: str | None = None
    files_endpoint: str | None = None
    screening_score: Annotated[int, msgspec.Meta(ge=50, le=100)] = 88
    screening_lists: str = OFAC_SDN
    terms_version: Annotated[str, msgspec.Meta(min_length=1, max_length=50)] = "1"
    unsupported_countries: str | None = None
    unsupported_us_states: str | None = None
    identity: str | None = None
    deposit_screening: str | None = None
    payment_screening: str | None = None
    travel_rule: str = "off"
    trp_certificate: str | None = None
    trp_proxy_secret: str | None = None
    rails: str | None = None
    providers_file: str | None = None
    bank_files_kept_days: Annotated[int, msgspec.Meta(ge=30, le=_RETENTION_DAYS_MAX)] = 2192
    smtp_url: str | None = None
    mail_from: str | None = None
    api_key: str | None = None
    admin_email: str | None = None
    admin_password: str | None = None
    password_memory_kib: Annotated[int, msgspec.Meta(ge=1024, le=1_048_576)] = 65_536
    trusted_proxies: str | None = None
    connections_per_address: Annotated[int, msgspec.Meta(ge=16, le=800)] = 256
    rate_per_key: Annotated[int, msgspec.Meta(ge=0, le=_RATE_MAX)] = 2000
    rate_per_org: Annotated[int, msgspec.Meta(ge=0, le=_RATE_MAX)] = 4000
    rate_per_address: Annotated[int, msgspec.Meta(ge=0, le=_RATE_MAX)] = 100
    files_per_org_gb: Annotated[int, msgspec.Meta(ge=0, le=_FILES_GB_MAX)] = 100
    price_age_max_s: Annotated[int, msgspec.Meta(ge=1, le=_PRICE_AGE_MAX_S)] = 3600
    reference_rates: str | None = None
    price_feed: str | None = None
    price_feed_age_max_s: Annotated[int, msgspec.Meta(ge=15, le=_FEED_AGE_MAX_S)] = 120
    price_spreads: str | None = None
    peg_bound_percent: Decimal = Decimal(1)
    review_above_usd: Decimal | None = None
    reconciliation_tolerance: Decimal = Decimal(0)
    reconciliation_halt_above: Decimal | None = None
    unmatched_deposits: str | None = None
    require_registered_wallets: bool = True
    webhooks: str = "on"
    loopback_webhooks: str | None = None
    events_kept_days: Annotated[int, msgspec.Meta(ge=3, le=_EVENTS_DAYS_MAX)] = 30
    request_log_days: Annotated[int, msgspec.Meta(ge=0, le=_REQUEST_LOG_DAYS_MAX)] = 7
    checkpoints_dir: str | None = None
    checkpoint_every_s: Annotated[int, msgspec.Meta(ge=10, le=_CHECKPOINT_EVERY_MAX_S)] = 3600
    metrics_token: str | None = None
    unknown_names: str = "report"
    log_format: str | None = None
    log_level: str = "info"

    @property
    def folder(self) -> Path:
        """The data directory."""
        return Path(self.data_dir)

    @property
    def pooler(self) -> Pooler | None:
        """The pooler between processes and database, if there is one."""
        if self.pooler_url is None:
            return None
        return Pooler(keeps_statements=self.pooler_statements == "kept")

    @property
    def signer_path(self) -> Path:
        """Socket of the signer of EVM transactions."""
        return Path(self.signer_socket or self.folder / SOCKET_FILE)

    @property
    def has_own_signer(self) -> bool:
        """Whether `serve` starts the signer: if chains are configured, and no socket of another."""
        return self.chains_file is not None and self.signer_socket is None

    @property
    def proxies(self) -> list[str]:
        """Addresses and networks of trusted proxies, whose forwarding headers count."""
        return [each.strip() for each in (self.trusted_proxies or "").split(",") if each.strip()]

    @property
    def base_url(self) -> str:
        """Base URL of links to our own pages."""
        return (self.public_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def is_https(self) -> bool:
        """Whether clients reach the server by https, which a proxy before it decrypts."""
        return self.base_url.startswith("https:")

    @property
    def bank(self) -> str:
        """Which rails move fiat: the sandbox's bank, files, or none."""
        return self.rails or ("sandbox" if self.mode is Mode.SANDBOX else "none")

    @property
    def holds_unmatched(self) -> bool:
        """Whether an unmatched deposit waits for a person, instead of being returned."""
        default = "hold" if self.bank == "files" else "return"
        return (self.unmatched_deposits or default) == "hold"

    @property
    def bank_file_retention(self) -> timedelta:
        """How long the content of files sent to a bank is kept."""
        return timedelta(days=self.bank_files_kept_days)

    @property
    def delivers_webhooks(self) -> bool:
        """Whether workers deliver webhooks; a copy of a production database must not."""
        return self.webhooks != OFF

    @property
    def allows_loopback_webhooks(self) -> bool:
        """Whether tenants may register endpoints on this machine: only if it is not shared."""
        if self.mode is Mode.PRODUCTION:
            return False
        if self.loopback_webhooks is not None:
            return self.loopback_webhooks != OFF
        return _is_loopback(self.host)

    @property
    def event_retention(self) -> timedelta:
        """How long events can be read and redelivered, and deliveries inspected."""
        return timedelta(days=self.events_kept_days)

    @property
    def request_log_retention(self) -> timedelta:
        """How long requests are kept; zero disables the request log."""
        return timedelta(days=self.request_log_days)

    @property
    def checkpoints_folder(self) -> Path | None:
        """Folder that checkpoints are published to."""
        return None if self.checkpoints_dir is None else Path(self.checkpoints_dir)

    @property
    def checkpoint_every(self) -> timedelta:
        """How often the books of an organisation get a checkpoint while they change."""
        return timedelta(seconds=self.checkpoint_every_s)

    @property
    def price_age_max(self) -> timedelta:
        """Maximum age of a price that is quoted."""
        return timedelta(seconds=self.price_age_max_s)

    @property
    def price_feed_age_max(self) -> timedelta:
        """Maximum age of a market observation that is quoted."""
        return timedelta(seconds=self.price_feed_age_max_s)


def read(
    environ: Mapping[str, str] = os.environ, *, needs_database: bool = False, **options: Any
) -> Settings:
    """Read the settings from `environ`; `options` of the command line override them.

    Raises `SettingsInvalid` with a sentence for each unknown, invalid or missing setting, at once.
    A setting with `_FILE` behind its name is read from that file. A process that brings no database
    needs one.
    """
    known = {each.name: each.type for each in msgspec.structs.fields(Settings)}
    values: dict[str, Any] = {}
    problems: list[str] = []
    for variable, text in environ.items():
        if not variable.startswith(PREFIX) or variable == CLIENT_URL:
            continue
        name = variable.removeprefix(PREFIX).lower()
        try:
            if name not in known:
                name, text = name.removesuffix("_file"), _content(variable, text, environ)  # noqa: PLW2901  the file's
            values[name] = msgspec.convert(text, known[name], strict=False)
        except msgspec.ValidationError as error:
            # The value stays out of the message: it may be a secret.
            problems.append(f"{variable}: {_lower(str(error))}.")
        except SettingsInvalid as error:
            problems.append(str(error))
    settings = Settings(**{**values, **options})
    if needs_database and settings.database_url is None:
        problems.append(
            f"{PREFIX}DATABASE_URL is required; only `landbridge serve` brings a database."
        )
    return check(settings, problems)


def _content(variable: str, path: str, environ: Mapping[str, str]) -> str:
    """Return what the file of a setting contains, as secrets of containers are given."""
    plain = variable.removesuffix("_FILE")
    if plain == variable or plain.removeprefix(PREFIX).lower() not in Settings.__struct_fields__:
        names = ", ".join(sorted(PREFIX + each.upper() for each in Settings.__struct_fields__))
        raise SettingsInvalid(f"{variable} is not a setting. There are: {names}.")
    if plain in environ:
        raise SettingsInvalid(f"{plain} and {variable} exclude each other: set one.")
    try:
        return Path(path).read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsInvalid(f"The file of {variable} can't be read: {error}.") from error


def check(settings: Settings, problems: Sequence[str] = ()) -> Settings:
    """Check the rules that types cannot express; return the settings.

    Raises `SettingsInvalid` with the `problems` found before and those found here, one a line.
    """
    found = [*problems, *_invalid_values(settings), *_invalid_combinations(settings)]
    if found:
        raise SettingsInvalid("\n".join(found))
    return settings


def _invalid_values(settings: Settings) -> Iterator[str]:
    is_wrapped = settings.master_key_wrap != LOCAL
    for name, check_value in checks_by_name(is_wrapped=is_wrapped).items():
        value = getattr(settings, name)
        if value is not None:
            try:
                check_value(value)
            except ValueError as error:
                yield f"{PREFIX}{name.upper()} {error}."


def _invalid_combinations(settings: Settings) -> Iterator[str]:
    if (settings.smtp_url is None) != (settings.mail_from is None):
        yield f"{PREFIX}SMTP_URL and {PREFIX}MAIL_FROM belong together: set both."
    if settings.master_key_wrap != LOCAL and settings.master_key is None:
        yield f"{PREFIX}MASTER_KEY_WRAP needs {PREFIX}MASTER_KEY."
    if settings.pooler_url is not None and settings.database_url is None:
        yield f"{PREFIX}POOLER_URL needs {PREFIX}DATABASE_URL."
    if settings.read_database_url is not None and settings.database_url is None:
        yield f"{PREFIX}READ_DATABASE_URL needs {PREFIX}DATABASE_URL."
    yield from _weak_password(settings)
    if settings.mode is Mode.PRODUCTION:
        yield from _not_for_production(settings)


def _weak_password(settings: Settings) -> Iterator[str]:
    if settings.admin_password is not None:
        try:
            check_password(settings.admin_password, email=settings.admin_email or "")
        except PasswordWeak as error:
            yield f"{PREFIX}ADMIN_PASSWORD is refused: {error}"


def _not_for_production(settings: Settings) -> Iterator[str]:
    for name in ("identity", "rails", "deposit_screening", "payment_screening"):
        if getattr(settings, name) == "sandbox":
            yield f"{PREFIX}{name.upper()} is not for production if it says sandbox."
    if settings.loopback_webhooks == "on":
        yield f"{PREFIX}LOOPBACK_WEBHOOKS is not for production if it says on."
    if settings.password_memory_kib < _PASSWORD_MEMORY_MIN_KIB:
        yield (
            f"{PREFIX}PASSWORD_MEMORY_KIB must be at least {_PASSWORD_MEMORY_MIN_KIB} "
            "in production."
        )
    if settings.api_key == _EXAMPLE_KEY:
        yield f"{PREFIX}API_KEY is that of our examples, so anybody knows it: make a random one."
    for name in ("api_key", "trp_proxy_secret"):
        secret: str | None = getattr(settings, name)
        if secret is not None and is_guessable(secret):
            yield f"{PREFIX}{name.upper()} repeats a few characters, so anybody can guess it."
    if settings.master_key is None:
        yield (
            f"{PREFIX}MASTER_KEY is required in production: 32 random bytes in base64. "
            "It opens personal data and wallet seeds; keep it apart from the database and its "
            "backups."
        )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _lower(text: str) -> str:
    return (text[:1].lower() + text[1:]).replace("`", "")
