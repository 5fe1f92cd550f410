"""An organisation's account at its bank, as it is set.

Whose it is, what it pays by, where its files are exchanged: told to `landbridge bank-files account`
(docs/reference/bank-files.md), and kept sealed.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import derived_id
from landbridge.formats.banks import check_aba, check_bic, check_iban, check_us_account
from landbridge.formats.places import find_alpha3
from landbridge.rails.currencies import FIAT

# What each currency's account can pay by in files; SWIFT takes every one.
_RAILS: Mapping[str, tuple[str, ...]] = {
    "usd": ("ach", "wire", "swift"),
    "eur": ("sepa", "sepaInstant", "swift"),
}
_RAILS_OF_OTHERS = ("swift",)

_DIGITS = re.compile(r"[0-9]+")
_FOLDERS = frozenset({"out", "in", "done", "refused", "control"})
_COUNTRY = re.compile(r"[A-Z]{2}")
_PREFIX = re.compile(r"[0-9A-Z]{0,24}")
# At fewer, somebody who guesses would meet a number that is given to somebody.
_DIGITS_MIN, _DIGITS_MAX = 6, 17
_NUMBER_LENGTH_MAX = 34
_ODFI_LENGTH = 8
# Of an IBAN, its country and check digits (ISO 13616).
_IBAN_MODULUS, _IBAN_CHECK_MAX = 97, 98
_LEAD_MINUTES_MAX = 24 * 60
# A folder of this machine is looked at for nothing; a bank counts how often its server is asked.
_FOLDER_POLL_S, _SERVER_POLL_S = 5, 300
_POLL_S_MAX = 24 * 60 * 60
# What a field of a NACHA file's head holds.
_ORIGIN_LENGTH, _NAME_LENGTH, _COMPANY_LENGTH = 10, 23, 16


class Ach(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the bank has given for ACH: how files and batches name the two sides.

    `prenotes` tries an account with an entry without money before the first payment to it.
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


class Numbers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The range of account numbers that the bank has given for deposits.

    A number is `prefix` and so many `digits`; with a `country` it is an IBAN of that BBAN.
    """

    prefix: str
    digits: int
    country: str | None = None


class Holder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose account it is, with the address that the bank knows; `country` has two letters."""

    name: str
    street: str
    town: str
    country: str
    postcode: str = ""

    @property
    def address(self) -> str:
        """On one line."""
        parts = (self.street, f"{self.postcode} {self.town}".strip(), self.country)
        return ", ".join(parts)


class FolderPlace(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="folder"
):
    """A folder of this machine, or one that is mounted.

    `folders` are the names of folders there that differ from `out`, `in`, `in/done`, `in/refused`
    and `control`, by the words out, in, done, refused and control. `poll_seconds` lie between two
    looks at `in`.
    """

    path: str
    folders: dict[str, str] = {}
    poll_seconds: int = _FOLDER_POLL_S


class SftpPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="sftp"):
    """A server of the bank's. `host_key` is its public key, as in `ssh-ed25519 AAAA…`.

    `folders` and `poll_seconds` as above. One of `private_key` (OpenSSH, without a passphrase: it
    is kept sealed) and `password` is ours.
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


PlaceTold: TypeAlias = FolderPlace | SftpPlace


class FundingAccount(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The account that an organisation pays from, and is paid to, in one currency.

    `initiator_id` is who we are to the bank in a pain.001. A file goes `lead_minutes` before the
    cut-off of its rail.
    """

    currency: str
    holder: Holder
    bank_name: str
    bank_address: str
    rails: tuple[str, ...]
    place: PlaceTold
    iban: str | None = None
    account_number: str | None = None
    routing_number: str | None = None
    swift_code: str | None = None
    initiator_id: str | None = None
    lead_minutes: int = 30
    ach: Ach | None = None
    numbers: Numbers | None = None

    @property
    def number(self) -> str:
        """What a statement calls it."""
        return self.iban or self.account_number or ""

    def is_number(self, told: str) -> bool:
        """Whether a statement for this number is of this account."""
        compact = re.sub(r"[\s-]", "", told).upper()
        # Some banks leave out zeros in front.
        mine = {each.lstrip("0") for each in (self.iban, self.account_number) if each}
        return compact.lstrip("0") in mine


def deposit_number(told: FundingAccount, seed: UUID) -> str | None:
    """A number of the account's range, never its own; None without a range."""
    if told.numbers is None:
        return None
    number = number_in(told.numbers, seed)
    if told.is_number(number):
        # By chance, once in a million or less: what is paid to the account itself is nobody's.
        number = number_in(told.numbers, derived_id(seed, "another"))
    return number


def number_in(numbers: Numbers, seed: UUID) -> str:
    """A number of the range, the same for the same seed."""
    digest = int.from_bytes(sha256(f"account/{seed}".encode()).digest())
    bban = f"{numbers.prefix}{digest % 10**numbers.digits:0{numbers.digits}d}"
    if numbers.country is None:
        return bban
    spelled = "".join(str(int(each, 36)) for each in f"{bban}{numbers.country}00")
    check = _IBAN_CHECK_MAX - int(spelled) % _IBAN_MODULUS
    return f"{numbers.country}{check:02d}{bban}"


def read_toml(text: str) -> FundingAccount:
    """The account that a TOML text tells of; raises `FieldInvalid` for what is wrong, naming it."""
    try:
        told = msgspec.toml.decode(text, type=FundingAccount)
    except msgspec.ValidationError as error:
        raise FieldInvalid(f"the account is not right: {_lower(str(error))}") from error
    except msgspec.DecodeError as error:
        # The library's words quote the line, which may be a password.
        raise FieldInvalid("the account is not TOML") from error
    return checked(told)


def checked(told: FundingAccount) -> FundingAccount:
    """The account with its numbers in canonical form; raises `FieldInvalid`, naming the field."""
    if told.currency not in FIAT:
        raise FieldInvalid(f"currency must be one of {', '.join(FIAT)}", field="currency")
    may_pay_by = _RAILS.get(told.currency, _RAILS_OF_OTHERS)
    if not told.rails or any(each not in may_pay_by for each in told.rails):
        raise FieldInvalid(
            f"rails must be some of {', '.join(may_pay_by)} for {told.currency}", field="rails"
        )
    if not 0 <= told.lead_minutes <= _LEAD_MINUTES_MAX:
        raise FieldInvalid(f"lead_minutes must be 0 to {_LEAD_MINUTES_MAX}", field="lead_minutes")
    if (told.iban is None) == (told.account_number is None):
        raise FieldInvalid("one of iban and account_number must be told", field="iban")
    for name in ("bank_name", "bank_address"):
        if not getattr(told, name).strip():
            raise FieldInvalid(f"{name} must not be empty", field=name)
    for name in ("name", "street", "town"):
        if not getattr(told.holder, name).strip():
            raise FieldInvalid(f"holder.{name} must not be empty", field=f"holder.{name}")
    if find_alpha3(told.holder.country) is None:
        raise FieldInvalid(
            "holder.country must be two letters of ISO 3166-1", field="holder.country"
        )
    _check_rails(told)
    _check_numbers(told.numbers)
    _check_place(told.place)
    return msgspec.structs.replace(told, **_canonical(told))


def _canonical(told: FundingAccount) -> dict[str, Any]:
    checks = (
        ("iban", check_iban),
        ("account_number", check_us_account if told.currency == "usd" else _check_other),
        ("routing_number", check_aba),
        ("swift_code", check_bic),
    )
    values = {name: (getattr(told, name), check) for name, check in checks}
    return {
        name: check(name, value) for name, (value, check) in values.items() if value is not None
    }


def _check_rails(told: FundingAccount) -> None:
    if "ach" in told.rails:
        if told.ach is None:
            raise FieldInvalid("ach must be told to pay by ach", field="ach")
        _check_ach(told.ach, told.routing_number)
    if any(each.startswith("sepa") for each in told.rails) and told.iban is None:
        raise FieldInvalid("iban must be told to pay by sepa", field="iban")
    if "wire" in told.rails and told.routing_number is None:
        raise FieldInvalid("routing_number must be told to pay by wire", field="routing_number")
    if any(each != "ach" for each in told.rails) and not (told.swift_code or told.routing_number):
        raise FieldInvalid("swift_code or routing_number must be told", field="swift_code")


def _check_ach(ach: Ach, routing_number: str | None) -> None:
    check_aba("ach.destination", ach.destination)
    if not _DIGITS.fullmatch(ach.odfi or "0") or len(ach.odfi or "0" * 8) != _ODFI_LENGTH:
        raise FieldInvalid(f"ach.odfi must have {_ODFI_LENGTH} digits", field="ach.odfi")
    if ach.odfi is None and routing_number is None:
        raise FieldInvalid("routing_number or ach.odfi must be told", field="ach.odfi")
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


def _check_numbers(numbers: Numbers | None) -> None:
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
    sample = number_in(numbers, UUID(int=0))
    if numbers.country is not None and check_iban.why_not(sample) is not None:
        raise FieldInvalid(
            f"numbers must make IBANs as {numbers.country} has them", field="numbers.digits"
        )


def _check_place(place: PlaceTold) -> None:
    if not place.path.strip():
        raise FieldInvalid("place.path must not be empty", field="place.path")
    for name, path in place.folders.items():
        if name not in _FOLDERS:
            raise FieldInvalid(
                f"place.folders has {', '.join(sorted(_FOLDERS))}, and no others",
                field="place.folders",
            )
        if not path.strip() or path.startswith("/") or ".." in path.split("/"):
            raise FieldInvalid(f"place.folders.{name} must be a path below", field="place.folders")
    if not 1 <= place.poll_seconds <= _POLL_S_MAX:
        raise FieldInvalid(
            f"place.poll_seconds must be 1 to {_POLL_S_MAX}", field="place.poll_seconds"
        )
    if isinstance(place, SftpPlace):
        if (place.private_key is None) == (place.password is None):
            raise FieldInvalid(
                "one of place.private_key and place.password must be told", field="place.password"
            )
        if not place.host_key.strip():
            raise FieldInvalid("place.host_key must not be empty", field="place.host_key")


def _check_other(field: str, text: str) -> str:
    compact = re.sub(r"[\s-]", "", text).upper()
    if not compact.isascii() or not compact.isalnum() or len(compact) > _NUMBER_LENGTH_MAX:
        raise FieldInvalid(
            f"{field} must have up to {_NUMBER_LENGTH_MAX} letters and digits", field=field
        )
    return compact


def _lower(text: str) -> str:
    return (text[:1].lower() + text[1:]).replace("`", "")
