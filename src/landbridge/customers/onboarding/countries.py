"""Countries and regions with their common names. Source: ISO 3166, from pycountry."""

from functools import cache
from typing import Any

from babel import Locale

from landbridge.customers.users.search import fold
from landbridge.platform.formats import addresses
from landbridge.platform.formats.translations import ENGLISH


@cache
def countries(locale: str = ENGLISH) -> tuple[tuple[str, str], ...]:
    """Return the alpha-3 code and name of every country, sorted by the name in a language."""
    # Imported on first use, because the import takes 60 ms and reads tables from files.
    import pycountry  # noqa: PLC0415

    names: Any = {} if locale == ENGLISH else Locale.parse(locale).territories
    named = [(each.alpha_3, names.get(each.alpha_2) or _name(each)) for each in pycountry.countries]
    return tuple(sorted(named, key=lambda each: fold(each[1])))


def country_name(alpha3: str, locale: str = ENGLISH) -> str:
    """Return a country's name; an unknown code is returned unchanged."""
    return dict(countries(locale)).get(alpha3, alpha3)


@cache
def regions(country: str) -> tuple[tuple[str, str], ...]:
    """Return code and name of a country's regions, sorted by name; empty if it has none."""
    return tuple(sorted(addresses.regions(country).items(), key=lambda each: fold(each[1])))


def region_code(country: str, value: str) -> str:
    """Return the code for a region name or code; the input if no region or two regions match."""
    folded = fold(value.strip())
    known = regions(country)
    if any(fold(code) == folded for code, _ in known):
        return value
    named = {code for code, name in known if fold(name) == folded}
    return named.pop() if len(named) == 1 else value


def region_name(country: str, code: str) -> str:
    """Return a region's name; an unknown code is returned unchanged."""
    return dict(regions(country)).get(code, code)


def _name(country: Any) -> str:
    return str(getattr(country, "common_name", None) or country.name)
