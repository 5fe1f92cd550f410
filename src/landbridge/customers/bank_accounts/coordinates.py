"""Coordinates of a bank account: normalised routing data, in one form for all types.

Two accounts with a coordinate in common are treated as the same account, even if different users
registered them. Each account number has two coordinates:

- a loose one, without leading zeros, and without the bank's name where that is free text;
- an exact one, with leading zeros and with the bank's name.

A block list matches an account that shares any coordinate. An allow list matches an account only if
it covers all of its coordinates.

Coordinates are stored only as HMAC-SHA256 under a key derived from the organisation's data key.
"""

import hmac
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeAlias
from uuid import UUID

from landbridge.customers.bank_accounts import store
from landbridge.customers.bank_accounts.model import BankAccount
from landbridge.customers.bank_accounts.records import opened
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.formats.addresses import find_alpha2

Members: TypeAlias = Mapping[str, Any]

_PURPOSE = "bank_accounts.coordinates"
# BIC without its branch: `BOFAUS3N` and `BOFAUS3NXXX` are one bank.
_BIC_LENGTH = 8


def coordinates_of(account: BankAccount) -> frozenset[str]:
    """Return the coordinates of an account; none if it is erased or has no account number."""
    if account.secret is None:
        return frozenset()
    read = _BY_TYPE[account.type]
    return frozenset(read(account.secret.bank, account.secret.holder or {}))


def hashed(account: BankAccount, key: DataKey) -> frozenset[bytes]:
    """Return the keyed hash of each coordinate; `key` is the organisation's data key."""
    under = key.derive(_PURPOSE)
    return frozenset(
        hmac.digest(under, each.encode(), "sha256") for each in coordinates_of(account)
    )


async def coordinate_hashes(
    tx: Tx, vault: Vault, org_id: UUID, account_ids: Collection[UUID]
) -> Mapping[UUID, frozenset[bytes]]:
    """Return the hashes of these accounts' coordinates, by account id.

    Missing hashes of older accounts are computed here. They are written when the account is next
    updated: this runs in transactions of payments, which must not lock accounts.
    """
    found = await store.coordinate_hashes(tx, org_id, account_ids)
    known = {id_: hashes for id_, hashes in found.items() if hashes is not None}
    if len(known) == len(found):
        return known
    stored = await store.get_many(tx, org_id, found.keys() - known.keys())
    keys = await vault.find_many(tx, org_id, {org_id, *(each.user_id for each in stored)})
    computed = {
        each.id: hashed(opened(each, keys.get(each.user_id)), keys[org_id])
        for each in stored
        if org_id in keys
    }
    return {**known, **computed}


def _us(bank: Members, _holder: Members) -> Iterator[str]:
    yield from _european(bank, _holder)
    if number := bank.get("accountNumber"):
        if routing_number := bank.get("routingNumber"):
            yield from _at_bank(f"aba/{routing_number}", number)
        yield from _by_bic(bank, number)


def _european(bank: Members, _holder: Members) -> Iterator[str]:
    if iban := bank.get("iban"):
        yield f"iban/{iban}"


def _brazilian(bank: Members, holder: Members) -> Iterator[str]:
    identifiers = (bank.get(name) for name in ("pixKey", "pix", "email", "phone"))
    # If no PIX key is present, the holder's tax number serves as one.
    key = next((each for each in identifiers if each), None) or holder.get("idNumber")
    if key:
        yield f"pix/{key.lower()}"


def _mexican(bank: Members, _holder: Members) -> Iterator[str]:
    if number := bank.get("speiClabe"):
        yield f"spei/{bank.get('speiProtocol', 'clabe')}/{number}"


def _argentine(bank: Members, _holder: Members) -> Iterator[str]:
    # A CVU has the form of a CBU, and both are numbers of one system.
    system = "alias" if bank["accountType"] == "ALIAS" else "cbu"
    yield f"{system}/{bank['accountNumber']}"


def _colombian(bank: Members, _holder: Members) -> Iterator[str]:
    name = bank.get("bankCode") or bank.get("bankName")
    yield from _in_country("COL", bank["accountNumber"], name)


def _nigerian(bank: Members, _holder: Members) -> Iterator[str]:
    if number := bank.get("accountNumber"):
        yield from _in_country("NGA", number, bank.get("bankName"))


def _african(bank: Members, _holder: Members) -> Iterator[str]:
    number, country = bank.get("accountNumber"), bank["country"]
    if number and bank["accountType"] == "momo":
        yield f"momo/{_international(number, country)}"
    elif number:
        yield from _in_country(country, number, bank["financialInstitute"])


def _asian(bank: Members, _holder: Members) -> Iterator[str]:
    number, clearing_code = bank.get("accountNumber"), bank.get("bankCode")
    if number:
        yield from _by_bic(bank, number)
    if number and clearing_code:
        yield from _at_bank(f"hkg/{clearing_code}", number)


def _by_bic(bank: Members, number: str) -> Iterator[str]:
    if bic := bank.get("swiftCode"):
        yield from _at_bank(f"bic/{bic[:_BIC_LENGTH]}", number)


def _at_bank(bank: str, number: str) -> Iterator[str]:
    """Return both coordinates of an account at a bank that is identified by a number."""
    yield f"{bank}/{_significant(number)}"
    yield f"{bank}/={number}"


def _in_country(country: str, number: str, bank_name: str | None) -> Iterator[str]:
    """Return both coordinates of an account at a bank that is identified by country and name."""
    yield f"{country}/{_significant(number)}"
    name = unicodedata.normalize("NFKC", bank_name or "").casefold()
    yield f"{country}/={number}/{''.join(name.split())}"


def _significant(number: str) -> str:
    """Return the number without leading zeros, for the loose coordinate."""
    return number.lstrip("0") or "0"


def _international(number: str, country: str) -> str:
    """Normalise a phone number to the form with country code."""
    # Imported on first use, because the import takes 100 ms.
    import phonenumbers  # noqa: PLC0415

    try:
        parsed = phonenumbers.parse(number, find_alpha2(country))
    except phonenumbers.NumberParseException:
        return f"{country}/{_significant(number.lstrip('+'))}"
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)


_BY_TYPE: Mapping[str, Callable[[Members, Members], Iterator[str]]] = {
    "us": _us,
    "brazil": _brazilian,
    "colombia": _colombian,
    "argentina": _argentine,
    "mexico": _mexican,
    "africa": _african,
    "brazilGlobalNetwork": _brazilian,
    "nigeriaGlobalNetwork": _nigerian,
    "mexicoGlobalNetwork": _mexican,
    "hongKongGlobalNetwork": _asian,
    "chinaGlobalNetwork": _asian,
    "singaporeGlobalNetwork": _asian,
    "europeGlobalNetwork": _european,
}
