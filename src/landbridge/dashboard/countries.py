"""Countries by the names that people know them by, in the language of the page."""

from collections.abc import Mapping
from functools import cache
from typing import cast

from babel.core import Locale

from landbridge.formats.places import find_alpha2
from landbridge.onboarding import places
from landbridge.users.search import fold


@cache
def countries(locale: str) -> tuple[tuple[str, str], ...]:
    """Alpha-3 code and name of every country, by name."""
    names = cast("Mapping[str, str]", Locale.parse(locale).territories)
    named = [
        (alpha3, names.get(find_alpha2(alpha3) or "", name)) for alpha3, name in places.countries()
    ]
    return tuple(sorted(named, key=lambda each: fold(each[1])))


def country_name(alpha3: str | None, locale: str) -> str:
    """A country's name; what is no code stays as it is."""
    return _names(locale).get(alpha3 or "", alpha3 or "")


def country_code(told: str, locale: str) -> str:
    """The code of the country that `told` names or is; `told` if there is none."""
    wanted = fold(told.strip())
    for alpha3, name in countries(locale):
        if wanted in {fold(alpha3), fold(name)}:
            return alpha3
    return told


@cache
def _names(locale: str) -> dict[str, str]:
    return dict(countries(locale))
