"""Amounts typed into forms: read in the reader's format, or refused."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.dashboard.number_formats import number_text, parse_number, plain_number
from landbridge.platform.core.errors import FieldInvalid
from tests.dashboard.browsing import Visitor, visit
from tests.dashboard.payment_forms import NEW, create_payment, filled, review
from tests.tenants import TRANSFERS, Tenant, make_user

LOCALES = ("en", "es", "es_MX", "de", "de_CH", "fr", "pt", "pt_BR", "sv", "pl", "it", "en_ZA")
AMOUNTS = st.decimals(min_value=0, max_value=10**24, places=6) | st.decimals(
    min_value=0, max_value=10**7, places=3
)


@given(value=AMOUNTS, locale=st.sampled_from(LOCALES))
def test_a_shown_amount_is_read_as_the_same_amount(value: Decimal, locale: str) -> None:
    for text in (plain_number(value, locale), number_text(f"{value:f}", locale)):
        assert Decimal(parse_number(text, locale, field="amount")) == value


@pytest.mark.parametrize("zero", ["0", "0.000000", "-0.00", "0E-18", "0E+3"])
def test_zeros_look_alike(zero: str) -> None:
    assert plain_number(Decimal(zero), "en") == plain_number(zero, "en") == "0.00"


@pytest.mark.parametrize("text", ["1250.5", "1250.50", "1250.500000"])
def test_an_amount_looks_alike_with_any_decimals(text: str) -> None:
    assert plain_number(text, "en") == plain_number(Decimal(text), "en") == "1,250.50"


@given(text=st.text(alphabet="0123456789.,' ", max_size=12), locale=st.sampled_from(LOCALES))
def test_a_text_that_is_read_is_shown_as_it_was_typed(text: str, locale: str) -> None:
    try:
        read = parse_number(text, locale, field="amount")
    except FieldInvalid:
        return
    if read:
        point = plain_number(Decimal("0.5"), locale)[1]
        digits = "".join(each for each in text if each.isdigit() or each == point)
        shown = plain_number(Decimal(read), locale)
        shown_digits = "".join(each for each in shown if each.isdigit() or each == point)
        assert _trimmed(digits, point) == _trimmed(shown_digits, point)


@pytest.mark.parametrize(
    ("text", "locale", "number"),
    [
        ("1.250", "es", "1250"),
        ("1250,50", "es", "1250.50"),
        ("1.250,50", "es", "1250.50"),
        ("60,000", "en", "60000"),
        ("846.351", "en", "846.351"),
        ("1 250.50", "en", "1250.50"),
        (".5", "en", "0.5"),
        ("-5", "en", "-5"),
        ("1'250.50", "de_CH", "1250.50"),
        ("", "en", ""),
    ],
)
def test_numbers_are_read_in_the_format_of_the_language(
    text: str, locale: str, number: str
) -> None:
    assert parse_number(text, locale, field="amount") == number


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("1.25", "es"),
        ("0.125", "es"),
        ("1250.50", "es"),
        ("1,250.50", "es"),
        ("1250,50", "en"),
        ("1,25", "en"),
        ("1.250.000", "en"),
        ("1,250,00", "en"),
        ("1 250,000", "en"),
        ("12 USD", "en"),
        ("1e5", "en"),
        (".", "en"),
        ("-", "en"),
        ("\u0661\u0662", "en"),  # digits of another script
    ],
)
def test_ambiguous_numbers_are_refused_at_their_field(text: str, locale: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        parse_number(text, locale, field="amount")
    assert refused.value.field == "amount"


async def test_spanish_amount_is_sent_as_it_is_shown(org: Tenant) -> None:
    ada, grace, admin = await _spanish(org)
    fields = {"to": "user", "toUser": grace, "feeType": "PERCENT", "feeValue": "1,5"}
    page = await review(admin, "transfer", ada, amount="1.250", **fields)
    assert page.status == 200
    assert "1.250,00 USDC" in page.text
    payment = await create_payment(admin, "transfer", ada, amount="1.250", **fields)
    details = (await org.get(f"{TRANSFERS}/{payment}"))["transferDetails"]
    assert (details["amount"], details["developerFee"]["feeAmount"]) == (1250, 18.75)


async def test_ambiguous_amount_is_refused_on_the_form(org: Tenant) -> None:
    ada, grace, admin = await _spanish(org)
    page = await review(admin, "transfer", ada, to="user", toUser=grace, amount="1250.50")
    assert page.status == 422
    assert "1.250,50" in page.tree.xpath("string(//*[@id='w-amount'])")
    assert page.tree.xpath("//input[@name='amount']/@value") == ["1250.50"]


async def test_number_of_a_page_in_another_language_is_refused(org: Tenant) -> None:
    ada, grace, admin = await _spanish(org)
    page = await review(admin, "transfer", ada, to="user", toUser=grace, amount="1.250")
    await _choose(admin, "en")
    refused = await admin.send(f"{NEW}/transfer", {**filled(page), "step": "create"})
    assert refused.status == 422
    assert "The language changed" in refused.text
    assert (await org.get(TRANSFERS))["count"] == 0


async def test_link_writes_amounts_as_the_api_does(org: Tenant) -> None:
    ada, _grace, admin = await _spanish(org)
    page = await admin.load(f"{NEW}/transfer", userId=ada, amount="1250.5")
    assert page.tree.xpath("//input[@name='amount']/@value") == ["1250,5"]


async def test_lists_are_filtered_by_amounts_in_the_format_of_the_language(org: Tenant) -> None:
    ada, grace, admin = await _spanish(org)
    await create_payment(admin, "transfer", ada, to="user", toUser=grace, amount="1.250")
    path = "/dashboard/transactions"
    assert "1.250,00" in (await admin.load(path, minimum="1.249,5", maximum="1.250,5")).text
    assert "1.250,00" not in (await admin.load(path, minimum="1.251")).text


async def _spanish(org: Tenant) -> tuple[str, str, Visitor]:
    """Create a user with 5000 usdc, a recipient, and an admin who reads Spanish."""
    ada, grace = await make_user(org, funds="5000"), await make_user(org, email="g@example.com")
    admin = await visit(org)
    await _choose(admin, "es")
    return ada, grace, admin


async def _choose(visitor: Visitor, language: str) -> None:
    await visitor.submit(
        "/dashboard/profile", {"name": "Ada", "language": language, "theme": "dark"}
    )


def _trimmed(digits: str, point: str) -> str:
    whole, _, fraction = digits.partition(point)
    return f"{whole.lstrip('0') or '0'}{point}{fraction.rstrip('0')}"
