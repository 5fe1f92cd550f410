"""Deposit instructions: whole numbers with copy buttons, and deadlines in words."""

from landbridge.dashboard.deposit_formats import (
    account_number,
    bank_sentence,
    whole,
    with_account_numbers,
)
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import DashboardPage, visit
from tests.dashboard.payment_forms import create_payment
from tests.onramps import make_onramp, make_payer, retrieve
from tests.payouts import OUTSIDE, make_account, make_payee
from tests.tenants import Tenant, register

HERE = "/dashboard/transactions"


def test_an_account_number_is_grouped_and_copied_whole() -> None:
    shown = account_number("9000123456")
    assert "<span>9000</span><span>1234</span><span>56</span>" in shown
    assert 'data-copy="9000123456"' in shown
    routing = account_number("021000021")
    assert "<span>021</span><span>000</span><span>021</span>" in routing


def test_a_copied_value_is_escaped() -> None:
    shown = whole('"><script>')
    assert "<script>" not in shown
    assert 'data-copy="&#34;&gt;&lt;script&gt;"' in shown


def test_numbers_of_a_sentence_can_be_copied() -> None:
    iban = with_account_numbers("Pay by SEPA to IBAN DE89370400440532013000 & wait.")
    assert 'data-copy="DE89370400440532013000"' in iban
    assert iban.startswith("Pay by SEPA to IBAN <span")
    assert iban.endswith(" &amp; wait.")
    key = "3f0c9a52-6f0e-5d56-8f0b-0a4f3c0f9b11"
    assert f'data-copy="{key}"' in with_account_numbers(f"Pay by PIX with the key {key}.")


def test_the_banks_sentence_is_without_amount_and_time() -> None:
    requirement = "Send exactly 5 eur by 2026-01-31T00:00:00+00:00, with the reference R."
    assert bank_sentence(requirement) == ""
    assert bank_sentence(f"Pay to IBAN X. {requirement}") == "Pay to IBAN X."


async def test_an_onramp_shows_whole_numbers_and_a_deadline_with_its_zone(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    info = (await retrieve(org, onramp))["depositInfo"]
    for role in MemberRole:
        page = await (await visit(org, role)).load(f"{HERE}/{onramp['id']}")
        shown = [each.text_content() for each in page.tree.xpath("//main//code")]
        copied = page.tree.xpath("//button/@data-copy")
        for value in (info["reference"], info["swiftCode"]):
            assert value in copied
            assert value in shown
        number, is_shown = info["wire"]["accountNumber"], role is not MemberRole.ANALYST
        assert (number in copied, number in shown) == (is_shown, is_shown)
        assert (f"****{number[-4:]}" in page.text) is not is_shown
        assert "(Coordinated Universal Time)" in _deadline(page)
        assert "Send exactly" not in page.text.partition("JSON")[0]


async def test_instructions_are_in_the_readers_language(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    admin = await visit(org)
    await admin.submit("/dashboard/profile", {"name": "Ada", "language": "es", "theme": "dark"})
    page = await admin.load(f"{HERE}/{onramp['id']}")
    assert "(tiempo universal coordinado)" in _deadline(page)
    assert "Un depósito por otro importe" in page.text


async def test_a_coin_deposit_shows_whole_addresses(org: Tenant) -> None:
    ada = await make_payee(org)
    account, wallet = await make_account(org, ada), await register(org, ada, OUTSIDE)
    admin = await visit(org)
    source = f"external:{wallet}:POLYGON:usdc"
    offramp = await create_payment(
        admin, "offramp", ada, wallet=source, account=f"{account}:usd", amount="50"
    )
    await admin.submit(f"{HERE}/{offramp}/accept", {"kind": "OFFRAMP"})
    page = await admin.load(f"{HERE}/{offramp}")
    assert OUTSIDE in [each.text_content() for each in page.tree.xpath("//main//code")]
    assert "(Coordinated Universal Time)" in _deadline(page)


def _deadline(page: DashboardPage) -> str:
    (shown,) = page.tree.xpath("//time[@class='words']")
    return str(shown.text_content())
