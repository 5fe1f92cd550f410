"""List of payments, and the page of each type."""

from typing import Any, cast
from uuid import uuid4

from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.http.internal_client import InternalClient
from landbridge.sandbox.scenarios.trigger import SCENARIOS
from tests.applications import app_of
from tests.dashboard.browsing import visit
from tests.dashboard.world import in_process_client
from tests.onramps import make_onramp
from tests.payouts import accept, make_account, make_offramp, make_payee
from tests.tenants import (
    TRANSFERS,
    Tenant,
    business,
    fund,
    good,
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


async def test_list_opens_for_every_role(org: Tenant) -> None:
    for role in MemberRole:
        visitor = await visit(org, role)
        assert "No payments yet" in (await visitor.load(LIST)).text
    ada = await make_user(org, funds="10")
    swap = await make_swap(org, ada, "1.25", status=SwapStatus.COMPLETED)
    for role in MemberRole:
        visitor = await visit(org, role)
        page = await visitor.load(LIST)
        assert f"{LIST}/{swap['id']}" in page.links()
        assert 'title="COMPLETED"' in page.response.text
        assert "Ada Example" in page.text
        assert ("/dashboard/new/transfer" in page.links()) == (role is not MemberRole.ANALYST)


async def test_filters_are_in_the_address(org: Tenant) -> None:
    ada = await make_user(org, funds="50")
    bob = await make_user(org, funds="50", firstName="Bob", email="bob@example.com")
    swap = f"{LIST}/{(await make_swap(org, ada, '5'))['id']}"
    transfer = f"{LIST}/{(await make_transfer(org, bob, ada, 2))['id']}"
    admin = await visit(org)
    today = (await org.get("/v2/transactions"))["data"][0]["createdAt"][:10]
    for query, expected in (
        ({"type": "WALLET.SWAP"}, {swap}),
        ({"status": "OPEN_QUOTE"}, {swap}),
        ({"currency": "usdt"}, {swap}),
        ({"currency": "usdc"}, {swap, transfer}),
        ({"user": bob}, {transfer}),
        ({"user": "bob@example.com"}, {transfer}),
        ({"minimum": "3"}, {swap}),
        ({"maximum": "3", "type": ""}, {transfer}),
        ({"from": today, "until": today}, {swap, transfer}),
        ({"from": "2190-01-01"}, set[str]()),
        ({"until": "2001-01-01"}, set[str]()),
    ):
        page = await admin.load(LIST, **query)
        assert {each for each in page.links() if each in {swap, transfer}} == expected, query


async def test_invalid_filters_show_errors(org: Tenant) -> None:
    admin = await visit(org)
    for query, words in (
        ({"type": "GIFT"}, "type must be one of"),
        ({"user": "nobody@example.com"}, "No user has this name"),
        ({"minimum": "much"}, "This number can't be read"),
        ({"from": "soon"}, "Enter a date"),
        ({"until": "9999-12-31"}, "Enter a date"),
        ({"cursor": "x"}, "cursor"),
    ):
        page = await admin.open(LIST, **query)
        assert page.status == 422
        assert words in page.text, query


async def test_older_payments_are_on_the_next_page(org: Tenant) -> None:
    ada = await make_user(org, funds="50")
    created = [(await make_swap(org, ada, "1"))["id"] for _ in range(27)]
    admin = await visit(org)
    first = await admin.load(LIST)
    assert f"{LIST}/{created[0]}" not in first.links()
    (older,) = first.tree.xpath('//a[@rel="next"]/@href')
    assert f"{LIST}/{created[0]}" in (await admin.load(str(older))).links()


async def test_every_type_has_a_payment_page(org: Tenant) -> None:
    ada = await make_payee(org)
    bob = await make_user(org, firstName="Bob", chains=["POLYGON", "BASE"])
    account = await make_account(org, ada)
    offramp = await make_offramp(org, ada, account)
    await accept(org, offramp)
    batch = [{"userId": bob, "amount": "3"}, {"userId": bob, "amount": "0.5"}]
    created = {
        "Swap": await make_swap(org, ada, "5", status=SwapStatus.COMPLETED),
        "Transfer": await make_transfer(org, ada, bob, 2),
        "Batch": await make_batch(org, ada, *batch),
        "Bridge": await make_bridge(org, ada, bob),
        "Onramp": await make_onramp(org, ada),
        "Offramp": offramp,
    }
    await run_due(org)
    for role in MemberRole:
        visitor = await visit(org, role)
        for name, each in created.items():
            page = await visitor.load(f"{LIST}/{each['id']}")
            assert page.title.startswith(name)
            assert f"/dashboard/users/{ada}" in page.links()
            assert "Timeline" in page.text
            assert each["requestId"] in page.response.text
    transfer = await (await visit(org)).load(f"{LIST}/{created['Transfer']['id']}")
    assert "data-poll" not in transfer.response.text
    path = f"{LIST}/{created['Transfer']['id']}"
    assert f"/dashboard/users/{ada}/wallets" in transfer.links()
    journals = await (await visit(org)).load(f"{path}/journals")
    assert "Journal entry of Completed" in journals.text
    assert "Debit" in journals.text
    history = (await org.get(f"/v2/transactions/{created['Transfer']['id']}"))["history"]
    (chain_hash,) = [each["facts"]["transactionHash"] for each in history if each["facts"]]
    references = await (await visit(org)).load(f"{path}/references")
    assert chain_hash in references.response.text


async def test_each_section_has_an_address_and_what_decides_above_it(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    path = f"{LIST}/{(await make_swap(org, ada, '5'))['id']}"
    admin = await visit(org)
    overview = await admin.load(path)
    tabs = overview.tree.xpath('//nav[@aria-label="Payment"]//a/@href')
    names = ("timeline", "references", "journals", "events", "notes", "raw")
    assert tabs == [path, *(f"{path}/{each}" for each in names)]
    # Fragments of links that are older than the sections.
    for each in ("timeline", "notes", "raw"):
        assert overview.tree.xpath(f'//li[@id="{each}"]/a/@href') == [f"{path}/{each}"]
    for each in tabs:
        page = await admin.load(each)
        assert page.tree.xpath('//nav[@aria-label="Payment"]//a[@aria-current]/@href') == [each]
        assert "Acceptance of the quote" in page.text
        assert page.tree.xpath('//h1//*[@value="5"]')
        assert page.tree.xpath('//button[text()="Accept quote"]')
        assert page.tree.xpath('//*[@id="payment"]/@data-poll') == ["3"]
        assert len(page.tree.xpath('//*[@id="notes"]')) == 1
    assert (await admin.open(f"{path}/nothing")).status == 404


async def test_a_section_loads_only_its_own_records(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    path = f"{LIST}/{(await make_swap(org, ada, '5', status=SwapStatus.COMPLETED))['id']}"
    admin = await visit(org)
    overview = await admin.load(path)
    assert "Balance type" not in overview.text
    assert "Add a note" not in overview.text
    assert "Balance type" in (await admin.load(f"{path}/journals")).text
    assert "Amounts and fees" not in (await admin.load(f"{path}/journals")).text
    assert "Add a note" in (await admin.load(f"{path}/notes")).text
    assert '"transaction"' in (await admin.load(f"{path}/raw")).text


async def test_a_deadline_that_is_over_is_not_time_left(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org, firstName="Bob")
    headers = {**org.headers, "Landbridge-Sandbox": "chain_send=late:20d"}
    sent = await org.client.post(TRANSFERS, json=transfer_body(ada, bob, "1"), headers=headers)
    payment = good(sent)["transferDetails"]["id"]
    await run_due(org)
    # Banks and chains of a sandbox answer at once, so that it is due already.
    page = await (await visit(org)).load(f"{LIST}/{payment}")
    assert "Chain confirmation" in page.text
    assert "time left" not in page.text
    assert "was due" in page.text


async def test_open_payment_refreshes_itself(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    swap = await make_swap(org, ada, "5")
    admin = await visit(org)
    page = await admin.load(f"{LIST}/{swap['id']}")
    assert page.tree.xpath('//*[@id="payment"]/@data-poll') == ["3"]
    assert "Acceptance of the quote" in page.text


async def test_votes_are_shown(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    bob = await make_user(org, firstName="Bob")
    created = await make_transfer(org, ada, bob, 2, requireApproval=True)
    admin = await visit(org)
    page = await admin.load(f"{LIST}/{created['id']}")
    assert f"/dashboard/approvals/{created['approval']['id']}" in page.links()
    assert "Approval by an admin" in page.text


async def test_members_are_named(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    bob = await make_user(org, firstName="Bob")
    admin = await visit(org, name="Grace Admin")
    member = await visit(org, MemberRole.MEMBER, name="Mel Member")
    signed = await org.container.sessions.find(member.cookie)
    assert signed is not None
    interface = InternalClient(cast("Any", app_of(org.container)), signed.caller)
    created = await interface.submit(
        dict[str, Any], "/v2/wallets/transfers", transfer_body(ada, bob, 2)
    )
    approval = created["transferDetails"]["approval"]
    path = f"{LIST}/{created['transferDetails']['id']}"
    assert "Mel Member" in (await admin.load(f"{path}/timeline")).text
    boss = await org.container.sessions.find(admin.cookie)
    assert boss is not None
    deciding = InternalClient(cast("Any", app_of(org.container)), boss.caller)
    body = {"comment": "All is well & good."}
    await deciding.post(f"/v2/transfer-approvals/{approval['id']}/approve", body)
    for visitor in (admin, member):
        page = (await visitor.load(f"{path}/timeline")).text
        assert "Grace Admin" in page
    assert "All is well & good." in (await admin.load(f"{path}")).text


async def test_unknown_payment_is_not_found(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    swap = await make_swap(org, ada, "5")
    other = await make_tenant(org.container, org.client, name="Other")
    outsider = await visit(other)
    for each in (swap["id"], str(uuid4()), "x"):
        assert (await outsider.open(f"{LIST}/{each}")).status == 404


async def test_user_text_is_escaped(org: Tenant) -> None:
    user = (await org.post("/v2/users", business(await make_agreement(org))))["id"]
    await org.post(f"/v2/users/{user}", {"businessName": "O'Hara & Sons"})
    await fund(org, user, "10")
    swap = await make_swap(org, user, "5")
    admin = await visit(org)
    for path in (LIST, f"{LIST}/{swap['id']}", "/dashboard/search?q=hara"):
        page = await admin.load(path)
        assert "O'Hara & Sons" in page.text
        assert "Hara &amp; Sons" in page.response.text
    for name in ("user", "minimum", "from", "type", "cursor"):
        assert HOSTILE not in (await admin.open(LIST, **{name: f'">{HOSTILE}'})).response.text


async def test_the_list_is_filtered_by_the_name_of_a_user(org: Tenant) -> None:
    ada = await make_user(
        org, funds="10", firstName="Ada", lastName="Lovelace", email="ada@x.example"
    )
    grace = await make_user(
        org, funds="10", firstName="Grace", lastName="Lovelace", email="g@x.example"
    )
    swaps = {user: (await make_swap(org, user, "5"))["id"] for user in (ada, grace)}
    admin = await visit(org)
    for text in ("ada lovelace", "Ada", "ADA LOVE"):
        links = (await admin.load(LIST, user=text)).links()
        assert f"{LIST}/{swaps[ada]}" in links
        assert f"{LIST}/{swaps[grace]}" not in links
    assert "Several users match." in (await admin.open(LIST, user="lovelace")).text
    await make_user(org, firstName="Augusta", email="ada@x.example")
    page = await admin.open(LIST, user="ada@x.example")
    assert "Several users have this e-mail. Enter a user ID." in page.text
    assert "No user has this name" in (await admin.open(LIST, user="Turing")).text


async def test_notes_are_added_by_editors_and_shown_with_their_author(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    path = f"/dashboard/transactions/{(await make_swap(org, user))['id']}"
    member = await visit(org, MemberRole.MEMBER, name="Grace")
    to = await member.submit(f"{path}/notes", {"text": "Called the bank.\nThey pay tomorrow."})
    assert to == f"{path}/notes"
    analyst = await visit(org, MemberRole.ANALYST)
    page = await analyst.load(to)
    assert page.tree.xpath('string(//a[@id="tab-notes"]/span)') == "1"
    (note,) = page.tree.xpath('//ol[@class="remarks"]/li')
    assert note.xpath("p/text()")[0] == "Called the bank.\nThey pay tomorrow."
    assert "Grace" in note.text_content()
    assert "Add note" not in page.text
    assert (await analyst.send(f"{path}/notes", {"text": "a"})).status == 403
    wrong = await member.send(f"{path}/notes", {"text": "a" * 1001})
    assert wrong.status == 422
    assert wrong.tree.xpath('//textarea[@name="text"]/text()')[0].strip() == "a" * 1001
    assert "#f-text" in wrong.links()
    admin = await visit(org)
    log = await admin.load("/dashboard/audit-log", kind="TRANSACTION.NOTE")
    assert "Note on a payment" in log.text
    assert "Called the bank" not in log.text


async def test_the_rail_of_a_payout_is_named_in_words(org: Tenant) -> None:
    payout = (await SCENARIOS["OFFRAMP.STATUS.COMPLETED"](in_process_client(org))).subject_id
    page = await (await visit(org)).load(f"{LIST}/{payout}/references")
    assert page.tree.xpath("//dt[.='Payment rail']/following-sibling::dd/text()") == ["Wire"]
