"""An account is set in TOML; an error names its field."""

from pathlib import Path

import pytest

from landbridge.payments.bank_files.funding_account import derive_number, parse_toml
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import new_id
from tests.payments.bank_files.builders import EUR, USD


def test_numbers_are_stored_in_canonical_form() -> None:
    account = parse_toml(EUR)
    assert account.iban == account.number == "DE89370400440532013000"
    assert account.holder.address == "Beispielstr. 2, 10115 Berlin, DE"


@pytest.mark.parametrize(
    ("text", "old", "new", "field"),
    [
        (USD, 'currency = "usd"', 'currency = "xyz"', "currency"),
        (USD, 'rails = ["ach", "wire", "swift"]', 'rails = ["sepa"]', "rails"),
        (USD, 'rails = ["ach", "wire", "swift"]', "rails = []", "rails"),
        (USD, 'routing_number = "021000021"', 'routing_number = "021000022"', "routing_number"),
        (USD, 'account_number = "000987654321"', "", "iban"),
        (USD, 'swift_code = "EXAMUS33"', 'swift_code = "EXAM1"', "swift_code"),
        (USD, 'country = "US"', 'country = "XX"', "holder.country"),
        (USD, 'town = "New York"', 'town = " "', "holder.town"),
        (USD, 'origin = "1234567890"', 'origin = "12345678901"', "ach.origin"),
        (USD, 'destination = "021000021"', 'destination = "1"', "ach.destination"),
        (USD, 'company_name = "EXAMPLE PAY"', 'company_name = "É"', "ach.company_name"),
        (USD, "digits = 10", "digits = 3", "numbers.digits"),
        (USD, "digits = 10", "digits = 16", "numbers.digits"),
        (USD, 'prefix = "4001"', 'prefix = "4-1"', "numbers.prefix"),
        (USD, 'path = "/tmp/unused"', 'path = ""', "transport.path"),
        (USD, 'path = "/tmp/unused"', 'path = "a"\nfolders = {out = "../x"}', "transport.folders"),
        (USD, 'path = "/tmp/unused"', 'path = "a"\nfolders = {up = "x"}', "transport.folders"),
        (EUR, 'iban = "DE89 3704 0044 0532 0130 00"', 'account_number = "1"', "iban"),
        (EUR, 'iban = "DE89 3704 0044 0532 0130 00"', 'iban = "DE88370400440532013000"', "iban"),
    ],
)
def test_an_error_names_its_field(text: str, old: str, new: str, field: str) -> None:
    assert old in text
    with pytest.raises(FieldInvalid) as refused:
        parse_toml(text.replace(old, new))
    assert refused.value.field == field
    assert field in refused.value.message


@pytest.mark.parametrize(
    "text",
    [
        USD.replace("bank_name", "bank_nam"),
        USD.replace('"folder"', '"ftp"'),
        USD + "\nextra = 1",
        "currency = 7",
        "password = 'hunter2",
    ],
)
def test_invalid_toml_is_rejected_without_quoting_it(text: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        parse_toml(text)
    assert "hunter2" not in refused.value.message


def test_a_server_needs_one_credential_and_its_host_key() -> None:
    server = '[transport]\ntype = "sftp"\nhost = "h"\nuser = "u"\nhost_key = "ssh-ed25519 AAAA"\n'
    text = USD[: USD.index("[transport]")] + server
    assert parse_toml(f'{text}password = "p"').transport
    for wrong in (text, f'{text}password = "p"\nprivate_key = "k"'):
        with pytest.raises(FieldInvalid, match="private_key"):
            parse_toml(wrong)


def test_statements_may_format_our_number_differently() -> None:
    usd, eur = parse_toml(USD), parse_toml(EUR)
    assert usd.is_number("987654321")
    assert usd.is_number("000-987654321")
    assert eur.is_number("de89 3704 0044 0532 0130 00")
    assert not usd.is_number("0009876543210")
    assert not usd.is_number("")


def test_deposit_numbers_are_within_the_range() -> None:
    numbers = parse_toml(USD).numbers
    assert numbers is not None
    created = {derive_number(numbers, new_id()) for _ in range(200)}
    assert len(created) == 200
    assert all(len(each) == 14 and each.startswith("4001") for each in created)


def test_the_account_in_the_reference_is_valid() -> None:
    page = Path("docs/reference/bank-files.md").read_text(encoding="utf-8")
    text = page.partition("```toml\n")[2].partition("```")[0]
    assert parse_toml(text).ach
