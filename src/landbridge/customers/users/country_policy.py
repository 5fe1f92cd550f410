"""Countries where users may not live. Each entry has a reason, as in docs/reference/countries.md.

The permitted countries depend on the operator's licences and banks, so the operator may replace the
lists by settings. These defaults are the cautious ones, as of November 2026; they are no legal
advice.
"""

from collections.abc import Collection, Mapping

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.addresses import Address, check_country, check_region

_US = "USA"

# Reason by country, as ISO 3166-1 alpha-3 code.
COUNTRIES: Mapping[str, str] = {
    "CUB": "comprehensive sanctions of the United States",
    "IRN": "comprehensive sanctions of the United States; on the FATF list that calls for action",
    "MMR": "on the FATF list that calls for action",
    "PRK": "sanctions of the United Nations; on the FATF list that calls for action",
    "RUS": "wide sanctions on banks and on services to residents",
    "BLR": "wide sanctions on banks and on services to residents",
    "SYR": "sanctions on persons and on the former government; high risk though eased since 2025",
}

# Reason by state of the US, as second part of the ISO 3166-2 code.
US_STATES: Mapping[str, str] = {
    "NY": "business with virtual currency needs a licence of the state (23 NYCRR 200)",
    "LA": "business with virtual currency needs a licence of the state (Louisiana R.S. 6:1384)",
}


class CountryPolicy:
    """Lists of countries and US states that are in force."""

    def __init__(self, *, countries: Collection[str], us_states: Collection[str]) -> None:
        self._countries = frozenset(countries)
        self._us_states = frozenset(us_states)

    def check_supported(self, field: str, address: Address) -> None:
        """Raise `FieldInvalid` if users may not live at an address; `field` names it."""
        if address.country in self._countries:
            raise FieldInvalid(
                f"{field}.country: users in {address.country} are not supported",
                field=f"{field}.country",
            )
        if address.country == _US and address.state_province_region in self._us_states:
            raise FieldInvalid(
                f"{field}.stateProvinceRegion: users in the US state "
                f"{address.state_province_region} are not supported",
                field=f"{field}.stateProvinceRegion",
            )


def check_codes(*, countries: Collection[str], us_states: Collection[str]) -> None:
    """Raise `ValueError` for a code that ISO 3166 does not have."""
    try:
        for country in countries:
            check_country("has a code that is none: each", country)
        for state in us_states:
            check_region("has a code that is none: each", _US, state)
    except FieldInvalid as error:
        raise ValueError(error.message) from error


def codes(text: str) -> list[str]:
    """Parse the codes of a setting: separated by commas, none for an empty text."""
    return [part.strip().upper() for part in text.split(",") if part.strip()]
