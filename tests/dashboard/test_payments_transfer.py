"""Transfers: permissions, review and refusals."""

from uuid import uuid4

import pytest

from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.dashboard.payment_forms import NEW, begin, create_payment, filled, review
from tests.tenants import TRANSFERS, Tenant, fund, held, make_user, register, run_due

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def make_users(org: Tenant) -> tuple[str, str]:
    """Create Ada with 100 usdc, and Grace."""
    ada = await make_user(org, funds="100")
    return ada, await make_user(org, firstName="Grace", email="grace@example.com")


async def details(org: Tenant, payment: str) -> dict[str, object]:
    return (await org.get(f"{TRANSFERS}/{payment}"))["transferDetails"]


async def test_admin_reviews_and_pays_at_once(org: Tenant) -> None:
    ada, grace = await make_users(org)
    admin = await visit(org)
    page = await review(
        admin, "transfer", ada, to="user", toUser="grace@example.com", amount="10.5"
    )
    assert page.status == 200
    assert "No payment has been created yet" in page.text
    assert "Grace Example" in page.text
    assert (await org.get(TRANSFERS))["count"] == 0
    path = await admin.submit(f"{NEW}/transfer", {**filled(page), "step": "create"})
    created = await details(org, path.rpartition("/")[2])
    assert created["status"] == "CREATED"
    await run_due(org)
    assert await held(org, grace) == "10.5"


async def test_transfer_of_member_awaits_approval(org: Tenant) -> None:
    ada, grace = await make_users(org)
    member = await visit(org, MemberRole.MEMBER)
    assert "need approval by an admin" in (await member.load(f"{NEW}/transfer", userId=ada)).text
    page = await review(member, "transfer", ada, to="user", toUser=grace, amount="10")
    assert "Your payments need approval by an admin" in page.text
    path = await member.submit(f"{NEW}/transfer", {**filled(page), "step": "create"})
    assert (await details(org, path.rpartition("/")[2]))["status"] == "PENDING_APPROVAL"


async def test_analyst_is_refused(org: Tenant) -> None:
    ada, grace = await make_users(org)
    admin, analyst = await visit(org), await visit(org, MemberRole.ANALYST)
    fields = await begin(admin, "transfer", ada, to="user", toUser=grace, amount="10")
    for step in ("edit", "review", "create"):
        sent = await analyst.send(f"{NEW}/transfer", {**fields, "step": step})
        assert sent.status == 403
    for kind in ("transfer", "batch", "bridge", "swap", "onramp", "offramp"):
        assert (await analyst.open(f"{NEW}/{kind}")).status == 403
    assert (await org.get(TRANSFERS))["count"] == 0


async def test_resubmitted_form_pays_once(org: Tenant) -> None:
    ada, grace = await make_users(org)
    admin = await visit(org)
    page = await review(admin, "transfer", ada, to="user", toUser=grace, amount="10")
    fields = {**filled(page), "step": "create"}
    first = await admin.submit(f"{NEW}/transfer", fields)
    assert await admin.submit(f"{NEW}/transfer", fields) == first
    assert await admin.submit(f"{NEW}/transfer", {**fields, "step": "review"}) == first
    assert (await org.get(TRANSFERS))["count"] == 1
    # With another amount the request differs: the form returns with a new request ID.
    other = await admin.send(f"{NEW}/transfer", {**fields, "amount": "11"})
    assert other.status >= 400
    assert other.value("requestId") != fields["requestId"]


@pytest.mark.parametrize(
    ("form_fields", "message"),
    [
        ({"amount": "1000"}, "the wallet holds less than the 1000 usdc"),
        ({"amount": "0"}, "above zero"),
        ({"amount": "ten"}, "amount"),
        ({"amount": ""}, "This field is required."),
        ({"wallet": ""}, "Choose a wallet."),
        ({"wallet": "POLYGON:usdx"}, "usdx"),
        ({"wallet": "MARS:usdc"}, "chain"),
        ({"to": ""}, "Choose a recipient."),
        ({"toUser": ""}, "Enter a name, an e-mail or a user ID"),
        ({"toUser": "nobody@example.com"}, "No user has this"),
        ({"toUser": "example"}, "Several users match"),
        ({"to": "external:no"}, "Choose one of the listed options"),
        ({"to": f"external:{uuid4()}"}, "no external wallet"),
        ({"to": "new", "newAddress": ""}, "Enter the address."),
        ({"to": "new", "newAddress": OUTSIDE, "newName": ""}, "Enter a label for the address"),
        ({"to": "new", "newAddress": "0x12", "newName": "Bank"}, "address"),
        ({"feeType": "PERCENT", "feeValue": "NaN"}, "This number can't be read"),
        ({"feeType": "FIX", "feeValue": "11"}, "fee"),
        ({"forced.chain_send": "late", "delay.chain_send": "soon"}, "the delay of chain_send"),
        ({"forced.chain_send": "late", "delay.chain_send": "é"}, "Enter a delay"),
    ],
)
async def test_refused_transfer_keeps_the_form_values(
    org: Tenant, form_fields: dict[str, str], message: str
) -> None:
    ada, grace = await make_users(org)
    admin = await visit(org)
    fields = {"to": "user", "toUser": grace, "amount": "10", "feeValue": "7", **form_fields}
    sent = await review(admin, "transfer", ada, **fields)
    assert 400 <= sent.status < 500
    assert message in sent.text
    assert sent.value("feeValue") == fields["feeValue"]
    assert (await org.get(TRANSFERS))["count"] == 0


async def test_transfer_of_frozen_user_is_refused_with_a_sentence(org: Tenant) -> None:
    ada, grace = await make_users(org)
    await org.post(f"/v2/users/{ada}/freeze", {"reason": "test"})
    sent = await review(await visit(org), "transfer", ada, to="user", toUser=grace, amount="1")
    assert sent.status == 403
    assert "frozen" in sent.text
    assert sent.value("amount") == "1"


async def test_users_with_the_same_name_are_offered(org: Tenant) -> None:
    ada, grace = await make_users(org)
    other = await make_user(org, firstName="Grace", email="other@example.com")
    admin = await visit(org)
    sent = await review(admin, "transfer", ada, to="user", toUser="grace", amount="1")
    assert "Several users match" in sent.text
    assert grace in sent.text
    assert other in sent.text
    fields = {**filled(sent), "toUserId": other, "step": "review"}
    page = await admin.send(f"{NEW}/transfer", fields)
    assert "other@example.com" in page.response.text
    payment = (await admin.submit(f"{NEW}/transfer", {**filled(page), "step": "create"})).rsplit(
        "/"
    )
    created = await details(org, payment[-1])
    assert created["destination"]["userId"] == other  # type: ignore[index]


async def test_new_address_is_registered_and_paid(org: Tenant) -> None:
    ada, _ = await make_users(org)
    admin = await visit(org)
    to = {"to": "new", "newAddress": OUTSIDE, "newName": "Her bank"}
    payment = await create_payment(admin, "transfer", ada, **to, amount="5")
    assert (await details(org, payment))["status"] == "CREATED"
    known = (await org.get(f"/v2/users/{ada}/wallets/external"))["externalWallets"]
    assert [each["name"] for each in known] == ["Her bank"]
    # The form offers the address from now on; entering it again registers nothing.
    again = await create_payment(
        admin, "transfer", ada, to=f"external:{known[0]['id']}", amount="5"
    )
    assert (await details(org, again))["destination"]["walletAddress"] == OUTSIDE  # type: ignore[index]
    await create_payment(
        admin, "transfer", ada, **{**to, "newAddress": OUTSIDE.lower()}, amount="5"
    )
    assert (await org.get(f"/v2/users/{ada}/wallets/external"))["count"] == 1


async def test_percentage_fee_is_added_on_top(org: Tenant) -> None:
    ada, grace = await make_users(org)
    fee = {"feeType": "PERCENT", "feeValue": "1"}
    admin = await visit(org)
    page = await review(admin, "transfer", ada, to="user", toUser=grace, amount="20", **fee)
    assert "20.20 USDC" in page.text
    assert "Your organisation's fees" in page.text


async def test_wallets_are_offered_with_balances(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    await fund(org, ada, "7.25", currency="usdt", chain="ETHEREUM")
    page = await (await visit(org)).load(f"{NEW}/transfer", userId=ada)
    offered = page.tree.xpath("//select[@name='wallet']/option/text()")
    assert set(offered[:2]) == {"Polygon · 100.00 USDC", "Ethereum · 7.25 USDT"}


async def test_users_are_found_by_name_email_and_id(org: Tenant) -> None:
    ada, grace = await make_users(org)
    admin = await visit(org)
    for text in ("Grace", "grace@", "GRACE EXAMPLE", grace, "grac"):
        page = await admin.load(f"{NEW}/transfer", q=text)
        assert f"/dashboard/new/transfer?userId={grace}" in page.links()
        assert f"/dashboard/new/transfer?userId={ada}" not in page.links()
        options = await admin.load(f"{NEW}/users", q=text)
        assert grace in options.response.text
    assert "No matching users" in (await admin.load(f"{NEW}/transfer", q="zebra")).text
    assert "No matching users" in (await admin.load(f"{NEW}/transfer", q=str(uuid4()))).text
    assert len((await admin.load(f"{NEW}/transfer", q="x" * 5000)).text) < 5000


async def test_user_of_another_organisation_is_not_found(org: Tenant, other_org: Tenant) -> None:
    ada, _ = await make_users(org)
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


async def test_hostile_text_is_escaped(org: Tenant) -> None:
    evil = '"><script>alert(1)</script>'
    ada = await make_user(org, funds="100", lastName="O'Neil")
    admin = await visit(org)
    await register(org, ada, OUTSIDE, name="<i>Bank</i>")
    page = await review(admin, "transfer", ada, to="user", toUser=evil, amount=evil)
    for text in ("<script>alert", "<b>Ada", "<i>Bank"):
        assert text not in page.response.text
    assert page.value("amount") == evil
    assert "<script>alert" not in (await admin.load(f"{NEW}/transfer", q=evil)).response.text


async def test_scripted_outcomes_are_described_without_markup(org: Tenant) -> None:
    ada, _ = await make_users(org)
    page = await (await visit(org)).load(f"{NEW}/transfer", userId=ada)
    assert "with the same eventId" in page.text
    assert "`" not in page.text


async def test_scripted_outcome_is_passed_on_in_a_sandbox(org: Tenant) -> None:
    ada, grace = await make_users(org)
    admin = await visit(org)
    forced = {"forced.chain_send": "reject"}
    page = await review(admin, "transfer", ada, to="user", toUser=grace, amount="1", **forced)
    assert "chain_send=reject" in page.text
    path = await admin.submit(f"{NEW}/transfer", {**filled(page), "step": "create"})
    await run_due(org)
    assert (await details(org, path.rpartition("/")[2]))["status"] == "FAILED"
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
