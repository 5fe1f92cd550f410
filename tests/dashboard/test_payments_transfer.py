"""Transfers from pages: who may, what is reviewed, what is refused."""

from uuid import uuid4

import pytest

from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.dashboard.payment_forms import NEW, begin, filled, make, review
from tests.tenants import TRANSFERS, Tenant, fund, held, make_user, register, run_due

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def pair(org: Tenant) -> tuple[str, str]:
    """Ada with 100 usdc, and Grace."""
    ada = await make_user(org, funds="100")
    return ada, await make_user(org, firstName="Grace", email="grace@example.com")


async def details(org: Tenant, payment: str) -> dict[str, object]:
    return (await org.get(f"{TRANSFERS}/{payment}"))["transferDetails"]


async def test_an_admin_reviews_and_pays_at_once(org: Tenant) -> None:
    ada, grace = await pair(org)
    admin = await visit(org)
    seen = await review(
        admin, "transfer", ada, to="user", toUser="grace@example.com", amount="10.5"
    )
    assert seen.status == 200
    assert "Nothing has been made yet" in seen.text
    assert "Grace Example" in seen.text
    assert (await org.get(TRANSFERS))["count"] == 0
    where = await admin.done(f"{NEW}/transfer", {**filled(seen), "step": "create"})
    made = await details(org, where.rpartition("/")[2])
    assert made["status"] == "CREATED"
    await run_due(org)
    assert await held(org, grace) == "10.5"


async def test_a_member_is_told_that_it_waits(org: Tenant) -> None:
    ada, grace = await pair(org)
    member = await visit(org, Role.MEMBER)
    assert "waits for an admin" in (await member.see(f"{NEW}/transfer", userId=ada)).text
    seen = await review(member, "transfer", ada, to="user", toUser=grace, amount="10")
    assert "What you start waits for an admin" in seen.text
    where = await member.done(f"{NEW}/transfer", {**filled(seen), "step": "create"})
    assert (await details(org, where.rpartition("/")[2]))["status"] == "PENDING_APPROVAL"


async def test_an_analyst_is_refused(org: Tenant) -> None:
    ada, grace = await pair(org)
    admin, analyst = await visit(org), await visit(org, Role.ANALYST)
    fields = await begin(admin, "transfer", ada, to="user", toUser=grace, amount="10")
    for step in ("edit", "review", "create"):
        sent = await analyst.send(f"{NEW}/transfer", {**fields, "step": step})
        assert sent.status == 403
    for kind in ("transfer", "batch", "bridge", "swap", "onramp", "offramp"):
        assert (await analyst.open(f"{NEW}/{kind}")).status == 403
    assert (await org.get(TRANSFERS))["count"] == 0


async def test_a_form_that_is_sent_twice_pays_once(org: Tenant) -> None:
    ada, grace = await pair(org)
    admin = await visit(org)
    seen = await review(admin, "transfer", ada, to="user", toUser=grace, amount="10")
    fields = {**filled(seen), "step": "create"}
    first = await admin.done(f"{NEW}/transfer", fields)
    assert await admin.done(f"{NEW}/transfer", fields) == first
    assert await admin.done(f"{NEW}/transfer", {**fields, "step": "review"}) == first
    assert (await org.get(TRANSFERS))["count"] == 1
    # With another amount it is no longer the same: a form with an id of its own comes back.
    other = await admin.send(f"{NEW}/transfer", {**fields, "amount": "11"})
    assert other.status >= 400
    assert other.value("requestId") != fields["requestId"]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"amount": "1000"}, "the wallet holds less than the 1000 usdc"),
        ({"amount": "0"}, "above zero"),
        ({"amount": "ten"}, "amount"),
        ({"amount": ""}, "Fill this in."),
        ({"wallet": ""}, "Choose a wallet."),
        ({"wallet": "POLYGON:usdx"}, "usdx"),
        ({"wallet": "MARS:usdc"}, "chain"),
        ({"to": ""}, "Say who is paid."),
        ({"toUser": ""}, "Say who"),
        ({"toUser": "nobody@example.com"}, "No user has this"),
        ({"toUser": "example"}, "Several users fit"),
        ({"to": "external:no"}, "Choose one of those"),
        ({"to": f"external:{uuid4()}"}, "no external wallet"),
        ({"to": "new", "newAddress": ""}, "Write the address."),
        ({"to": "new", "newAddress": OUTSIDE, "newName": ""}, "Give the address a name"),
        ({"to": "new", "newAddress": "0x12", "newName": "Bank"}, "address"),
        ({"feeType": "PERCENT", "feeValue": "NaN"}, "Write the fee as a number"),
        ({"feeType": "FIX", "feeValue": "11"}, "fee"),
        ({"forced.chain_send": "late", "delay.chain_send": "soon"}, "the delay of chain_send"),
        ({"forced.chain_send": "late", "delay.chain_send": "é"}, "Write a delay"),
    ],
)
async def test_what_is_refused_comes_back_filled_in(
    org: Tenant, typed: dict[str, str], says: str
) -> None:
    ada, grace = await pair(org)
    admin = await visit(org)
    fields = {"to": "user", "toUser": grace, "amount": "10", "feeValue": "7", **typed}
    sent = await review(admin, "transfer", ada, **fields)
    assert 400 <= sent.status < 500
    assert says in sent.text
    assert sent.value("feeValue") == fields["feeValue"]
    assert (await org.get(TRANSFERS))["count"] == 0


async def test_a_frozen_user_is_refused_in_words(org: Tenant) -> None:
    ada, grace = await pair(org)
    await org.post(f"/v2/users/{ada}/freeze", {"reason": "test"})
    sent = await review(await visit(org), "transfer", ada, to="user", toUser=grace, amount="1")
    assert sent.status == 403
    assert "frozen" in sent.text
    assert sent.value("amount") == "1"


async def test_several_users_of_a_name_are_offered(org: Tenant) -> None:
    ada, grace = await pair(org)
    other = await make_user(org, firstName="Grace", email="other@example.com")
    admin = await visit(org)
    sent = await review(admin, "transfer", ada, to="user", toUser="grace", amount="1")
    assert "Several users fit" in sent.text
    assert grace in sent.text
    assert other in sent.text
    fields = {**filled(sent), "toUserId": other, "step": "review"}
    seen = await admin.send(f"{NEW}/transfer", fields)
    assert "other@example.com" in seen.answer.text
    payment = (await admin.done(f"{NEW}/transfer", {**filled(seen), "step": "create"})).rsplit("/")
    made = await details(org, payment[-1])
    assert made["destination"]["userId"] == other  # type: ignore[index]


async def test_a_new_address_is_registered_and_paid(org: Tenant) -> None:
    ada, _ = await pair(org)
    admin = await visit(org)
    to = {"to": "new", "newAddress": OUTSIDE, "newName": "Her bank"}
    payment = await make(admin, "transfer", ada, **to, amount="5")
    assert (await details(org, payment))["status"] == "CREATED"
    known = (await org.get(f"/v2/users/{ada}/wallets/external"))["externalWallets"]
    assert [each["name"] for each in known] == ["Her bank"]
    # It is offered from now on, and writing it again registers nothing.
    again = await make(admin, "transfer", ada, to=f"external:{known[0]['id']}", amount="5")
    assert (await details(org, again))["destination"]["walletAddress"] == OUTSIDE  # type: ignore[index]
    await make(admin, "transfer", ada, **{**to, "newAddress": OUTSIDE.lower()}, amount="5")
    assert (await org.get(f"/v2/users/{ada}/wallets/external"))["count"] == 1


async def test_a_fee_in_percent_is_on_top(org: Tenant) -> None:
    ada, grace = await pair(org)
    fee = {"feeType": "PERCENT", "feeValue": "1"}
    admin = await visit(org)
    seen = await review(admin, "transfer", ada, to="user", toUser=grace, amount="20", **fee)
    assert "20.20 usdc" in seen.text
    assert "Fees of your organisation" in seen.text


async def test_wallets_are_offered_with_what_they_hold(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    await fund(org, ada, "7.25", currency="usdt", chain="ETHEREUM")
    page = await (await visit(org)).see(f"{NEW}/transfer", userId=ada)
    offered = page.tree.xpath("//select[@name='wallet']/option/text()")
    assert set(offered[:2]) == {"POLYGON · 100.00 usdc", "ETHEREUM · 7.25 usdt"}


async def test_users_are_found_by_name_email_and_id(org: Tenant) -> None:
    ada, grace = await pair(org)
    admin = await visit(org)
    for text in ("Grace", "grace@", "GRACE EXAMPLE", grace, "grac"):
        page = await admin.see(f"{NEW}/transfer", q=text)
        assert f"/dashboard/new/transfer?userId={grace}" in page.links()
        assert f"/dashboard/new/transfer?userId={ada}" not in page.links()
        options = await admin.see(f"{NEW}/users", q=text)
        assert grace in options.answer.text
    assert "No user fits" in (await admin.see(f"{NEW}/transfer", q="zebra")).text
    assert "No user fits" in (await admin.see(f"{NEW}/transfer", q=str(uuid4()))).text
    assert len((await admin.see(f"{NEW}/transfer", q="x" * 5000)).text) < 5000


async def test_a_stranger_s_user_is_not_there(org: Tenant, other_org: Tenant) -> None:
    ada, _ = await pair(org)
    theirs = await make_user(other_org, funds="100")
    admin = await visit(org)
    assert (await admin.open(f"{NEW}/transfer", userId=theirs)).status == 404
    assert (await admin.open(f"{NEW}/transfer", userId="nobody")).status == 404
    assert (await admin.open(f"{NEW}/fortune", userId=ada)).status == 404
    sent = await review(admin, "transfer", ada, to="user", toUser=theirs, amount="1")
    assert sent.status == 422
    fields = await begin(admin, "transfer", ada, to="user", toUser="x", amount="1")
    chosen = {"toUserId": theirs, "toUserFor": "x", "step": "create"}
    assert (await admin.send(f"{NEW}/transfer", {**fields, **chosen})).status == 404


async def test_hostile_text_is_text(org: Tenant) -> None:
    evil = '"><script>alert(1)</script>'
    ada = await make_user(org, funds="100", lastName="O'Neil")
    admin = await visit(org)
    await register(org, ada, OUTSIDE, name="<i>Bank</i>")
    page = await review(admin, "transfer", ada, to="user", toUser=evil, amount=evil)
    for text in ("<script>alert", "<b>Ada", "<i>Bank"):
        assert text not in page.answer.text
    assert page.value("amount") == evil
    assert "<script>alert" not in (await admin.see(f"{NEW}/transfer", q=evil)).answer.text


async def test_what_a_sandbox_is_to_make_of_it(org: Tenant) -> None:
    ada, grace = await pair(org)
    admin = await visit(org)
    forced = {"forced.chain_send": "reject"}
    seen = await review(admin, "transfer", ada, to="user", toUser=grace, amount="1", **forced)
    assert "chain_send=reject" in seen.text
    where = await admin.done(f"{NEW}/transfer", {**filled(seen), "step": "create"})
    await run_due(org)
    assert (await details(org, where.rpartition("/")[2]))["status"] == "FAILED"
    refused = await review(
        admin,
        "transfer",
        ada,
        to="user",
        toUser=grace,
        amount="1",
        **{"forced.screening": "reject"},
    )
    assert refused.status == 403
