from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.core.errors import FieldInvalid
from landbridge.formats import banks
from landbridge.formats.banks import BankNumber

GOOD: list[tuple[BankNumber, str, str]] = [
    (banks.check_aba, "021000021", "021000021"),
    (banks.check_aba, " 1210-0024-8 ", "121000248"),
    (banks.check_iban, "de89 3704 0044 0532 0130 00", "DE89370400440532013000"),
    (banks.check_iban, "MT84MALT011000012345MTLCAST001S", "MT84MALT011000012345MTLCAST001S"),
    (banks.check_bic, "bofaus3n", "BOFAUS3N"),
    (banks.check_bic, "DEUTDEFF500", "DEUTDEFF500"),
    (banks.check_clabe, "032180000118359719", "032180000118359719"),
    (banks.check_cbu, "28505909 40090418135201", "2850590940090418135201"),
    (banks.check_cvu, "0000003100010000000009", "0000003100010000000009"),
    (banks.check_alias, "Ada.Example-1", "ada.example-1"),
    (banks.check_card, "4111 1111 1111 1111", "4111111111111111"),
    (banks.check_nuban, "0123456789", "0123456789"),
    (banks.check_pix_key, "123.456.789-09", "12345678909"),
    (banks.check_pix_key, "16.727.230/0001-97", "16727230000197"),
    (banks.check_pix_key, "12.ABC.345/01DE-35", "12ABC34501DE35"),
    (banks.check_pix_key, "Ada@Example.com", "ada@example.com"),
    (banks.check_pix_key, "+55 11 91234-5678", "+5511912345678"),
    (
        banks.check_pix_key,
        "123E4567-E89B-12D3-A456-426614174000",
        "123e4567-e89b-12d3-a456-426614174000",
    ),
]
MISSHAPEN: list[tuple[BankNumber, str]] = [
    (banks.check_aba, "02100002"),
    (banks.check_aba, "0210000211"),
    (banks.check_iban, "12"),
    (banks.check_bic, "BOFAUS3"),
    (banks.check_clabe, "03218000011835971"),
    (banks.check_cbu, "285059094009041813520"),
    (banks.check_alias, "ada"),
    (banks.check_alias, "ada_example"),
    (banks.check_card, "411111111111111"),
    (banks.check_nuban, "012345678"),
    (banks.check_pix_key, "+14155550123"),
    (banks.check_pix_key, "1234567890"),
    (banks.check_pix_key, "1234567890A"),
    (banks.check_pix_key, "ada@"),
    (banks.check_us_account, "123"),
    (banks.check_account_number, "12/34"),
]
UNTRUE: list[tuple[BankNumber, str]] = [
    (banks.check_aba, "021000022"),
    (banks.check_aba, "000000000"),
    (banks.check_aba, "990000021"),
    (banks.check_iban, "DE89370400440532013001"),
    (banks.check_iban, "XX89370400440532013000"),
    (banks.check_iban, "DE8937040044053201300"),
    (banks.check_bic, "BOFAXX3N"),
    (banks.check_clabe, "032180000118359718"),
    (banks.check_cbu, "2850590940090418135202"),
    (banks.check_cbu, "0000003100010000000009"),
    (banks.check_cvu, "2850590940090418135201"),
    (banks.check_card, "4111111111111112"),
    (banks.check_card, "0000000000000000"),
    (banks.check_pix_key, "123.456.789-00"),
    (banks.check_pix_key, "16.727.230/0001-98"),
]


@pytest.mark.parametrize(("number", "told", "canonical"), GOOD)
def test_good_numbers_become_canonical(number: BankNumber, told: str, canonical: str) -> None:
    assert number("us.x", told) == canonical


@pytest.mark.parametrize(("number", "told"), MISSHAPEN)
def test_what_can_not_be_such_a_number_is_refused_by_its_form(
    number: BankNumber, told: str
) -> None:
    with pytest.raises(FieldInvalid, match=r"^us\.x must be ") as refused:
        number.shape("us.x", told)
    assert refused.value.field == "us.x"


@pytest.mark.parametrize(("number", "told"), UNTRUE)
def test_what_contradicts_itself_has_the_form_but_is_refused(number: BankNumber, told: str) -> None:
    assert number.why_not(number.shape("us.x", told))
    with pytest.raises(FieldInvalid, match=r"^us\.x must be .*: ") as refused:
        number("us.x", told)
    assert refused.value.field == "us.x"


def _digits(length: int) -> st.SearchStrategy[str]:
    return st.text("0123456789", min_size=length, max_size=length)


def _closed(body: str, number: BankNumber) -> str:
    """`body` and the one last digit that makes it right."""
    found = [body + digit for digit in "0123456789" if number.why_not(body + digit) is None]
    assert len(found) == 1
    return found[0]


def _aba(body: str) -> str:
    return _closed("02" + body[:5] + "1", banks.check_aba)


def _clabe(body: str) -> str:
    return _closed(body[:17], banks.check_clabe)


def _card(body: str) -> str:
    return _closed("4" + body[:14], banks.check_card)


def _cbu(body: str) -> str:
    ends = [f"285{body[:4]}{check}{body[4:17]}{last}" for check in range(10) for last in range(10)]
    (found,) = [each for each in ends if banks.check_cbu.why_not(each) is None]
    return found


def _iban(body: str) -> str:
    account = body[:18]
    left = int(account + "131400") % 97
    return f"DE{98 - left:02}{account}"


@pytest.mark.parametrize(
    ("number", "make"),
    [
        (banks.check_aba, _aba),
        (banks.check_clabe, _clabe),
        (banks.check_card, _card),
        (banks.check_cbu, _cbu),
        (banks.check_iban, _iban),
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
