"""Countries, regions and postal addresses, as ISO 3166 has them."""

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, cast

import msgspec

from landbridge.core.errors import FieldInvalid
from landbridge.formats.texts import check_text

_ALPHA3_LENGTH = 3
_REGION_LENGTH_MAX = 50
_POSTAL_CODE_LENGTH_MAX = 20


class Address(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A postal address.

    `state_province_region` is the second half of an ISO 3166-2 code, `country` an ISO 3166-1
    alpha-3 code.
    """

    address_line1: str
    address_line2: str | None = None
    city: str
    state_province_region: str
    postal_code: str
    country: str


def check_country(field: str, alpha3: str) -> str:
    """An ISO 3166-1 alpha-3 code in upper case."""
    country = alpha3.strip().upper()
    if len(country) != _ALPHA3_LENGTH or country not in _alpha2_by_alpha3():
        raise FieldInvalid(f"{field} must be an ISO 3166-1 alpha-3 code, as in USA", field=field)
    return country


def check_region(field: str, country: str, region: str) -> str:
    """The second half of an ISO 3166-2 code of `country` (alpha-3), as in `CA` of `US-CA`.

    Where a country has no such codes, any short text.
    """
    known = regions(country)
    if not known:
        return check_text(field, region, length_max=_REGION_LENGTH_MAX)
    found = region.strip().upper()
    if found not in known:
        raise FieldInvalid(
            f"{field} must be the second half of an ISO 3166-2 code of {country}, "
            f"as in {min(known)}",
            field=field,
        )
    return found


def check_address(field: str, address: Address) -> Address:
    """An address whose country and region there are."""
    country = check_country(f"{field}.country", address.country)
    line2 = address.address_line2
    return Address(
        address_line1=check_text(f"{field}.addressLine1", address.address_line1),
        # An empty second line is how many forms send none.
        address_line2=check_text(f"{field}.addressLine2", line2) if line2 else None,
        city=check_text(f"{field}.city", address.city),
        state_province_region=check_region(
            f"{field}.stateProvinceRegion", country, address.state_province_region
        ),
        postal_code=check_text(
            f"{field}.postalCode", address.postal_code, length_max=_POSTAL_CODE_LENGTH_MAX
        ),
        country=country,
    )


def regions(country: str) -> Mapping[str, str]:
    """The names of a country's regions (alpha-3) by code, as ISO 3166-2 has them; maybe none."""
    alpha2 = find_alpha2(country)
    return _regions(alpha2) if alpha2 else {}


def find_alpha2(alpha3: str) -> str | None:
    """The two letters of a country, which IBAN, BIC and tax numbers go by."""
    return _alpha2_by_alpha3().get(alpha3)


def find_alpha3(alpha2: str) -> str | None:
    """The three letters of a country, which everything else goes by."""
    return next((three for three, two in _alpha2_by_alpha3().items() if two == alpha2), None)


@cache
def _alpha2_by_alpha3() -> dict[str, str]:
    # Imported when first needed: it costs 60 ms, and its tables are read from files.
    import pycountry  # noqa: PLC0415

    return {each.alpha_3: each.alpha_2 for each in pycountry.countries}


@cache
def _regions(alpha2: str) -> Mapping[str, str]:
    import pycountry  # noqa: PLC0415  as above

    # The library does not say what its tables hold.
    everywhere = cast("Iterable[Any]", pycountry.subdivisions)
    named = {
        str(each.code).partition("-")[2].upper(): str(each.name)
        for each in everywhere
        if each.country_code == alpha2
    }
    return MappingProxyType(named)
