"""Settings of an organisation's account at its bank.

They hold the holder, the supported rails and the file transport. `landbridge bank-files account`
sets them (docs/reference/bank-files.md), and they are stored encrypted.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import derived_id
from landbridge.platform.formats.addresses import find_alpha3
from landbridge.platform.formats.bank_numbers import (
    check_aba,
    check_bic,
    check_iban,
    check_us_account,
)
from landbridge.providers.rails.currencies import FIAT

# Rails of bank files by the currency of the account. SWIFT, for all currencies, is added.
_RAILS: Mapping[str, tuple[str, ...]] = {
    "usd": ("ach", "wire", "swift"),
    "eur": ("sepa", "sepaInstant", "swift"),
}
_DEFAULT_RAILS = ("swift",)

_DIGITS = re.compile(r"[0-9]+")
_FOLDERS = frozenset({"out", "in", "done", "refused", "control"})
_COUNTRY = re.compile(r"[A-Z]{2}")
_PREFIX = re.compile(r"[0-9A-Z]{0,24}")
# Digits of a generated account number: with fewer, a guessed number would often be in use.
_DIGITS_MIN, _DIGITS_MAX = 6, 17
_NUMBER_LENGTH_MAX = 34
_ODFI_LENGTH = 8
# Country and check digits of an IBAN (ISO 13616).
_IBAN_MODULUS, _IBAN_CHECK_MAX = 97, 98
_LEAD_MINUTES_MAX = 24 * 60
# Polling a local folder is free; banks limit how often their server is polled.
_FOLDER_POLL_S, _SERVER_POLL_S = 5, 300
_POLL_S_MAX = 24 * 60 * 60
# Field lengths in a NACHA file header.
_ORIGIN_LENGTH, _NAME_LENGTH, _COMPANY_LENGTH = 10, 23, 16


class AchSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """ACH settings from the bank: how files and batches name both sides.

    `prenotes` tests an account with a zero-amount entry before the first payment to it.
    """

    destination: str
    destination_name: str
    origin: str
    origin_name: str
    company_name: str
    company_id: str
    odfi: str | None = None
    description: str = "PAYOUT"
    prenotes: bool = False


class AccountNumberRange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Range of account numbers that the bank assigned for deposits.

    A number is `prefix` followed by `digits` digits; with a `country` it is an IBAN of that BBAN.
    """

    prefix: str
    digits: int
    country: str | None = None


class FundingAccountHolder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Account holder, with the address known to the bank; `country` has two letters."""

    name: str
    street: str
    town: str
    country: str
    postcode: str = ""

    @property
    def address(self) -> str:
        """Address on one line."""
        parts = (self.street, f"{self.postcode} {self.town}".strip(), self.country)
        return ", ".join(parts)


class FolderSettings(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="folder"
):
    """Folder of this machine, possibly mounted.

    `folders` maps out, in, done, refused and control to folder names that differ from the defaults
    `out`, `in`, `in/done`, `in/refused` and `control`. `poll_seconds` is the polling interval of
    `in`.
    """

    path: str
    folders: dict[str, str] = {}
    poll_seconds: int = _FOLDER_POLL_S


class SftpSettings(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="sftp"
):
    """SFTP server of the bank. `host_key` is its public key, for example `ssh-ed25519 AAAA…`.

    `folders` and `poll_seconds` are those of `FolderSettings`. Our credential is either
    `private_key` (OpenSSH, without a passphrase; stored encrypted) or `password`.
    """

    host: str
    user: str
    host_key: str
    path: str = "."
    port: int = 22
    private_key: str | None = None
    password: str | None = None
    folders: dict[str, str] = {}
    poll_seconds: int = _SERVER_POLL_S


TransportSettings: TypeAlias = FolderSettings | SftpSettings


class FundingAccount(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Account of an organisation in one currency, for payments and deposits.

    `initiator_id` identifies us to the bank in a pain.001. A file is due `lead_minutes` before the
    cut-off of its rail. If `reconciled`, the account's statements are compared with the ledger.
    """

    currency: str
    holder: FundingAccountHolder
    bank_name: str
    bank_address: str
    rails: tuple[str, ...]
    transport: TransportSettings
    iban: str | None = None
    account_number: str | None = None
    routing_number: str | None = None
    swift_code: str | None = None
    initiator_id: str | None = None
    lead_minutes: int = 30
    ach: AchSettings | None = None
    numbers: AccountNumberRange | None = None
    reconciled: bool = True

    @property
    def number(self) -> str:
        """Account number as it is on statements."""
        return self.iban or self.account_number or ""

    def is_number(self, number: str) -> bool:
        """Return whether a statement for this account number belongs to this account."""
        compact = re.sub(r"[\s-]", "", number).upper()
        # Some banks omit leading zeros.
        mine = {each.lstrip("0") for each in (self.iban, self.account_number) if each}
        return compact.lstrip("0") in mine


def deposit_number(settings: FundingAccount, seed: UUID) -> str | None:
    """Return a deposit number of the account's range, never the account's own number.

    Return None if the account has no range.
    """
    if settings.numbers is None:
        return None
    number = derive_number(settings.numbers, seed)
    if settings.is_number(number):
        # A collision has a chance of one in a million or less. A deposit to the account's own
        # number belongs to no user.
        number = derive_number(settings.numbers, derived_id(seed, "another"))
    return number


def derive_number(numbers: AccountNumberRange, seed: UUID) -> str:
    """Return an account number of the range; the same seed yields the same number."""
    digest = int.from_bytes(sha256(f"account/{seed}".encode()).digest())
    bban = f"{numbers.prefix}{digest % 10**numbers.digits:0{numbers.digits}d}"
    if numbers.country is None:
        return bban
    spelled = "".join(str(int(each, 36)) for each in f"{bban}{numbers.country}00")
    check = _IBAN_CHECK_MAX - int(spelled) % _IBAN_MODULUS
    return f"{numbers.country}{check:02d}{bban}"


def parse_toml(text: str) -> FundingAccount:
    """Parse an account from TOML; raises `FieldInvalid` with the invalid field."""
    try:
        settings = msgspec.toml.decode(text, type=FundingAccount)
    except msgspec.ValidationError as error:
        raise FieldInvalid(f"the account is not right: {_lower(str(error))}") from error
    except msgspec.DecodeError as error:
        # The library's message quotes the invalid line, which may contain a password.
        raise FieldInvalid("the account is not TOML") from error
    return checked(settings)


def checked(settings: FundingAccount) -> FundingAccount:
    """Return the account with canonical numbers; raises `FieldInvalid`, naming the field."""
    if settings.currency not in FIAT:
        raise FieldInvalid(f"currency must be one of {', '.join(FIAT)}", field="currency")
    supported_rails = _RAILS.get(settings.currency, _DEFAULT_RAILS)
    if not settings.rails or any(each not in supported_rails for each in settings.rails):
        raise FieldInvalid(
            f"rails must be some of {', '.join(supported_rails)} for {settings.currency}",
            field="rails",
        )
    if not 0 <= settings.lead_minutes <= _LEAD_MINUTES_MAX:
        raise FieldInvalid(f"lead_minutes must be 0 to {_LEAD_MINUTES_MAX}", field="lead_minutes")
    if (settings.iban is None) == (settings.account_number is None):
        raise FieldInvalid("one of iban and account_number is required", field="iban")
    for name in ("bank_name", "bank_address"):
        if not getattr(settings, name).strip():
            raise FieldInvalid(f"{name} must not be empty", field=name)
    for name in ("name", "street", "town"):
        if not getattr(settings.holder, name).strip():
            raise FieldInvalid(f"holder.{name} must not be empty", field=f"holder.{name}")
    if find_alpha3(settings.holder.country) is None:
        raise FieldInvalid(
            "holder.country must be two letters of ISO 3166-1", field="holder.country"
        )
    _check_rails(settings)
    _check_numbers(settings.numbers)
    _check_transport(settings.transport)
    return msgspec.structs.replace(settings, **_canonical(settings))


def _canonical(settings: FundingAccount) -> dict[str, Any]:
    checks = (
        ("iban", check_iban),
        (
            "account_number",
            check_us_account if settings.currency == "usd" else _check_account_number,
        ),
        ("routing_number", check_aba),
        ("swift_code", check_bic),
    )
    values = {name: (getattr(settings, name), check) for name, check in checks}
    return {
        name: check(name, value) for name, (value, check) in values.items() if value is not None
    }


def _check_rails(settings: FundingAccount) -> None:
    if "ach" in settings.rails:
        if settings.ach is None:
            raise FieldInvalid("ach is required to pay by ach", field="ach")
        _check_ach(settings.ach, settings.routing_number)
    if any(each.startswith("sepa") for each in settings.rails) and settings.iban is None:
        raise FieldInvalid("iban is required to pay by sepa", field="iban")
    if "wire" in settings.rails and settings.routing_number is None:
        raise FieldInvalid("routing_number is required to pay by wire", field="routing_number")
    if any(each != "ach" for each in settings.rails) and not (
        settings.swift_code or settings.routing_number
    ):
        raise FieldInvalid("swift_code or routing_number is required", field="swift_code")


def _check_ach(ach: AchSettings, routing_number: str | None) -> None:
    check_aba("ach.destination", ach.destination)
    if not _DIGITS.fullmatch(ach.odfi or "0") or len(ach.odfi or "0" * 8) != _ODFI_LENGTH:
        raise FieldInvalid(f"ach.odfi must have {_ODFI_LENGTH} digits", field="ach.odfi")
    if ach.odfi is None and routing_number is None:
        raise FieldInvalid("routing_number or ach.odfi is required", field="ach.odfi")
    lengths = (
        ("destination_name", _NAME_LENGTH),
        ("origin_name", _NAME_LENGTH),
        ("origin", _ORIGIN_LENGTH),
        ("company_name", _COMPANY_LENGTH),
        ("company_id", _ORIGIN_LENGTH),
        ("description", _ORIGIN_LENGTH),
    )
    for name, length_max in lengths:
        text = getattr(ach, name)
        if (
            not text.strip()
            or len(text) > length_max
            or not (text.isascii() and text.isprintable())
        ):
            raise FieldInvalid(
                f"ach.{name} must have 1 to {length_max} characters of ASCII", field=f"ach.{name}"
            )


def _check_numbers(numbers: AccountNumberRange | None) -> None:
    if numbers is None:
        return
    if not _PREFIX.fullmatch(numbers.prefix):
        raise FieldInvalid("numbers.prefix must be digits or capitals", field="numbers.prefix")
    if not _DIGITS_MIN <= numbers.digits <= _DIGITS_MAX:
        raise FieldInvalid(
            f"numbers.digits must be {_DIGITS_MIN} to {_DIGITS_MAX}", field="numbers.digits"
        )
    if numbers.country is not None and not _COUNTRY.fullmatch(numbers.country):
        raise FieldInvalid("numbers.country must be two capitals", field="numbers.country")
    if numbers.country is None and len(numbers.prefix) + numbers.digits > _DIGITS_MAX:
        raise FieldInvalid(
            f"numbers.digits and numbers.prefix must be at most {_DIGITS_MAX} digits in all",
            field="numbers.digits",
        )
    sample = derive_number(numbers, UUID(int=0))
    if numbers.country is not None and check_iban.why_not(sample) is not None:
        raise FieldInvalid(
            f"numbers must make IBANs as {numbers.country} has them", field="numbers.digits"
        )


def _check_transport(transport: TransportSettings) -> None:
    if not transport.path.strip():
        raise FieldInvalid("transport.path must not be empty", field="transport.path")
    for name, path in transport.folders.items():
        if name not in _FOLDERS:
            raise FieldInvalid(
                f"transport.folders has {', '.join(sorted(_FOLDERS))}, and no others",
                field="transport.folders",
            )
        if not path.strip() or path.startswith("/") or ".." in path.split("/"):
            raise FieldInvalid(
                f"transport.folders.{name} must be a path below", field="transport.folders"
            )
    if not 1 <= transport.poll_seconds <= _POLL_S_MAX:
        raise FieldInvalid(
            f"transport.poll_seconds must be 1 to {_POLL_S_MAX}", field="transport.poll_seconds"
        )
    if isinstance(transport, SftpSettings):
        if (transport.private_key is None) == (transport.password is None):
            raise FieldInvalid(
                "one of transport.private_key and transport.password is required",
                field="transport.password",
            )
        if not transport.host_key.strip():
            raise FieldInvalid("transport.host_key must not be empty", field="transport.host_key")


def _check_account_number(field: str, text: str) -> str:
    compact = re.sub(r"[\s-]", "", text).upper()
    if not compact.isascii() or not compact.isalnum() or len(compact) > _NUMBER_LENGTH_MAX:
        raise FieldInvalid(
            f"{field} must have up to {_NUMBER_LENGTH_MAX} letters and digits", field=field
        )
    return compact


def _lower(text: str) -> str:
    return (text[:1].lower() + text[1:]).replace("`", "")
