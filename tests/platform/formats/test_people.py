from datetime import date

import pytest

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.people import (
    check_birth_date,
    check_email,
    check_ip,
    check_name,
    check_past_date,
    check_phone,
)

TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    "name",
    [
        "Ada",
        "Anne-Marie O'Brien",
        "D\u2019Angelo, Jr.",
        "José Núñez",
        "张伟",
        "محمد",
        "सुनीता",
        "می‌خواهم",
        "Müller & Söhne (Zürich) GmbH/AG",
        "3M",
        "Yahoo!",
        "A+B €conomics",
    ],
)
def test_names_of_all_scripts_and_trades_are_accepted(name: str) -> None:
    assert check_name("name", f"  {name} ") == name


@pytest.mark.parametrize("name", ["", "  ", "...", "<b>Ada</b>", "Ada\nB", "{{7}}", "a" * 201])
def test_invalid_name_is_refused(name: str) -> None:
    with pytest.raises(FieldInvalid, match=r"^name ") as refused:
        check_name("name", name)
    assert refused.value.field == "name"


def test_equivalent_spellings_of_a_name_are_stored_alike() -> None:
    assert check_name("name", "José") == check_name("name", "José")


@pytest.mark.parametrize(
    ("email", "expected"),
    [
        ("Ada@Example.COM", "Ada@example.com"),
        ("ada@sub.x.test", "ada@sub.x.test"),
        (" ada+1@example.org ", "ada+1@example.org"),
        ("ada@bücher.de", "ada@bücher.de"),
        (f"{'a' * 64}@example.com", f"{'a' * 64}@example.com"),
    ],
)
def test_valid_email_addresses_are_accepted(email: str, expected: str) -> None:
    assert check_email("email", email) == expected


@pytest.mark.parametrize(
    "email",
    [
        "",
        "ada",
        "ada@",
        "@x.com",
        "ada@localhost",
        "a b@x.com",
        "ada@x..com",
        "a@[127.0.0.1]",
        f"{'a' * 65}@example.com",
        f"{'é' * 33}@example.com",
    ],
)
def test_invalid_email_address_is_refused(email: str) -> None:
    with pytest.raises(FieldInvalid, match=r"^email must be an e-mail address"):
        check_email("email", email)


def test_phone_numbers_become_e164() -> None:
    assert check_phone("phone", "+1 (415) 555-0123") == "+14155550123"
    assert check_phone("phone", "+234 801 234 5678") == "+2348012345678"


@pytest.mark.parametrize(
    "phone", ["4155550123", "+1", "+1415555", "+999123456789", "+14155550123x5"]
)
def test_invalid_phone_number_is_refused(phone: str) -> None:
    with pytest.raises(FieldInvalid, match=r"^phone must be a phone number"):
        check_phone("phone", phone)


def test_internet_addresses_are_of_version_four() -> None:
    assert check_ip("ipAddress", " 203.0.113.7 ") == "203.0.113.7"
    for text in ("203.0.113", "203.0.113.256", "::1", "203.0.113.07"):
        with pytest.raises(FieldInvalid, match=r"^ipAddress must be an IPv4 address"):
            check_ip("ipAddress", text)


def test_dates_in_the_past_are_before_today() -> None:
    assert check_past_date("day", date(2026, 2, 28), today=TODAY) == date(2026, 2, 28)
    with pytest.raises(FieldInvalid, match=r"^day must be a day in the past"):
        check_past_date("day", TODAY, today=TODAY)


def test_age_is_at_most_a_hundred_and_twenty() -> None:
    assert check_birth_date("born", date(1906, 1, 1), today=TODAY) == date(1906, 1, 1)
    with pytest.raises(FieldInvalid, match=r"^born must be at most 120 years ago"):
        check_birth_date("born", date(1905, 12, 31), today=TODAY)
