"""All settings, read once from the environment. Source: docs/reference/settings.md."""

import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from landbridge.core.errors import LandbridgeError
from landbridge.db.sealing import key_from_text
from landbridge.orgs.model import Mode, check_secret

PREFIX = "LANDBRIDGE_"
_PASSWORD_LENGTH_MIN = 12


class SettingsInvalid(LandbridgeError):
    """A setting is wrong; the message names it."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One member per `LANDBRIDGE_*` variable, in lower case. Times are in seconds."""

    mode: Mode = Mode.SANDBOX
    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 8080
    public_url: str | None = None
    data_dir: str = ".landbridge"
    database_url: str | None = None
    api_processes: Annotated[int, msgspec.Meta(ge=1, le=32)] = 1
    pool_size: Annotated[int, msgspec.Meta(ge=4, le=100)] = 12
    master_key: str | None = None
    api_key: str | None = None
    admin_email: str | None = None
    admin_password: str | None = None
    price_age_max_s: Annotated[int, msgspec.Meta(ge=1)] = 3600
    log_format: str | None = None
    log_level: str = "info"

    @property
    def folder(self) -> Path:
        """Where everything that has to be kept is."""
        return Path(self.data_dir)

    @property
    def base_url(self) -> str:
        """What links to our own pages begin with."""
        return (self.public_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def price_age_max(self) -> timedelta:
        """How old a price may be to be quoted."""
        return timedelta(seconds=self.price_age_max_s)


def read(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings in `environ`; raises `SettingsInvalid` for one that is wrong or unknown."""
    told = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in environ.items()
        if name.startswith(PREFIX)
    }
    known = set(Settings.__struct_fields__)
    for name in told:
        if name not in known:
            raise SettingsInvalid(
                f"{PREFIX}{name.upper()} is not a setting. "
                f"There are: {', '.join(sorted(PREFIX + each.upper() for each in known))}."
            )
    values: dict[str, Any] = {}
    for name, value in told.items():
        values[name] = _converted(name, value)
    settings = Settings(**values)
    _check(settings)
    return settings


def _converted(name: str, value: str) -> Any:
    field = next(each for each in msgspec.structs.fields(Settings) if each.name == name)
    try:
        return msgspec.convert(value, field.type, strict=False)
    except msgspec.ValidationError as error:
        # The value stays out of the sentence: it may be a secret.
        raise SettingsInvalid(f"{PREFIX}{name.upper()}: {_lower(str(error))}.") from error


def _check(settings: Settings) -> None:
    """What a type can't say."""
    checks: list[tuple[str, Any, Any]] = [
        ("master_key", settings.master_key, key_from_text),
        ("api_key", settings.api_key, check_secret),
        ("admin_email", settings.admin_email, _email),
        ("admin_password", settings.admin_password, _password),
        ("database_url", settings.database_url, _database_url),
        ("public_url", settings.public_url, _public_url),
        ("log_format", settings.log_format, _one_of("console", "json")),
        ("log_level", settings.log_level, _one_of("debug", "info", "warning", "error")),
    ]
    for name, value, check in checks:
        if value is not None:
            try:
                check(value)
            except ValueError as error:
                raise SettingsInvalid(f"{PREFIX}{name.upper()} {error}.") from error
    if settings.mode is Mode.PRODUCTION and settings.master_key is None:
        raise SettingsInvalid(
            f"{PREFIX}MASTER_KEY is required in production: 32 random bytes in base64. "
            "It opens the wallet seeds; keep it apart from the database and its backups."
        )


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


def _one_of(*allowed: str) -> Any:
    def check(value: str) -> None:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")

    return check


def _lower(text: str) -> str:
    return (text[:1].lower() + text[1:]).replace("`", "")
