"""Phone and tax numbers: kept as sent when KYC data changes, checked when it is submitted. Pure.

The contract checks these numbers at submission. A valid number is stored in its canonical form, an
invalid one as it was sent; the requirements of a rail then name it as a violation.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from landbridge.customers.kyc.model import Data
from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.people import check_phone
from landbridge.platform.formats.tax import check_tax_number
from landbridge.platform.formats.texts import check_text

PHONE = "phone"
TAX_NUMBER = "taxIdentificationNumber"
# Members that determine which country's rules apply to a tax number.
TAX_COUNTRY = frozenset(
    {
        *("taxIdentificationNumberType", "taxResidenceCountry"),
        *("address", "registeredAddress", "incorporationCountry"),
    }
)
# Types of tax numbers that only the United States assigns.
_TAX_NUMBERS_OF_USA = {"EIN", "SSN"}
_DUMMY_PHONE = re.compile(r"[+]?[ ().-]*(?:[0-9][ ().-]*){7,15}")


def canonical_or_same(check: Callable[[str, str], str], field: str, text: str) -> str:
    """Return the canonical form of a number, or the text as sent if the number is invalid."""
    try:
        return check(field, text)
    except FieldInvalid:
        return check_text(field, text)


def check_tax(of: UserType, data: Data, field: str, number: str) -> str:
    """Check a tax number by the rules of the country that other members name; return it."""
    return check_tax_number(field, number, country=_tax_country(of, data))


def wrong_numbers(
    of: UserType, data: Data, names: Iterable[str], *, takes_dummies: bool
) -> dict[str, str]:
    """Return the wrong numbers among these fields, each with the reason.

    With `takes_dummies` only the format is checked, because samples and test data have numbers that
    no authority has assigned.
    """
    found: dict[str, str] = {}
    for name, check in _checks(of, data, takes_dummies=takes_dummies).items():
        if name in data and name in names:
            try:
                check(name, data[name])
            except FieldInvalid as error:
                found[name] = error.message.removeprefix(name).strip()
    return found


def _checks(
    of: UserType, data: Data, *, takes_dummies: bool
) -> dict[str, Callable[[str, str], Any]]:
    if takes_dummies:
        return {
            PHONE: _check_dummy_phone,
            TAX_NUMBER: lambda field, number: check_tax_number(field, number, country=None),
        }
    return {
        PHONE: check_phone,
        TAX_NUMBER: lambda field, number: check_tax(of, data, field, number),
    }


def _check_dummy_phone(field: str, text: str) -> None:
    if not _DUMMY_PHONE.fullmatch(text):
        check_phone(field, text)


def _tax_country(of: UserType, data: Data) -> str | None:
    """Return the country that defines the format of a tax number; None if it is not known."""
    if of is UserType.INDIVIDUAL:
        return data.get("taxResidenceCountry") or _country(data, "address")
    if data.get("taxIdentificationNumberType") in _TAX_NUMBERS_OF_USA:
        return "USA"
    return (
        data.get("incorporationCountry")
        or _country(data, "registeredAddress")
        or _country(data, "address")
    )


def _country(data: Data, address: str) -> str | None:
    return data[address]["country"] if address in data else None
