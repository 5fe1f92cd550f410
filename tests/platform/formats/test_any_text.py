"""Any text either becomes canonical and then stays unchanged, or raises `FieldInvalid`."""

import time
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from landbridge.customers.users.search import fold
from landbridge.dashboard.reports.template_form import name_of
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats import addresses, bank_numbers, people, tax, texts
from landbridge.platform.formats.addresses import Address
from landbridge.platform.formats.bank_numbers import BankNumber
from tests.matrices import in_one_test

BANKS = {name: each for name, each in vars(bank_numbers).items() if isinstance(each, BankNumber)}
COUNTRIES = ("USA", "BRA", "NGA", "HKG", "DEU", "CHN", "ZAF", "XXX", "")
CHECKS: dict[str, Callable[[str, str], str]] = {
    **BANKS,
    "check_text": texts.check_text,
    "check_prose": partial(texts.check_prose, length_max=1000),
    "check_url": texts.check_url,
    "check_name": people.check_name,
    "check_email": people.check_email,
    "check_phone": people.check_phone,
    "check_ip": people.check_ip,
    "check_country": addresses.check_country,
}
# Digits that `str.isdigit` believes in, halves of pairs, texts that forms nearly are.
HOSTILE = [
    "",
    " ",
    "\0",
    "\ud800",
    "٠٢١٠٠٠٠٢١",
    "²" * 9,
    "1" * 100_000,
    "a@" + "b" * 300 + ".com",
    "a@xn--0.com",
    "http://[::1",
    "http://a:99999/",
    "+" + "9" * 400,
    "DE" + "0" * 20,
    "00000000-0000-0000-0000-00000000000g",
    "\u200d",
    "a\u2028b",
    "\u202eabc",
    "a" + "\u0301" * 40,
]
# Pieces of such texts, so that many of the generated ones are nearly valid.
PIECES = st.lists(
    st.one_of(
        st.text(max_size=6),
        st.text("0123456789", max_size=22),
        st.sampled_from(["@", "+55", "DE", ".com", "-", " ", ":", "http://", "x.test", "\x7f"]),
    ),
    max_size=8,
).map("".join)


def _is_kept_or_refused(check: Callable[[str, str], str], text: str) -> None:
    canonical, refused = _tried(lambda: check("a.field", text))
    if refused is None:
        assert check("a.field", canonical) == canonical
    else:
        assert refused.field == "a.field"
        assert refused.message.startswith("a.field ")
        assert len(text) < 12 or text not in refused.message


def _tried(check: Callable[[], Any]) -> tuple[Any, FieldInvalid | None]:
    """Return the result of a check, or its refusal."""
    try:
        return check(), None
    except FieldInvalid as error:
        return None, error


@pytest.mark.parametrize("name", sorted(CHECKS))
@given(text=PIECES)
@settings(max_examples=60, deadline=None)
def test_any_text_is_canonicalised_or_refused_by_its_field(name: str, text: str) -> None:
    _is_kept_or_refused(CHECKS[name], text)


@in_one_test(product(sorted(CHECKS), HOSTILE))
def test_hostile_texts_are_refused_by_their_field(name: str, text: str) -> None:
    _is_kept_or_refused(CHECKS[name], text)


@pytest.mark.parametrize("country", [None, *sorted({"ARG", "CAN", "FRA", "IND", *COUNTRIES})])
@given(text=PIECES)
@example("٠٢١٠٠٠٠٢١")
@settings(max_examples=40, deadline=None)
def test_any_tax_number_is_accepted_or_refused(country: str | None, text: str) -> None:
    _is_kept_or_refused(partial(tax.check_tax_number, country=country), text)


@given(country=st.sampled_from(COUNTRIES), region=st.text(max_size=60))
@settings(deadline=None)
def test_any_region_is_accepted_or_refused(country: str, region: str) -> None:
    def check(field: str, text: str) -> str:
        return addresses.check_region(field, country, text)

    _is_kept_or_refused(check, region)


@given(
    st.builds(
        Address,
        address_line1=st.text(),
        address_line2=st.none() | st.text(),
        city=st.text(),
        state_province_region=st.sampled_from(["CA", "x", ""]) | st.text(),
        postal_code=st.text(),
        country=st.sampled_from(COUNTRIES) | st.text(),
    )
)
@settings(deadline=None)
def test_any_address_is_accepted_or_refused_by_a_field(address: Address) -> None:
    expected, refused = _tried(lambda: addresses.check_address("address", address))
    if refused is None:
        assert addresses.check_address("address", expected) == expected
    else:
        assert (refused.field or "").startswith("address.")


@given(day=st.dates(), today=st.dates(min_value=date(1900, 1, 1)))
def test_birth_dates_lie_in_the_past_and_within_a_life(day: date, today: date) -> None:
    _, is_refused = _tried(lambda: people.check_past_date("born", day, today=today))
    assert (is_refused is None) == (day < today)
    _, is_refused = _tried(lambda: people.check_birth_date("born", day, today=today))
    if is_refused is None:
        assert today - timedelta(days=366 * 121) < day < today


# Unicode reorders these marks, and its usual implementation takes the square of their number.
MARKS = "".join(chr(0x300 + index % 60) for index in range(100_000))


def test_a_text_of_many_marks_is_refused_at_once() -> None:
    began = time.process_time()
    for check in CHECKS.values():
        _tried(partial(check, "a.field", f"a{MARKS}"))
    _, refused = _tried(lambda: addresses.check_region("a.field", "USA", f"a{MARKS}"))
    assert refused is not None
    assert fold(f"a{MARKS}") != fold("a")
    assert name_of(MARKS) == ""
    assert time.process_time() - began < 2


@pytest.mark.parametrize("check", ["check_text", "check_prose"])
def test_marks_on_one_letter_are_bounded_before_they_are_sorted(check: str) -> None:
    stacked, most = "a" + "\u0316\u0301" * 300, "a" + "\u0316" * 29 + "\u0301"
    with pytest.raises(FieldInvalid, match="at most 30 marks on a letter"):
        CHECKS[check]("text", stacked)
    assert CHECKS[check]("text", most) == "\u00e1" + "\u0316" * 29
