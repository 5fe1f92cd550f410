"""Preloading of the tables that format checks use: numbers, regions and banks.

Loading takes a second and would block all requests, so a process does it before its first one.
"""

from landbridge.platform.formats import addresses, people, tax
from landbridge.platform.formats.bank_numbers import check_bic, check_iban

_FIELD = "warm"


def warm_up() -> None:
    """Run each check that loads tables once. This takes about a second: call it in a thread."""
    people.check_phone(_FIELD, "+14155550123")
    people.check_email(_FIELD, "ada@example.com")
    addresses.check_region(_FIELD, "USA", "CA")
    addresses.check_country(_FIELD, "USA")
    check_iban(_FIELD, "DE89370400440532013000")
    check_bic(_FIELD, "COBADEFF")
    tax.check_tax_number(_FIELD, "536-90-4399", country="USA")
