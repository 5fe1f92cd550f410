"""Checks of single settings; each raises `ValueError` with the end of a sentence about it."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from typing import Any
from urllib.parse import urlsplit

from landbridge.customers.users.country_policy import check_codes, codes
from landbridge.platform.db.sealing import check_sealing_key, keys_from_text, wrapped_keys_from_text
from landbridge.platform.encryption.key_wrapping import wrapping_from_text
from landbridge.platform.files import s3
from landbridge.platform.http.trusted_certificates import client_certificates
from landbridge.platform.http.unknown_names import REFUSE
from landbridge.platform.mail import smtp
from landbridge.platform.orgs.model import check_secret
from landbridge.providers.rates.fetching import check_location
from landbridge.providers.rates.spreads import read_spreads
from landbridge.providers.screening.model import required_lists

# Value that switches a setting off.
OFF = "off"
# Proxies have less of all addresses: the private networks have 0.4 %, fc00::/7 has 0.8 %.
_TRUSTED_PART_MAX = 16
_MAPPED = IPv6Network("::ffff:0:0/96")
_DISTINCT_MIN = 8
# Of every coin.
_SMALLEST_UNIT, _COINS_MAX = Decimal("0.000001"), 1_000_000_000
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
        "metrics_token": _metrics_token,
        "admin_email": _email,
        "database_url": _database_url,
        "pooler_url": _database_url,
        "read_database_url": _database_url,
        "pooler_statements": _one_of("kept", "lost"),
        "public_url": _public_url,
        "files": _files,
        "files_endpoint": _public_url,
        "smtp_url": smtp.check_url,
        "mail_from": smtp.check_sender,
        "identity": _one_of("sandbox", "manual"),
        "screening_lists": required_lists,
        "deposit_screening": _one_of("sandbox"),
        "payment_screening": _one_of("sandbox"),
        "travel_rule": _one_of("on", OFF),
        "trp_certificate": _certificate,
        "trp_proxy_secret": check_secret,
        "rails": _one_of("sandbox", "files", "none"),
        "trusted_proxies": _networks,
        "log_format": _one_of("console", "json"),
        "unsupported_countries": _countries,
        "unsupported_us_states": _us_states,
        "review_above_usd": _amount,
        "reconciliation_tolerance": _coins,
        "reconciliation_halt_above": _coins,
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
    def check(value: str) -> None:
        try:
            if is_wrapped:
                wrapped_keys_from_text(value)
            else:
                check_sealing_key(keys_from_text(value))
        except ValueError as error:
            raise ValueError(f"is refused: {str(error).removesuffix('.')}") from None

    return check


def _certificate(value: str) -> None:
    try:
        client_certificates(value)
    except (OSError, ValueError):
        raise ValueError("must name a PEM file with a certificate and its key") from None


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


def _coins(value: Decimal) -> None:
    _amount(value)
    if value > _COINS_MAX or value != value.quantize(_SMALLEST_UNIT):
        raise ValueError(f"must be at most {_COINS_MAX}, with at most six decimals")


def _peg_bound(value: Decimal) -> None:
    # Below the first bound normal market noise would stop quotes; above the last nothing would.
    if not value.is_finite() or not Decimal("0.05") <= value <= Decimal(20):
        raise ValueError("must be a percentage from 0.05 to 20")


def _metrics_token(value: str) -> None:
    check_secret(value)
    if is_guessable(value):
        raise ValueError("repeats a few characters, so anybody can guess it")


def is_guessable(secret: str) -> bool:
    """Return whether a secret repeats a few characters."""
    return len(set(secret)) < _DISTINCT_MIN


def _networks(value: str) -> None:
    try:
        found = [ip_network(each) for each in filter(None, map(str.strip, value.split(",")))]
    except ValueError:
        raise ValueError("must be addresses or networks, as in 10.0.0.7,10.1.0.0/16") from None
    of_v4 = [each for each in map(_without_mapping, found) if isinstance(each, IPv4Network)]
    of_v6 = [each for each in found if isinstance(each, IPv6Network)]
    counts = (
        (sum(each.num_addresses for each in collapse_addresses(of_v4)), 1 << 32),
        (sum(each.num_addresses for each in collapse_addresses(of_v6)), 1 << 128),
    )
    if any(count * _TRUSTED_PART_MAX > of_all for count, of_all in counts):
        raise ValueError(
            "must be your proxies only: anybody in these networks could say who they are, and they "
            f"have more than one of {_TRUSTED_PART_MAX} addresses"
        )


def _without_mapping(network: IPv4Network | IPv6Network) -> IPv4Network | IPv6Network:
    """Return the IPv4 network that an IPv4-mapped one stands for, and any other as it is."""
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        first = int(network.network_address) - int(_MAPPED.network_address)
        return IPv4Network((first, network.prefixlen - _MAPPED.prefixlen))
    return network


def _countries(value: str) -> None:
    check_codes(countries=codes(value), us_states=())


def _us_states(value: str) -> None:
    check_codes(countries=(), us_states=codes(value))


def _one_of(*allowed: str) -> Any:
    def check(value: str) -> None:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")

    return check
