"""Countries by the names that people know them by, in the language of the page."""

from collections.abc import Mapping
from functools import cache
from typing import cast

from babel.core import Locale

from landbridge.customers.onboarding import countries as country_codes
from landbridge.customers.users.search import fold
from landbridge.platform.formats.addresses import find_alpha2


@cache
def countries(locale: str) -> tuple[tuple[str, str], ...]:
    """Alpha-3 code and name of every country, by name."""
    names = cast("Mapping[str, str]", Locale.parse(locale).territories)
    named = [
        (alpha3, names.get(find_alpha2(alpha3) or "", name))
        for alpha3, name in country_codes.countries()
    ]
    return tuple(sorted(named, key=lambda each: fold(each[1])))


def country_name(alpha3: str | None, locale: str) -> str:
    """Return a country's name; an unknown code is returned unchanged."""
    return _names(locale).get(alpha3 or "", alpha3 or "")


def country_code(text: str, locale: str) -> str:
    """Return the code of a country given by name or code; other text is returned unchanged."""
    folded = fold(text.strip())
    for alpha3, name in countries(locale):
        if folded in {fold(alpha3), fold(name)}:
            return alpha3
    return text


@cache
def _names(locale: str) -> dict[str, str]:
    return dict(countries(locale))
