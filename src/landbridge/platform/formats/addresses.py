"""Countries, regions and postal addresses, with the codes of ISO 3166."""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, cast

import msgspec

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.schemas import CountryText, LineText, OptionalLine, line
from landbridge.platform.formats.texts import TEXT_LENGTH_MAX, check_text
from landbridge.platform.http.constraints import Keywords, one_of, with_schema

_ALPHA3_LENGTH = 3
# Common codes of regions that differ from ISO 3166-2, by country.
_REGION_ALIASES = {
    ("MEX", "CDMX"): "CMX",
    ("MEX", "DF"): "CMX",
    ("MEX", "MEXICO CITY"): "CMX",
    ("MEX", "EDOMEX"): "MEX",
    ("USA", "WASHINGTON DC"): "DC",
    ("USA", "WASHINGTON, D.C."): "DC",
    ("COL", "BOGOTA"): "DC",
    ("COL", "BOGOTÁ"): "DC",
    ("ARG", "CABA"): "C",
}
_REGION_LENGTH_MAX = 50
_POSTAL_CODE_LENGTH_MAX = 20


class Address(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A postal address.

    `state_province_region` is the second half of an ISO 3166-2 code, `country` an ISO 3166-1
    alpha-3 code.
    """

    address_line1: LineText
    address_line2: OptionalLine | None = None
    city: LineText
    state_province_region: Annotated[str, with_schema(line(_REGION_LENGTH_MAX))]
    postal_code: Annotated[str, with_schema(line(_POSTAL_CODE_LENGTH_MAX))]
    country: CountryText


def check_country(field: str, alpha3: str) -> str:
    """Check an ISO 3166-1 alpha-3 code, and return it in upper case."""
    country = alpha3.strip().upper()
    if len(country) != _ALPHA3_LENGTH or country not in _alpha2_by_alpha3():
        raise FieldInvalid(f"{field} must be an ISO 3166-1 alpha-3 code, as in USA", field=field)
    return country


def check_region(field: str, country: str, region: str) -> str:
    """Check the second half of an ISO 3166-2 code of `country` (alpha-3), as in `CA` of `US-CA`.

    For a country without such codes, any short text is accepted.
    """
    codes = regions(country)
    if not codes:
        return check_text(field, region, length_max=_REGION_LENGTH_MAX)
    found = _known_region(country, codes, region.strip())
    if found is None:
        raise FieldInvalid(
            f"{field} must be the second half of an ISO 3166-2 code of {country}, "
            f"as in {min(codes)}",
            field=field,
        )
    return found


def _known_region(country: str, codes: Mapping[str, str], region: str) -> str | None:
    """Return the code of a region, given as a code, a complete ISO 3166-2 code or a name."""
    if len(region) > TEXT_LENGTH_MAX:
        return None
    code = region.upper()
    alias = _REGION_ALIASES.get((country, code), code.removeprefix(f"{find_alpha2(country)}-"))
    if alias in codes:
        return alias
    name = _folded(region)
    return next((each for each, known in codes.items() if _folded(known) == name), None)


def _folded(name: str) -> str:
    """Return a name in lower case without accents, as forms without them spell it."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(each for each in apart if not unicodedata.combining(each))


def check_address(field: str, address: Address) -> Address:
    """Check that the country and region of an address exist; return it with canonical texts."""
    country = check_country(f"{field}.country", address.country)
    line2 = address.address_line2
    return Address(
        address_line1=check_text(f"{field}.addressLine1", address.address_line1),
        # Many forms send an empty second line if the address has none.
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
    """Return a country's regions as names by ISO 3166-2 code; empty if it has none."""
    alpha2 = find_alpha2(country)
    return _regions(alpha2) if alpha2 else {}


def schemas() -> Mapping[str, Keywords]:
    """Return the OpenAPI schemas that the schema of an address refers to."""
    described = "An ISO 3166-1 alpha-3 code."
    return {"Country": {"description": described, **one_of(sorted(_alpha2_by_alpha3()))}}


def find_alpha2(alpha3: str) -> str | None:
    """Return the alpha-2 code of a country, for IBAN, BIC and tax numbers; None if unknown."""
    return _alpha2_by_alpha3().get(alpha3)


def find_alpha3(alpha2: str) -> str | None:
    """Return the alpha-3 code of a country, for all other code; None if unknown."""
    return next((three for three, two in _alpha2_by_alpha3().items() if two == alpha2), None)


@cache
def _alpha2_by_alpha3() -> dict[str, str]:
    # Imported when first needed: it costs 60 ms, and its tables are read from files.
    import pycountry  # noqa: PLC0415

    return {each.alpha_3: each.alpha_2 for each in pycountry.countries}


@cache
def _regions(alpha2: str) -> Mapping[str, str]:
    import pycountry  # noqa: PLC0415  as above

    # pycountry has no types for its tables.
    everywhere = cast("Iterable[Any]", pycountry.subdivisions)
    names = {
        str(each.code).partition("-")[2].upper(): str(each.name)
        for each in everywhere
        if each.country_code == alpha2
    }
    return MappingProxyType(names)
