"""The list of payments, and the page of each."""

from typing import Any, cast
from uuid import uuid4

from landbridge.app import build_app
from landbridge.flows.swaps.model import Status
from landbridge.web.caller import Role
from landbridge.web.inside import Interface
from tests.dashboard.browsing import visit
from tests.onramps import make_onramp
from tests.payouts import accept, make_account, make_offramp, make_payee
from tests.tenants import (
    Tenant,
    business,
    fund,
    make_agreement,
    make_batch,
    make_bridge,
    make_swap,
    make_tenant,
    make_transfer,
    make_user,
    run_due,
    transfer_body,
)

LIST = "/dashboard/transactions"
HOSTILE = "<script>alert(1)</script>"


async def test_the_list_opens_for_everybody(org: Tenant) -> None:
    for role in Role:
        somebody = await visit(org, role)
        assert "No payments yet" in (await somebody.see(LIST)).text
    ada = await make_user(org, funds="10")
    swap = await make_swap(org, ada, "1.25", status=Status.COMPLETED)
    for role in Role:
        somebody = await visit(org, role)
        seen = await somebody.see(LIST)
        assert f"{LIST}/{swap['id']}" in seen.links()
        assert "COMPLETED" in seen.text
        assert "Ada Example" in seen.text
        assert ("/dashboard/new/transfer" in seen.links()) == (role is not Role.ANALYST)


async def test_filters_stand_in_the_address(org: Tenant) -> None:
    ada = await make_user(org, funds="50")
    bob = await make_user(org, funds="50", firstName="Bob", email="bob@example.com")
    swap = f"{LIST}/{(await make_swap(org, ada, '5'))['id']}"
    transfer = f"{LIST}/{(await make_transfer(org, bob, ada, 2))['id']}"
    admin = await visit(org)
    today = (await org.get("/v2/transactions"))["data"][0]["createdAt"][:10]
    for query, wanted in (
        ({"type": "WALLET.SWAP"}, {swap}),
        ({"status": "OPEN_QUOTE"}, {swap}),
        ({"currency": "usdt"}, {swap}),
        ({"currency": "usdc"}, {swap, transfer}),
        ({"user": bob}, {transfer}),
        ({"user": "bob@example.com"}, {transfer}),
        ({"least": "3"}, {swap}),
        ({"most": "3", "type": ""}, {transfer}),
        ({"from": today, "until": today}, {swap, transfer}),
        ({"from": "2190-01-01"}, set[str]()),
        ({"until": "2001-01-01"}, set[str]()),
    ):
        seen = await admin.see(LIST, **query)
        assert {each for each in seen.links() if each in {swap, transfer}} == wanted, query


async def test_filters_that_make_no_sense_say_so(org: Tenant) -> None:
    admin = await visit(org)
    for query, words in (
        ({"type": "GIFT"}, "type must be one of"),
        ({"user": "nobody@example.com"}, "Give the id of a user"),
        ({"least": "much"}, "minAmount"),
        ({"from": "soon"}, "A date looks like"),
        ({"until": "9999-12-31"}, "A date looks like"),
        ({"cursor": "x"}, "cursor"),
    ):
        seen = await admin.see(LIST, **query)
        assert words in seen.text, query


async def test_older_payments_are_a_page_further(org: Tenant) -> None:
    ada = await make_user(org, funds="50")
    made = [(await make_swap(org, ada, "1"))["id"] for _ in range(27)]
    admin = await visit(org)
    first = await admin.see(LIST)
    assert f"{LIST}/{made[0]}" not in first.links()
    (older,) = first.tree.xpath('//a[@rel="next"]/@href')
    assert f"{LIST}/{made[0]}" in (await admin.see(str(older))).links()


async def test_a_page_shows_every_kind(org: Tenant) -> None:
    ada = await make_payee(org)
    bob = await make_user(org, firstName="Bob", chains=["POLYGON", "BASE"])
    account = await make_account(org, ada)
    offramp = await make_offramp(org, ada, account)
    await accept(org, offramp)
    batch = [{"userId": bob, "amount": "3"}, {"userId": bob, "amount": "0.5"}]
    made = {
        "Swap": await make_swap(org, ada, "5", status=Status.COMPLETED),
        "Transfer": await make_transfer(org, ada, bob, 2),
        "Batch": await make_batch(org, ada, *batch),
        "Bridge": await make_bridge(org, ada, bob),
        "Onramp": await make_onramp(org, ada),
        "Offramp": offramp,
    }
    await run_due(org)
    for role in Role:
        somebody = await visit(org, role)
        for name, each in made.items():
            seen = await somebody.see(f"{LIST}/{each['id']}")
            assert seen.title.startswith(name)
            assert f"/dashboard/users/{ada}" in seen.links()
            assert "Timeline" in seen.text
            assert each["requestId"] in seen.answer.text
    transfer = await (await visit(org)).see(f"{LIST}/{made['Transfer']['id']}")
    assert "Journal of COMPLETED" in transfer.text
    assert "data-poll" not in transfer.answer.text
    assert "Debit" in transfer.text
    told = (await org.get(f"/v2/transactions/{made['Transfer']['id']}"))["history"]
    (chain_hash,) = [each["facts"]["transactionHash"] for each in told if each["facts"]]
    assert chain_hash in transfer.answer.text


async def test_a_payment_under_way_renews_itself(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    swap = await make_swap(org, ada, "5")
    admin = await visit(org)
    seen = await admin.see(f"{LIST}/{swap['id']}")
    assert seen.tree.xpath('//*[@id="payment"]/@data-poll') == ["3"]
    assert "Somebody to accept the quote" in seen.text


async def test_votes_are_shown(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    bob = await make_user(org, firstName="Bob")
    made = await make_transfer(org, ada, bob, 2, requireApproval=True)
    admin = await visit(org)
    seen = await admin.see(f"{LIST}/{made['id']}")
    assert f"/dashboard/approvals/{made['approval']['id']}" in seen.links()
    assert "An admin's approval" in seen.text


async def test_members_are_named(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    bob = await make_user(org, firstName="Bob")
    admin = await visit(org, name="Grace Admin")
    member = await visit(org, Role.MEMBER, name="Mel Member")
    signed = await org.house.sessions.find(member.cookie)
    assert signed is not None
    interface = Interface(cast("Any", build_app(org.house)), signed.caller)
    made = await interface.post("/v2/wallets/transfers", transfer_body(ada, bob, 2))
    approval = made["transferDetails"]["approval"]
    path = f"{LIST}/{made['transferDetails']['id']}"
    assert "Mel Member" in (await admin.see(path)).text
    boss = await org.house.sessions.find(admin.cookie)
    assert boss is not None
    deciding = Interface(cast("Any", build_app(org.house)), boss.caller)
    body = {"comment": "All is well & good."}
    await deciding.post(f"/v2/transfer-approvals/{approval['id']}/approve", body)
    for somebody in (admin, member):
        seen = (await somebody.see(path)).text
        assert "Grace Admin" in seen
    assert "All is well & good." in (await admin.see(path)).text


async def test_what_is_unknown_is_not_found(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    swap = await make_swap(org, ada, "5")
    other = await make_tenant(org.house, org.client, name="Other")
    stranger = await visit(other)
    for each in (swap["id"], str(uuid4()), "x"):
        assert (await stranger.open(f"{LIST}/{each}")).status == 404


async def test_what_was_typed_is_text(org: Tenant) -> None:
    user = (await org.post("/v2/users", business(await make_agreement(org))))["id"]
    await org.post(f"/v2/users/{user}", {"businessName": "O'Hara & Sons"})
    await fund(org, user, "10")
    swap = await make_swap(org, user, "5")
    admin = await visit(org)
    for path in (LIST, f"{LIST}/{swap['id']}", "/dashboard/search?q=hara"):
        seen = await admin.see(path)
        assert "O'Hara & Sons" in seen.text
        assert "Hara &amp; Sons" in seen.answer.text
    for name in ("user", "least", "from", "type", "cursor"):
        assert HOSTILE not in (await admin.see(LIST, **{name: f'">{HOSTILE}'})).answer.text
