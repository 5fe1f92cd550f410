"""A payment can be made again: its page links to the form with the same values."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest

from landbridge.dashboard.payments.payment_details import PaymentDetails, PaymentEnd
from landbridge.dashboard.transactions.milestones import milestones
from landbridge.dashboard.transactions.repeat_links import repeat_link
from landbridge.payments.engine.timelines import TimelineReply
from landbridge.payments.engine.wait_states import WaitParty
from landbridge.payments.swaps.model import SwapStatus
from landbridge.payments.transactions.detail_schemas import ChangeReply
from landbridge.platform.http.caller import MemberRole
from landbridge.sandbox.scenarios.trigger import SCENARIOS
from tests.dashboard.browsing import visit
from tests.dashboard.payment_forms import filled
from tests.dashboard.world import in_process_client
from tests.onramps import make_onramp
from tests.payouts import make_account, make_offramp, make_payee
from tests.tenants import Tenant, make_bridge, make_swap, make_transfer, make_user, register

LIST = "/dashboard/transactions"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def _transfer(org: Tenant, ada: str) -> Any:
    return await make_transfer(org, ada, await make_user(org, firstName="Bob"), "2.5")


async def _transfer_outside(org: Tenant, ada: str) -> Any:
    await register(org, ada, OUTSIDE)
    return await make_transfer(org, ada, {"walletAddress": OUTSIDE}, "2.5")


async def _bridge(org: Tenant, ada: str) -> Any:
    return await make_bridge(org, ada, ada, 2.5)


async def _swap(org: Tenant, ada: str) -> Any:
    return await make_swap(org, ada, "2.5")


async def _onramp(org: Tenant, ada: str) -> Any:
    return await make_onramp(org, ada, 25)


async def _offramp(org: Tenant, ada: str) -> Any:
    return await make_offramp(org, ada, await make_account(org, ada), 2.5)


@pytest.mark.parametrize("make", [_transfer, _transfer_outside, _bridge, _swap, _onramp, _offramp])
async def test_form_is_filled_and_can_be_reviewed(
    org: Tenant, make: Callable[[Tenant, str], Awaitable[Any]]
) -> None:
    ada = await make_payee(org, chains=["POLYGON", "BASE"])
    payment_id = (await make(org, ada))["id"]
    admin = await visit(org)
    page = await admin.load(f"{LIST}/{payment_id}")
    (link,) = page.tree.xpath("//a[starts-with(@href, '/dashboard/new/') and @title]/@href")
    form = await admin.load(str(link))
    review = await admin.send(str(link).partition("?")[0], {**filled(form), "step": "review"})
    assert "No payment has been created yet" in review.text
    before = page.tree.xpath("//h1")[0].text_content()
    assert before.split()[0] in review.text


async def test_recent_recipients_fill_the_form(org: Tenant) -> None:
    ada = await make_payee(org)
    bob = await make_user(org, firstName="Bob")
    await make_transfer(org, ada, bob, "2.5")
    await make_transfer(org, ada, bob, "1.5")
    await make_transfer(org, ada, await make_user(org, firstName="Grace"), "1")
    account = await make_account(org, ada)
    await make_offramp(org, ada, account, 2.5)
    admin = await visit(org)
    form = await admin.load("/dashboard/new/transfer", userId=ada)
    recent = form.tree.xpath("//ul[@aria-label='Recent recipients']//a")
    assert [each.text for each in recent] == ["Grace Example", "Bob Example"]
    filled_form = await admin.load(str(recent[1].get("href")))
    assert filled_form.value("toUser") == bob
    assert not filled_form.tree.xpath("//input[@name='amount']/@value")[0]
    payout = await admin.load("/dashboard/new/offramp", userId=ada)
    (link,) = payout.tree.xpath("//ul[@aria-label='Recent recipients']//a/@href")
    chosen = (await admin.load(str(link))).tree.xpath(
        "//select[@name='account']/option[@selected]/@value"
    )
    assert chosen == [f"{account}:usd"]
    swap = await admin.load("/dashboard/new/swap", userId=ada)
    assert "Recent recipients" not in swap.text


async def test_failed_payment_is_tried_again(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    failed = (await make_swap(org, ada, "5", status=SwapStatus.QUOTE_FAILED))["id"]
    done = (await make_swap(org, ada, "5", status=SwapStatus.COMPLETED))["id"]
    admin, analyst = await visit(org), await visit(org, MemberRole.ANALYST)
    assert "Try again" in (await admin.load(f"{LIST}/{failed}")).text
    completed = await admin.load(f"{LIST}/{done}")
    assert "Try again" not in completed.text
    assert "Duplicate" in completed.text
    assert "Duplicate" not in (await analyst.load(f"{LIST}/{done}")).text


async def test_an_expired_quote_is_said_once(org: Tenant) -> None:
    client, admin = in_process_client(org), await visit(org)
    for kind in ("OFFRAMP", "ONRAMP", "WALLET.SWAP"):
        expired = (await SCENARIOS[f"{kind}.STATUS.QUOTE_FAILED"](client)).subject_id
        page = await admin.load(f"{LIST}/{expired}")
        head = page.tree.xpath("//*[@id='payment']/*[not(preceding-sibling::nav)]")
        text = " ".join(each.text_content() for each in head)
        assert text.lower().count("quote expired") == 1, kind
        assert "Try again" in text
        assert ("Quote again" in text) is (kind == "OFFRAMP")


async def test_page_shows_gross_fee_and_net(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    swap = (await make_swap(org, ada, "5"))["id"]
    page = await (await visit(org)).load(f"{LIST}/{swap}")
    (amounts,) = page.tree.xpath("//section[@aria-labelledby='h-fees']//dl")
    facts = [" ".join(each.text_content().split()) for each in amounts.xpath("div")]
    assert facts == ["Gross5.00 USDC", "Fee0.005 USDC", "Net4.995 USDC"]


def test_batch_and_disbursement_have_no_form() -> None:
    for kind in ("WALLET.TRANSFER.BATCH", "DISBURSEMENT"):
        assert repeat_link(kind, _details(PaymentEnd(user_id=UUID(int=1)))) is None
    assert repeat_link("WALLET.SWAP", _details(PaymentEnd())) is None


def _details(source: PaymentEnd) -> PaymentDetails:
    return PaymentDetails(
        id=UUID(int=2), status="COMPLETED", source=source, destination=PaymentEnd()
    )


@pytest.mark.parametrize(
    ("statuses", "waits_for", "expected"),
    [
        (["CREATED"], WaitParty.WORKER, [("CREATED", True), (None, False)]),
        (["A", "B"], WaitParty.BANK, [("A", False), ("B", True), (None, False)]),
        (["A", "B", "C", "D"], None, [("A", False), ("C", False), ("D", False)]),
        (["A", "B"], None, [("A", False), ("B", False)]),
    ],
)
def test_milestones_are_beginning_middle_and_end(
    statuses: list[str], waits_for: WaitParty | None, expected: list[tuple[str | None, bool]]
) -> None:
    steps = [
        ChangeReply(
            seq=1,
            change_type="",
            status_before=None,
            status_after=each,
            actor="worker",
            at="2026-01-01T00:00:00+00:00",
            facts={},
        )
        for each in statuses
    ]
    timeline = TimelineReply(
        steps=[],
        waits_for=waits_for,
        waits_since=None,
        waits_until=None,
        is_stuck=False,
        outcome_plan=None,
    )
    found = milestones(steps, timeline)
    assert [(each.status, each.is_current) for each in found] == expected
