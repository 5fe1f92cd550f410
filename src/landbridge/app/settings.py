"""All settings, read once from the environment. Source: docs/reference/settings.md."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from landbridge.customers.users.country_policy import check_codes, codes
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.sealing import keys_from_text, wrapped_keys_from_text
from landbridge.platform.db.session_settings import Pooler
from landbridge.platform.encryption.key_wrapping import LOCAL, wrapping_from_text
from landbridge.platform.files import s3
from landbridge.platform.mail import smtp
from landbridge.platform.orgs.model import Mode, check_secret
from landbridge.providers.evm.signing.socket_path import SOCKET_FILE
from landbridge.providers.rates.fetching import check_location
from landbridge.providers.rates.spreads import read_spreads

PREFIX = "LANDBRIDGE_"
_PASSWORD_LENGTH_MIN = 12
# A year: older prices are of no use.
_PRICE_AGE_MAX_S = 366 * 24 * 3600
# A day: yesterday's market is of no use.
_FEED_AGE_MAX_S = 24 * 3600
# Longer than any law requires.
_RETENTION_DAYS_MAX = 36_600
# Three months: older requests are found in the records.
_REQUEST_LOG_DAYS_MAX = 90
# Older events are found in the records and journals; each day is one table that has to be locked.
_EVENTS_DAYS_MAX = 90
# More than any process can answer.
_RATE_MAX = 100_000
# Values that switch a setting off.
OFF = "off"


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
    api_processes: Annotated[int, msgspec.Meta(ge=1, le=32)] = 1
    pool_size: Annotated[int, msgspec.Meta(ge=4, le=100)] = 12
    master_key: str | None = None
    master_key_wrap: str = LOCAL
    chains_file: str | None = None
    signer_socket: str | None = None
    files: str | None = None
    files_endpoint: str | None = None
    screening_score: Annotated[int, msgspec.Meta(ge=50, le=100)] = 88
    terms_version: Annotated[str, msgspec.Meta(min_length=1, max_length=50)] = "1"
    unsupported_countries: str | None = None
    unsupported_us_states: str | None = None
    identity: str | None = None
    rails: str | None = None
    providers_file: str | None = None
    bank_files_kept_days: Annotated[int, msgspec.Meta(ge=30, le=_RETENTION_DAYS_MAX)] = 2192
    smtp_url: str | None = None
    mail_from: str | None = None
    api_key: str | None = None
    admin_email: str | None = None
    admin_password: str | None = None
    trusted_proxies: str | None = None
    connections_per_address: Annotated[int, msgspec.Meta(ge=16, le=800)] = 256
    rate_per_key: Annotated[int, msgspec.Meta(ge=0, le=_RATE_MAX)] = 2000
    rate_per_org: Annotated[int, msgspec.Meta(ge=0, le=_RATE_MAX)] = 4000
    rate_per_address: Annotated[int, msgspec.Meta(ge=0, le=_RATE_MAX)] = 100
    price_age_max_s: Annotated[int, msgspec.Meta(ge=1, le=_PRICE_AGE_MAX_S)] = 3600
    reference_rates: str | None = None
    price_feed: str | None = None
    price_feed_age_max_s: Annotated[int, msgspec.Meta(ge=15, le=_FEED_AGE_MAX_S)] = 120
    price_spreads: str | None = None
    peg_bound_percent: Decimal = Decimal(1)
    review_above_usd: Decimal | None = None
    unmatched_deposits: str | None = None
    require_registered_wallets: bool = True
    webhooks: str = "on"
    loopback_webhooks: str | None = None
    events_kept_days: Annotated[int, msgspec.Meta(ge=3, le=_EVENTS_DAYS_MAX)] = 30
    request_log_days: Annotated[int, msgspec.Meta(ge=0, le=_REQUEST_LOG_DAYS_MAX)] = 7
    metrics_token: str | None = None
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
        if not variable.startswith(PREFIX):
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
    checks: list[tuple[str, Any, Any]] = [
        ("host", settings.host, _host),
        ("data_dir", settings.data_dir, _data_dir),
        ("master_key_wrap", settings.master_key_wrap, wrapping_from_text),
        ("master_key", settings.master_key, _master_key(is_wrapped=is_wrapped)),
        ("chains_file", settings.chains_file, _path),
        ("providers_file", settings.providers_file, _path),
        ("signer_socket", settings.signer_socket, _path),
        ("api_key", settings.api_key, check_secret),
        ("metrics_token", settings.metrics_token, check_secret),
        ("admin_email", settings.admin_email, _email),
        ("admin_password", settings.admin_password, _password),
        ("database_url", settings.database_url, _database_url),
        ("pooler_url", settings.pooler_url, _database_url),
        ("pooler_statements", settings.pooler_statements, _one_of("kept", "lost")),
        ("public_url", settings.public_url, _public_url),
        ("files", settings.files or None, s3.check_url),
        ("files_endpoint", settings.files_endpoint, _public_url),
        ("smtp_url", settings.smtp_url, smtp.check_url),
        ("mail_from", settings.mail_from, smtp.check_sender),
        ("identity", settings.identity, _one_of("sandbox", "manual")),
        ("rails", settings.rails, _one_of("sandbox", "files", "none")),
        ("trusted_proxies", settings.proxies, _networks),
        ("log_format", settings.log_format, _one_of("console", "json")),
        ("unsupported_countries", settings.unsupported_countries, _countries),
        ("unsupported_us_states", settings.unsupported_us_states, _us_states),
        ("review_above_usd", settings.review_above_usd, _amount),
        ("reference_rates", settings.reference_rates, check_location),
        ("price_feed", settings.price_feed, check_location),
        ("price_spreads", settings.price_spreads, read_spreads),
        ("peg_bound_percent", settings.peg_bound_percent, _peg_bound),
        ("unmatched_deposits", settings.unmatched_deposits, _one_of("hold", "return")),
        ("webhooks", settings.webhooks, _one_of("on", OFF)),
        ("loopback_webhooks", settings.loopback_webhooks, _one_of("on", OFF)),
        ("log_level", settings.log_level, _one_of("debug", "info", "warning", "error")),
    ]
    for name, value, check_value in checks:
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
    if settings.mode is not Mode.PRODUCTION:
        return
    if settings.identity == "sandbox":
        yield f"{PREFIX}IDENTITY is not for production if it says sandbox."
    if settings.loopback_webhooks == "on":
        yield f"{PREFIX}LOOPBACK_WEBHOOKS is not for production if it says on."
    if settings.rails == "sandbox":
        yield f"{PREFIX}RAILS is not for production if it says sandbox."
    if settings.master_key is None:
        yield (
            f"{PREFIX}MASTER_KEY is required in production: 32 random bytes in base64. "
            "It opens personal data and wallet seeds; keep it apart from the database and its "
            "backups."
        )


def _master_key(*, is_wrapped: bool) -> Callable[[str], object]:
    return wrapped_keys_from_text if is_wrapped else keys_from_text


def _host(value: str) -> None:
    # An empty host would mean every address of the machine.
    if not value.strip():
        raise ValueError("is empty; 0.0.0.0 listens on every address")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _data_dir(value: str) -> None:
    if not value.strip():
        raise ValueError("is empty; leave it out for .landbridge")


def _path(value: str) -> None:
    if not value.strip():
        raise ValueError("is empty; leave it out")


def _email(value: str) -> None:
    name, _, domain = value.partition("@")
    if not name or "." not in domain:
        raise ValueError("is not an e-mail address")


def _password(value: str) -> None:
    if len(value) < _PASSWORD_LENGTH_MIN:
        raise ValueError(f"must have at least {_PASSWORD_LENGTH_MIN} characters")


def _database_url(value: str) -> None:
    if urlsplit(value).scheme not in {"postgresql", "postgres"}:
        raise ValueError("must begin with postgresql://")


def _public_url(value: str) -> None:
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ValueError("must be an http or https URL")


def _amount(value: Decimal) -> None:
    if not value.is_finite() or value < 0:
        raise ValueError("must be an amount of 0 or more")


def _peg_bound(value: Decimal) -> None:
    # Below the first bound normal market noise would stop quotes; above the last nothing would.
    if not value.is_finite() or not Decimal("0.05") <= value <= Decimal(20):
        raise ValueError("must be a percentage from 0.05 to 20")


def _networks(values: list[str]) -> None:
    for value in values:
        try:
            network = ip_network(value)
        except ValueError:
            raise ValueError("must be addresses or networks, as in 10.0.0.7,10.1.0.0/16") from None
        if network.prefixlen == 0:
            raise ValueError("must not be everybody: anybody could say who they are")


def _countries(value: str) -> None:
    check_codes(countries=codes(value), us_states=())


def _us_states(value: str) -> None:
    check_codes(countries=(), us_states=codes(value))


def _one_of(*allowed: str) -> Any:
    def check(value: str) -> None:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")

    return check


def _lower(text: str) -> str:
    return (text[:1].lower() + text[1:]).replace("`", "")
