"""Checks of single settings; each raises `ValueError` with the end of a sentence about it."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlsplit

from landbridge.customers.users.country_policy import check_codes, codes
from landbridge.platform.db.sealing import keys_from_text, wrapped_keys_from_text
from landbridge.platform.encryption.key_wrapping import wrapping_from_text
from landbridge.platform.files import s3
from landbridge.platform.http.unknown_names import REFUSE
from landbridge.platform.mail import smtp
from landbridge.platform.orgs.model import check_secret
from landbridge.providers.rates.fetching import check_location
from landbridge.providers.rates.spreads import read_spreads

# Value that switches a setting off.
OFF = "off"
_PASSWORD_LENGTH_MIN = 12
_PUBLIC_URL = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(/[\w./~-]*)?", re.ASCII)


def checks_by_name(*, is_wrapped: bool) -> Mapping[str, Callable[[Any], object]]:
    """Return the check of each setting; `is_wrapped` says that the master key is."""
    return {
        "host": _host,
        "data_dir": _data_dir,
        "master_key_wrap": wrapping_from_text,
        "master_key": _master_key(is_wrapped=is_wrapped),
        "chains_file": _path,
        "checkpoints_dir": _path,
        "providers_file": _path,
        "signer_socket": _path,
        "api_key": check_secret,
        "metrics_token": check_secret,
        "admin_email": _email,
        "admin_password": _password,
        "database_url": _database_url,
        "pooler_url": _database_url,
        "pooler_statements": _one_of("kept", "lost"),
        "public_url": _public_url,
        "files": _files,
        "files_endpoint": _public_url,
        "smtp_url": smtp.check_url,
        "mail_from": smtp.check_sender,
        "identity": _one_of("sandbox", "manual"),
        "rails": _one_of("sandbox", "files", "none"),
        "trusted_proxies": _networks,
        "log_format": _one_of("console", "json"),
        "unsupported_countries": _countries,
        "unsupported_us_states": _us_states,
        "review_above_usd": _amount,
        "reference_rates": check_location,
        "price_feed": check_location,
        "price_spreads": read_spreads,
        "peg_bound_percent": _peg_bound,
        "unmatched_deposits": _one_of("hold", "return"),
        "webhooks": _one_of("on", OFF),
        "loopback_webhooks": _one_of("on", OFF),
        "unknown_names": _one_of("report", REFUSE),
        "log_level": _one_of("debug", "info", "warning", "error"),
    }


def _master_key(*, is_wrapped: bool) -> Callable[[str], object]:
    return wrapped_keys_from_text if is_wrapped else keys_from_text


def _host(value: str) -> None:
    # An empty host would mean every address of the machine.
    if not value.strip():
        raise ValueError("is empty; 0.0.0.0 listens on every address")


def _data_dir(value: str) -> None:
    if not value.strip():
        raise ValueError("is empty; leave it out for .landbridge")


def _files(value: str) -> None:
    # Empty means files in the data directory.
    if value:
        s3.check_url(value)


def _path(value: str) -> None:
    if not value.strip():
        raise ValueError("is empty; leave it out")


def _email(value: str) -> None:
    name, _, domain = value.partition("@")
    if not name or "." not in domain or not value.isprintable() or set(value) & set(' <>,"'):
        raise ValueError("is not an e-mail address")


def _password(value: str) -> None:
    if len(value) < _PASSWORD_LENGTH_MIN:
        raise ValueError(f"must have at least {_PASSWORD_LENGTH_MIN} characters")


def _database_url(value: str) -> None:
    if urlsplit(value).scheme not in {"postgresql", "postgres"}:
        raise ValueError("must begin with postgresql://")


def _public_url(value: str) -> None:
    # Links are appended to it, and cookies are secure if it begins with https.
    if not _PUBLIC_URL.fullmatch(value):
        raise ValueError("must be an http or https URL: a host, perhaps a port and a path")


def _amount(value: Decimal) -> None:
    if not value.is_finite() or value < 0:
        raise ValueError("must be an amount of 0 or more")


def _peg_bound(value: Decimal) -> None:
    # Below the first bound normal market noise would stop quotes; above the last nothing would.
    if not value.is_finite() or not Decimal("0.05") <= value <= Decimal(20):
        raise ValueError("must be a percentage from 0.05 to 20")


def _networks(value: str) -> None:
    for each in filter(None, map(str.strip, value.split(","))):
        try:
            network = ip_network(each)
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
