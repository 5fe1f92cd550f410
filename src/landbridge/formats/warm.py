"""What the checks of formats load when they are first used: tables of numbers, regions and banks.

That takes a second, in which no other request would be answered, so a process does it before its
first one.
"""

from landbridge.formats import people, places, tax
from landbridge.formats.banks import check_bic, check_iban

_FIELD = "warm"


def warm_up() -> None:
    """Use each check once that loads something; takes about a second, call it in a thread."""
    people.check_phone(_FIELD, "+14155550123")
    people.check_email(_FIELD, "ada@example.com")
    places.check_region(_FIELD, "USA", "CA")
    places.check_country(_FIELD, "USA")
    check_iban(_FIELD, "DE89370400440532013000")
    check_bic(_FIELD, "COBADEFF")
    tax.check_tax_number(_FIELD, "536-90-4399", country="USA")
