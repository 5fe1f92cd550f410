"""Countries and regions by the names that people know them by. Source: ISO 3166, by pycountry."""

from functools import cache
from typing import Any

from landbridge.formats import places
from landbridge.users.search import fold


@cache
def countries() -> tuple[tuple[str, str], ...]:
    """Alpha-3 code and name of every country, by name."""
    # Imported when first needed: it costs 60 ms, and its tables are read from files.
    import pycountry  # noqa: PLC0415

    named = [(each.alpha_3, _name(each)) for each in pycountry.countries]
    return tuple(sorted(named, key=lambda each: fold(each[1])))


def country_name(alpha3: str) -> str:
    """A country's name; what is no code stays as it is."""
    return dict(countries()).get(alpha3, alpha3)


@cache
def regions(country: str) -> tuple[tuple[str, str], ...]:
    """Code and name of every region of a country (alpha-3), by name; none for no country."""
    return tuple(sorted(places.regions(country).items(), key=lambda each: fold(each[1])))


def region_code(country: str, told: str) -> str:
    """The code of the region that `told` names or is; `told` if there is none, or two."""
    wanted = fold(told.strip())
    known = regions(country)
    if any(fold(code) == wanted for code, _ in known):
        return told
    named = {code for code, name in known if fold(name) == wanted}
    return named.pop() if len(named) == 1 else told


def region_name(country: str, code: str) -> str:
    """A region's name; what is no code stays as it is."""
    return dict(regions(country)).get(code, code)


def _name(country: Any) -> str:
    return str(getattr(country, "common_name", None) or country.name)
