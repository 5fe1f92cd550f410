"""Settings of the Elliptic adapter: the operator decides what its documentation leaves open."""

import base64
import binascii
import re
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from landbridge.providers.packages.interface import (
    PackageSettings,
    PackageSettingsInvalid,
    RiskCategory,
)

_KEY = re.compile(r"[!-~]{8,200}")
_ASSET = re.compile(r"[A-Za-z0-9]{1,20}/[A-Z0-9_]{1,30}")
_SECRETS = {"api_key", "api_secret"}

_Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{1,60}/[A-Za-z0-9._-]{1,60}\Z")]
_Hash = Annotated[str, Meta(pattern=r"^[A-Za-z0-9]{20,128}\Z")]


class EllipticExample(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Transaction with its output address, and another address: Elliptic's answer is known.

    The contract suite has them screened in place of what it makes up.
    """

    transaction: _Hash
    output_address: _Hash
    address: _Hash


class EllipticTests(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the contract suite has screened for its test outcomes."""

    clear: EllipticExample
    hit: EllipticExample


class EllipticOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`options` of the providers file. Times in whole seconds."""

    base_url: str
    # Risk score from which a screening is a hit; below it, and without a score, it is clear.
    hit_score: Annotated[float, Meta(ge=0, le=10)]
    # What a payment to an address is that Elliptic does not know on any blockchain.
    unknown_address: Literal["wait", "hit", "clear"]
    # Elliptic's names of the coins to screen, by `currency/CHAIN` as payments name them.
    assets: Annotated[dict[str, _Name], Meta(min_length=1, max_length=100)]
    # What a hit is about, by the id of Elliptic's category: names of categories can change.
    categories: dict[UUID, RiskCategory] = msgspec.field(default_factory=dict[UUID, RiskCategory])
    test: EllipticTests | None = None
    timeout_s: Annotated[int, Meta(ge=1, le=30)] = 8


class EllipticSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Valid settings. Neither the key nor the secret shows in a text of it."""

    options: EllipticOptions
    api_key: str
    api_secret: bytes

    def __repr__(self) -> str:
        return f"EllipticSettings({self.options.base_url})"


def read_settings(settings: PackageSettings) -> EllipticSettings:
    """Return valid settings; raises `PackageSettingsInvalid` with a sentence without secrets."""
    options = settings.read_options(EllipticOptions)
    if not all(_ASSET.fullmatch(each) for each in options.assets):
        raise PackageSettingsInvalid("assets are named currency/CHAIN, for example usdc/ETHEREUM")
    settings.check_secret_names(_SECRETS)
    api_key = settings.secrets.get("api_key", "").strip()
    if not _KEY.fullmatch(api_key):
        raise PackageSettingsInvalid("secret_files must have api_key, without spaces")
    return EllipticSettings(
        options=options,
        api_key=api_key,
        api_secret=_secret(settings.secrets.get("api_secret", "").strip()),
    )


def _secret(text: str) -> bytes:
    """Return the bytes of a secret, which Elliptic gives in base64."""
    try:
        secret = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        secret = b""
    if not secret:
        raise PackageSettingsInvalid("secret_files must have api_secret, in base64")
    return secret
