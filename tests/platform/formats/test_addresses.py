import pytest

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.addresses import (
    Address,
    check_address,
    check_country,
    check_region,
    regions,
)
from landbridge.platform.formats.texts import check_text, check_url


def test_countries_are_three_letters_in_upper_case() -> None:
    assert check_country("country", " usa ") == "USA"
    for text in ("US", "XXX", "United States", "", "us\u017f"):
        with pytest.raises(FieldInvalid, match=r"^country must be an ISO 3166-1"):
            check_country("country", text)


@pytest.mark.parametrize(
    ("country", "region", "expected"),
    [
        ("USA", "ca", "CA"),
        ("GBR", "ENG", "ENG"),
        ("NGA", "LA", "LA"),
        ("HKG", "Kowloon", "Kowloon"),
    ],
)
def test_regions_belong_to_their_country(country: str, region: str, expected: str) -> None:
    assert check_region("region", country, region) == expected


@pytest.mark.parametrize(("country", "region"), [("USA", "XX"), ("USA", "DE-BY"), ("HKG", "")])
def test_unknown_regions_are_refused(country: str, region: str) -> None:
    with pytest.raises(FieldInvalid, match=r"^region must"):
        check_region("region", country, region)


def test_regions_have_names() -> None:
    assert regions("USA")["CA"] == "California"
    for country in ("HKG", "XXX", ""):
        assert not regions(country)


def address(**changes: str | None) -> Address:
    fields: dict[str, str | None] = {
        "address_line1": "1 Main Street",
        "city": "Springfield",
        "state_province_region": "IL",
        "postal_code": "62701",
        "country": "USA",
        **changes,
    }
    return Address(**fields)  # pyright: ignore[reportArgumentType]  the makers' own names


def test_address_is_stored_in_canonical_form() -> None:
    address_ = address(
        country="usa", state_province_region="il", city=" Springfield ", address_line2=""
    )
    assert check_address("address", address_) == address()


@pytest.mark.parametrize(
    ("member", "value", "field"),
    [
        ("address_line1", "", "address.addressLine1"),
        ("address_line2", "\n", "address.addressLine2"),
        ("city", "a\tb", "address.city"),
        ("state_province_region", "ON", "address.stateProvinceRegion"),
        ("postal_code", "1" * 21, "address.postalCode"),
        ("country", "US", "address.country"),
    ],
)
def test_an_address_is_refused_by_the_member_at_fault(member: str, value: str, field: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        check_address("address", address(**{member: value}))
    assert refused.value.field == field


def test_texts_are_one_line() -> None:
    assert check_text("text", " a b　c ") == "a b　c"
    assert check_text("text", "é") == "é"
    for text in ("", "  ", "a\nb", "a\0b", "\u200b", "a\u200bb", "a\u3164b", "\u2800", "a" * 201):
        with pytest.raises(FieldInvalid, match=r"^text must "):
            check_text("text", text)


def test_links_have_a_host_and_no_password() -> None:
    for url in ("https://example.com", "http://localhost:8080/a?b=c#d", "https://[::1]/"):
        assert check_url("url", url) == url
    for url in (
        "ftp://example.com",
        "https://",
        "https://a:b@example.com",
        "https://example.com/a b",
        "https://example.com:99999",
        "javascript:alert(1)",
        "https://exämple.com",
        "https://a.example;sandbox/",
        "https://a.example,b/",
        "https://*/",
        "https://example.com/" + "a" * 2000,
    ):
        with pytest.raises(FieldInvalid, match=r"^url must be an http"):
            check_url("url", url)
