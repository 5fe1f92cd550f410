from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats import bank_numbers
from landbridge.platform.formats.bank_numbers import BankNumber

GOOD: list[tuple[BankNumber, str, str]] = [
    (bank_numbers.check_aba, "021000021", "021000021"),
    (bank_numbers.check_aba, " 1210-0024-8 ", "121000248"),
    (bank_numbers.check_iban, "de89 3704 0044 0532 0130 00", "DE89370400440532013000"),
    (bank_numbers.check_iban, "MT84MALT011000012345MTLCAST001S", "MT84MALT011000012345MTLCAST001S"),
    (bank_numbers.check_bic, "bofaus3n", "BOFAUS3N"),
    (bank_numbers.check_bic, "DEUTDEFF500", "DEUTDEFF500"),
    (bank_numbers.check_clabe, "032180000118359719", "032180000118359719"),
    (bank_numbers.check_cbu, "28505909 40090418135201", "2850590940090418135201"),
    (bank_numbers.check_cvu, "0000003100010000000009", "0000003100010000000009"),
    (bank_numbers.check_alias, "Ada.Example-1", "ada.example-1"),
    (bank_numbers.check_card, "4111 1111 1111 1111", "4111111111111111"),
    (bank_numbers.check_nuban, "0123456789", "0123456789"),
    (bank_numbers.check_pix_key, "123.456.789-09", "12345678909"),
    (bank_numbers.check_pix_key, "16.727.230/0001-97", "16727230000197"),
    (bank_numbers.check_pix_key, "12.ABC.345/01DE-35", "12ABC34501DE35"),
    (bank_numbers.check_pix_key, "Ada@Example.com", "ada@example.com"),
    (bank_numbers.check_pix_key, "+55 11 91234-5678", "+5511912345678"),
    (
        bank_numbers.check_pix_key,
        "123E4567-E89B-12D3-A456-426614174000",
        "123e4567-e89b-12d3-a456-426614174000",
    ),
]
MISSHAPEN: list[tuple[BankNumber, str]] = [
    (bank_numbers.check_aba, "02100002"),
    (bank_numbers.check_aba, "0210000211"),
    (bank_numbers.check_iban, "12"),
    (bank_numbers.check_bic, "BOFAUS3"),
    (bank_numbers.check_clabe, "03218000011835971"),
    (bank_numbers.check_cbu, "285059094009041813520"),
    (bank_numbers.check_alias, "ada"),
    (bank_numbers.check_alias, "ada_example"),
    (bank_numbers.check_card, "411111111111111"),
    (bank_numbers.check_nuban, "012345678"),
    (bank_numbers.check_pix_key, "+14155550123"),
    (bank_numbers.check_pix_key, "1234567890"),
    (bank_numbers.check_pix_key, "1234567890A"),
    (bank_numbers.check_pix_key, "ada@"),
    (bank_numbers.check_us_account, "123"),
    (bank_numbers.check_account_number, "12/34"),
]
UNTRUE: list[tuple[BankNumber, str]] = [
    (bank_numbers.check_aba, "021000022"),
    (bank_numbers.check_aba, "000000000"),
    (bank_numbers.check_aba, "990000021"),
    (bank_numbers.check_iban, "DE89370400440532013001"),
    (bank_numbers.check_iban, "XX89370400440532013000"),
    (bank_numbers.check_iban, "DE8937040044053201300"),
    (bank_numbers.check_bic, "BOFAXX3N"),
    (bank_numbers.check_clabe, "032180000118359718"),
    (bank_numbers.check_cbu, "2850590940090418135202"),
    (bank_numbers.check_cbu, "0000003100010000000009"),
    (bank_numbers.check_cvu, "2850590940090418135201"),
    (bank_numbers.check_card, "4111111111111112"),
    (bank_numbers.check_card, "0000000000000000"),
    (bank_numbers.check_pix_key, "123.456.789-00"),
    (bank_numbers.check_pix_key, "16.727.230/0001-98"),
]


@pytest.mark.parametrize(("number", "text", "canonical"), GOOD)
def test_valid_numbers_become_canonical(number: BankNumber, text: str, canonical: str) -> None:
    assert number("us.x", text) == canonical


@pytest.mark.parametrize(("number", "text"), MISSHAPEN)
def test_malformed_number_is_refused_by_its_form(number: BankNumber, text: str) -> None:
    with pytest.raises(FieldInvalid, match=r"^us\.x must be ") as refused:
        number.shape("us.x", text)
    assert refused.value.field == "us.x"


@pytest.mark.parametrize(("number", "text"), UNTRUE)
def test_number_that_contradicts_itself_is_refused(number: BankNumber, text: str) -> None:
    assert number.why_not(number.shape("us.x", text))
    with pytest.raises(FieldInvalid, match=r"^us\.x must be .*: ") as refused:
        number("us.x", text)
    assert refused.value.field == "us.x"


def _digits(length: int) -> st.SearchStrategy[str]:
    return st.text("0123456789", min_size=length, max_size=length)


def _closed(body: str, number: BankNumber) -> str:
    """Return `body` with its correct check digit."""
    found = [body + digit for digit in "0123456789" if number.why_not(body + digit) is None]
    assert len(found) == 1
    return found[0]


def _aba(body: str) -> str:
    return _closed("02" + body[:5] + "1", bank_numbers.check_aba)


def _clabe(body: str) -> str:
    return _closed(body[:17], bank_numbers.check_clabe)


def _card(body: str) -> str:
    return _closed("4" + body[:14], bank_numbers.check_card)


def _cbu(body: str) -> str:
    ends = [f"285{body[:4]}{check}{body[4:17]}{last}" for check in range(10) for last in range(10)]
    (found,) = [each for each in ends if bank_numbers.check_cbu.why_not(each) is None]
    return found


def _iban(body: str) -> str:
    account = body[:18]
    left = int(account + "131400") % 97
    return f"DE{98 - left:02}{account}"


@pytest.mark.parametrize(
    ("number", "make"),
    [
        (bank_numbers.check_aba, _aba),
        (bank_numbers.check_clabe, _clabe),
        (bank_numbers.check_card, _card),
        (bank_numbers.check_cbu, _cbu),
        (bank_numbers.check_iban, _iban),
    ],
)
@given(body=_digits(18), place=st.integers(0, 21), change=st.integers(1, 9))
@settings(max_examples=100, deadline=None)
def test_every_wrong_single_digit_shows(
    number: BankNumber, make: Callable[[str], str], body: str, place: int, change: int
) -> None:
    right = make(body)
    assert number("x", right) == right
    at = place % len(right)
    if right[at].isdigit():
        wrong = right[:at] + str((int(right[at]) + change) % 10) + right[at + 1 :]
        assert number.why_not(number.shape("x", wrong)), (right, wrong)
