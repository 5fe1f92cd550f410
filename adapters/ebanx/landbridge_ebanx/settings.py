"""Settings of the EBANX adapter: what its documentation leaves open is decided by the operator."""

import re
from typing import Annotated

import msgspec
from cryptography import x509
from msgspec import Meta

from landbridge.providers.packages.interface import (
    FailureCode,
    PackageSettings,
    PackageSettingsInvalid,
)
from landbridge_ebanx.messages import DUPLICATE_CODE, REFUSALS

# docs.ebanx.com/docs/payout/createPayout/br/createPixPayoutBR has sandbox and production.
_PRODUCTION_HOST = "api.ebanxpay.com"
_CODE = re.compile(r"[A-Z0-9-]{1,40}")
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,190}")
_KEY = re.compile(r"[!-~]{8,200}")


class EbanxOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`options` of the providers file. Times in whole seconds."""

    base_url: str
    # Whether a payout that EBANX has as open is committed by us.
    commit: bool
    # Codes with which EBANX answers the query of a payout that it does not have.
    unknown_codes: Annotated[tuple[str, ...], Meta(min_length=1, max_length=10)]
    # Sent for payees without an e-mail address, which EBANX requires.
    payee_email: str | None = None
    # More codes of refusals than the documentation lists.
    refusals: dict[str, FailureCode] = msgspec.field(default_factory=dict[str, FailureCode])
    sandbox: bool = False
    timeout_s: Annotated[int, Meta(ge=1, le=30)] = 8


class EbanxSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Valid settings. Neither the key nor the certificate shows in a text of it."""

    options: EbanxOptions
    integration_key: str
    certificate: x509.Certificate | None

    def __repr__(self) -> str:
        return f"EbanxSettings({self.options.base_url})"

    @property
    def refusals(self) -> dict[str, FailureCode]:
        """Codes by which EBANX refuses a payout for good, and what they mean."""
        return {**REFUSALS, **self.options.refusals}


def read_settings(settings: PackageSettings) -> EbanxSettings:
    """Return valid settings; raises `PackageSettingsInvalid` with a sentence without secrets."""
    options = settings.read_options(EbanxOptions)
    _check_codes(options)
    if options.payee_email is not None and not _EMAIL.fullmatch(options.payee_email):
        raise PackageSettingsInvalid("payee_email is not an e-mail address")
    if options.sandbox and _PRODUCTION_HOST in options.base_url.lower():
        raise PackageSettingsInvalid("sandbox = true does not go with the address of production")
    settings.check_secret_names({"integration_key", "certificate"})
    key = settings.secrets.get("integration_key", "").strip()
    if not _KEY.fullmatch(key):
        raise PackageSettingsInvalid("secret_files must have integration_key, without spaces")
    return EbanxSettings(
        options=options,
        integration_key=key,
        certificate=_certificate(settings.secrets.get("certificate")),
    )


def _check_codes(options: EbanxOptions) -> None:
    codes = (*options.unknown_codes, *options.refusals)
    if not all(_CODE.fullmatch(code) for code in codes):
        raise PackageSettingsInvalid("codes have capital letters, digits and hyphens")
    if DUPLICATE_CODE in codes or set(options.unknown_codes) & {*REFUSALS, *options.refusals}:
        raise PackageSettingsInvalid("a code has one meaning: unknown_codes and refusals overlap")


def _certificate(text: str | None) -> x509.Certificate | None:
    if text is None:
        return None
    try:
        return x509.load_pem_x509_certificate(text.encode())
    except ValueError:
        raise PackageSettingsInvalid("certificate is not a certificate in PEM") from None
