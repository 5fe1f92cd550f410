"""Blocked countries of residence: the lists, their page, and the settings that replace them."""

import re
from pathlib import Path

import pytest

from landbridge.app.container import policy
from landbridge.app.settings import SettingsInvalid, read
from landbridge.customers.users.country_policy import (
    COUNTRIES,
    US_STATES,
    CountryPolicy,
    check_codes,
)
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.addresses import Address

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "countries.md"
ROW = re.compile(r"^\| `(\w+)` \| (.+) \|$", re.MULTILINE)
DEFAULT = policy(read({}))


def _address(country: str, region: str = "X") -> Address:
    return Address(
        address_line1="1 Main Street",
        city="Springfield",
        state_province_region=region,
        postal_code="1",
        country=country,
    )


def test_the_page_has_exactly_these_with_their_reasons() -> None:
    assert dict(ROW.findall(PAGE.read_text())) == {**COUNTRIES, **US_STATES}


def test_every_code_is_one_of_iso_3166() -> None:
    check_codes(countries=COUNTRIES, us_states=US_STATES)


@pytest.mark.parametrize("country", COUNTRIES)
def test_an_unsupported_country_is_refused(country: str) -> None:
    with pytest.raises(FieldInvalid, match=r"address\.country.*not supported") as caught:
        DEFAULT.check_supported("address", _address(country))
    assert caught.value.field == "address.country"


@pytest.mark.parametrize("state", US_STATES)
def test_an_unsupported_state_is_refused_in_the_united_states_alone(state: str) -> None:
    with pytest.raises(FieldInvalid, match="not supported") as caught:
        DEFAULT.check_supported("address", _address("USA", state))
    assert caught.value.field == "address.stateProvinceRegion"
    DEFAULT.check_supported("address", _address("COL", state))
    DEFAULT.check_supported("address", _address("USA", "IL"))


def test_settings_replace_the_lists() -> None:
    chosen = policy(
        read(
            {"LANDBRIDGE_UNSUPPORTED_COUNTRIES": "che, FRA", "LANDBRIDGE_UNSUPPORTED_US_STATES": ""}
        )
    )
    chosen.check_supported("address", _address("CUB"))
    chosen.check_supported("address", _address("USA", "NY"))
    for country in ("CHE", "FRA"):
        with pytest.raises(FieldInvalid):
            chosen.check_supported("address", _address(country))


@pytest.mark.parametrize(
    ("name", "value"), [("COUNTRIES", "CUB,XXX"), ("COUNTRIES", "cu"), ("US_STATES", "NY,ZZ")]
)
def test_a_setting_with_an_unknown_code_stops_the_start(name: str, value: str) -> None:
    with pytest.raises(SettingsInvalid, match=f"LANDBRIDGE_UNSUPPORTED_{name} "):
        read({f"LANDBRIDGE_UNSUPPORTED_{name}": value})


def test_without_lists_everybody_may_come() -> None:
    CountryPolicy(countries=(), us_states=()).check_supported("address", _address("PRK"))
