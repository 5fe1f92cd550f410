"""Swaps, bridges, onramps and offramps: quoted, reviewed, accepted, cancelled."""

from datetime import timedelta
from typing import Any

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import Visitor, visit
from tests.dashboard.payment_forms import NEW, begin, create_payment, filled, review
from tests.onramps import make_african_account, make_onramp, make_payer, retrieve, settle
from tests.payouts import make_account, make_offramp, make_payee, shown, way
from tests.tenants import BRIDGES, SWAPS, Tenant, held, make_swap, make_user, register, run_due

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
HERE = "/dashboard/transactions"


async def press(visitor: Visitor, payment: str, verb: str, kind: str, **fields: str) -> str:
    """Press a button of the payment's page, and return where it redirects."""
    return await visitor.submit(f"{HERE}/{payment}/{verb}", {"kind": kind, **fields})


async def details(org: Tenant, path: str, payment: str) -> dict[str, Any]:
    return (await org.get(f"{path}/{payment}"))["transferDetails"]


@pytest.mark.parametrize("role", [MemberRole.ADMIN, MemberRole.MEMBER])
async def test_swap_is_reviewed_created_and_accepted(org: Tenant, role: MemberRole) -> None:
    ada = await make_user(org, funds="100")
    visitor = await visit(org, role)
    fields = {"wallet": "POLYGON:usdc", "toCurrency": "usdt", "amount": "10", "exact": "sent"}
    page = await review(visitor, "swap", ada, **fields)
    assert "9.99 USDT" in page.text
    assert "1 USDC = " in page.text
    assert "Get quote" in page.text
    swap = await create_payment(visitor, "swap", ada, **fields)
    assert await press(visitor, swap, "accept", "WALLET.SWAP") == f"{HERE}/{swap}"
    assert (await details(org, SWAPS, swap))["status"] == "COMPLETED"
    assert await held(org, ada, "usdt") == "9.99"
    # A second click changes nothing.
    assert await press(visitor, swap, "accept", "WALLET.SWAP") == f"{HERE}/{swap}"


async def test_swap_by_received_amount_is_exact(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    fields = {"wallet": "POLYGON:usdc", "toCurrency": "usdt", "amount": "25", "exact": "received"}
    page = await review(await visit(org), "swap", ada, **fields)
    assert "25.025026 USDC" in page.text


async def test_member_cannot_swap_to_another_user(org: Tenant) -> None:
    ada, grace = await make_user(org, funds="100"), await make_user(org)
    fields = {"wallet": "POLYGON:usdc", "toCurrency": "usdt", "amount": "10"}
    member = await visit(org, MemberRole.MEMBER)
    sent = await review(member, "swap", ada, **fields, to="user", toUser=grace)
    assert sent.status == 403
    assert "the paying user's wallets" in sent.text
    admin = await visit(org)
    assert (await review(admin, "swap", ada, **fields, to="user", toUser=grace)).status == 200
    assert (await review(admin, "swap", ada, **fields, to="new", newAddress=OUTSIDE)).status == 200


async def test_refused_acceptance_is_shown_beside_the_quote(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    admin = await visit(org)
    first, second = [await make_swap(org, ada, "10") for _ in range(2)]
    await press(admin, first["id"], "accept", "WALLET.SWAP")
    path = f"{HERE}/{second['id']}/accept"
    sent = await admin.send(path, {"kind": "WALLET.SWAP"})
    assert sent.status == 400
    assert "the wallet holds less than" in sent.text
    assert "Accept quote" in sent.text
    await org.post("/v2/sandbox/clock/advance", {"seconds": 31})
    late = await admin.send(path, {"kind": "WALLET.SWAP"})
    assert "expired" in late.text
    (again,) = late.tree.xpath("//main//a[text()='Try again']/@href")
    assert again.startswith(f"{NEW}/swap?userId={ada}&wallet=POLYGON%3Ausdc")


async def test_payment_actions_are_authorised_and_validated(org: Tenant, other_org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    swap = (await make_swap(org, ada, "1"))["id"]
    admin, analyst = await visit(org), await visit(org, MemberRole.ANALYST)
    outsider = await visit(other_org)
    kind = {"kind": "WALLET.SWAP"}
    assert (await analyst.send(f"{HERE}/{swap}/accept", kind)).status == 403
    assert (await outsider.send(f"{HERE}/{swap}/accept", kind)).status == 404
    assert (await admin.send(f"{HERE}/nothing/accept", kind)).status == 404
    assert (await admin.send(f"{HERE}/{swap}/accept", {"kind": "GIFT"})).status == 400
    assert (await admin.send(f"{HERE}/{swap}/cancel", kind)).status == 400
    assert (await admin.send(f"{HERE}/{swap}/deposit", kind)).status == 400
    assert (await admin.send(f"{HERE}/{swap}/accept", {"kind": "ONRAMP"})).status == 404
    assert (await details(org, SWAPS, swap))["status"] == "OPEN_QUOTE"


async def test_bridge_by_admin_and_by_member(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    await org.post(f"/v2/users/{ada}/wallets/add", {"chains": ["BASE"]})
    admin, member = await visit(org), await visit(org, MemberRole.MEMBER)
    fields = {"wallet": "POLYGON:usdc", "toChain": "BASE", "to": "own", "amount": "30"}
    bridge = await create_payment(admin, "bridge", ada, **fields)
    await press(admin, bridge, "accept", "WALLET.BRIDGE")
    await run_due(org)
    assert await held(org, ada, chain="BASE") == "30"
    page = await review(member, "bridge", ada, **fields)
    assert "Your payments need approval by an admin" in page.text
    waiting = await create_payment(member, "bridge", ada, **fields)
    assert (await details(org, BRIDGES, waiting))["status"] == "PENDING_APPROVAL"


async def test_bridge_to_a_new_external_address(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    fields = {"to": "new", "newAddress": OUTSIDE, "newName": "Bank", "amount": "5"}
    bridge = await create_payment(
        await visit(org), "bridge", ada, wallet="POLYGON:usdc", toChain="ARBITRUM", **fields
    )
    assert (await details(org, BRIDGES, bridge))["destination"]["walletAddress"] == OUTSIDE


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"toChain": "POLYGON"}, "chain"),
        ({"toChain": ""}, "This field is required."),
        ({"toChain": "BASE"}, "wallet"),
        ({"toChain": "MARS"}, "chain"),
        ({"amount": "101"}, "the wallet holds less than"),
    ],
)
async def test_invalid_bridges_are_refused(
    org: Tenant, fields: dict[str, str], message: str
) -> None:
    ada = await make_user(org, funds="100")
    submitted = {
        "wallet": "POLYGON:usdc",
        "toChain": "ETHEREUM",
        "to": "own",
        "amount": "5",
        **fields,
    }
    sent = await review(await visit(org), "bridge", ada, **submitted)
    assert 400 <= sent.status < 500
    assert message in sent.text
    assert sent.value("amount") == submitted["amount"]


@pytest.mark.parametrize("role", [MemberRole.ADMIN, MemberRole.MEMBER])
async def test_onramp_from_quote_to_delivery(org: Tenant, role: MemberRole) -> None:
    ada = await make_payer(org)
    visitor = await visit(org, role)
    fields = {"fromCurrency": "usd", "amount": "100", "transferType": "wire"}
    onramp = await create_payment(visitor, "onramp", ada, **fields)
    await press(visitor, onramp, "refresh", "ONRAMP")
    await press(visitor, onramp, "accept", "ONRAMP")
    assert (await retrieve(org, {"id": onramp}))["status"] == "AWAITING_FUNDS"
    await press(visitor, onramp, "deposit", "ONRAMP", amount="", paymentRail="ach")
    await settle(org)
    assert (await retrieve(org, {"id": onramp}))["status"] == "COMPLETED"
    assert await held(org, ada) == "100"


async def test_deposit_of_another_amount_is_returned(org: Tenant) -> None:
    ada = await make_payer(org)
    admin = await visit(org)
    onramp = await make_onramp(org, ada)
    path = f"{HERE}/{onramp['id']}/deposit"
    wrong = await admin.send(path, {"kind": "ONRAMP", "amount": "1,5"})
    assert 400 <= wrong.status < 500
    assert wrong.value("amount") == "1,5"
    assert "Awaiting deposit" in wrong.text
    await press(admin, onramp["id"], "deposit", "ONRAMP", amount="49.99")
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "FIAT_RETURNED"


async def test_african_onramp_requires_account_and_purpose(org: Tenant) -> None:
    ada = await make_payer(org, Rail.AFRICA_NIGERIA)
    account = await make_african_account(org, ada, "ngn", "NGA")
    admin = await visit(org)
    page = await admin.load(f"{NEW}/onramp", userId=ada)
    assert page.tree.xpath("//select[@name='fromCurrency']/optgroup[1]/option/text()") == ["NGN"]
    assert account in page.tree.xpath("//select[@name='fromAccount']/option/@value")
    fields = {"fromCurrency": "ngn", "amount": "100000"}
    sent = await review(admin, "onramp", ada, **fields)
    assert "accountId" in sent.text
    fields |= {"fromAccount": account, "purposeOfPayment": "gift"}
    assert (await review(admin, "onramp", ada, **fields)).status == 200


async def test_onramp_in_review_is_cancelled(org: Tenant) -> None:
    ada = await make_payer(org)
    admin = await visit(org)
    onramp = await make_onramp(org, ada)
    await org.post(f"/v2/sandbox/transfers/{onramp['id']}/rfi", {"action": "open"})
    await press(admin, onramp["id"], "cancel", "ONRAMP")
    assert (await retrieve(org, onramp))["status"] == "NOT_INITIATED"


async def test_onramp_of_unverified_user_is_refused(org: Tenant) -> None:
    ada = await make_user(org)
    sent = await review(await visit(org), "onramp", ada, fromCurrency="usd", amount="100")
    assert sent.status == 403
    assert sent.value("amount") == "100"


async def test_offramp_by_admin_and_by_member(org: Tenant) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    admin, member = await visit(org), await visit(org, MemberRole.MEMBER)
    fields = {"wallet": "POLYGON:usdc", "account": f"{account}:usd", "amount": "100"}
    offramp = await create_payment(
        admin, "offramp", ada, **fields, wireMessage="Invoice 1\r\nand 2"
    )
    await press(admin, offramp, "accept", "OFFRAMP")
    await run_due(org)
    assert (await shown(org, {"id": offramp}))["status"] == "COMPLETED"
    page = await review(member, "offramp", ada, **fields)
    assert "Your payments need approval by an admin" in page.text
    waiting = await create_payment(member, "offramp", ada, **fields)
    assert (await shown(org, {"id": waiting}))["status"] == "PENDING_APPROVAL"


async def test_expired_quote_of_an_approved_offramp_is_renewed_with_one_click(org: Tenant) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    admin, member = await visit(org), await visit(org, MemberRole.MEMBER)
    fields = {"wallet": "POLYGON:usdc", "account": f"{account}:usd", "amount": "100"}
    offramp = await create_payment(member, "offramp", ada, **fields)
    approval = (await shown(org, {"id": offramp}))["approval"]["id"]
    await admin.submit(f"/dashboard/approvals/{approval}", {"vote": "approve", "comment": "ok"})
    await org.post("/v2/sandbox/clock/advance", {"seconds": 11 * 60})
    await run_due(org)
    page = await member.load(f"{HERE}/{offramp}")
    assert "The approval of the last day is kept" in page.text
    assert "Quote again" in page.text
    analyst = await visit(org, MemberRole.ANALYST)
    assert "Quote again" not in (await analyst.load(f"{HERE}/{offramp}")).text
    to = await press(member, offramp, "renew", "OFFRAMP")
    renewed = await shown(org, {"id": to.partition("?")[0].rpartition("/")[2]})
    assert renewed["id"] != offramp
    assert (renewed["status"], renewed["approval"]["status"]) == ("OPEN_QUOTE", "APPROVED")
    page = await member.load(to)
    assert "Accept quote" in page.text
    assert "Test admin" in page.text
    await press(member, renewed["id"], "accept", "OFFRAMP")
    await run_due(org)
    assert await held(org, ada) == "900"


async def test_expired_quote_that_needed_no_approval_is_renewed_as_well(org: Tenant) -> None:
    ada = await make_payee(org)
    offramp = await make_offramp(org, ada, await make_account(org, ada))
    await org.post("/v2/sandbox/clock/advance", {"seconds": 11 * 60})
    await run_due(org)
    admin = await visit(org)
    page = await admin.load(f"{HERE}/{offramp['id']}")
    assert "Quote the same payment again at the current price" in page.text
    assert "approval" not in page.text
    to = await press(admin, offramp["id"], "renew", "OFFRAMP")
    assert "Accept quote" in (await admin.load(to)).text


async def test_offramp_shows_fees_and_purposes(org: Tenant) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    admin = await visit(org)
    form_fields = {"account": f"{account}:usd", "amount": "100", "purposeOfPayment": "bills"}
    fees = {"fee1": "1", "fee1Type": "PERCENTAGE", "fee1Address": OUTSIDE}
    fields = await begin(admin, "offramp", ada, **form_fields, **fees)
    again = await admin.send(f"{NEW}/offramp", {**fields, "step": "edit"})
    more = filled(again, fee2="0.5", fee2Type="FLAT", fee2Address=OUTSIDE)
    page = await admin.send(f"{NEW}/offramp", {**more, "step": "review"})
    assert "101.50 USDC" in page.text
    for wrong, message in [
        ({"fee1Address": ""}, "This field is required"),
        ({"fee1": "x"}, "This number can't be read"),
    ]:
        sent = await admin.send(f"{NEW}/offramp", {**more, **wrong, "step": "review"})
        assert message in sent.text


async def test_offramp_pays_another_users_account(org: Tenant) -> None:
    ada = await make_payee(org)
    grace = await make_payee(org, email="grace@example.com")
    account = await make_account(org, grace, way("us", "ach"))
    admin = await visit(org)
    fields = await begin(admin, "offramp", ada, toUser=grace, amount="100")
    again = await admin.send(f"{NEW}/offramp", {**fields, "step": "edit"})
    assert f"{account}:usd" in again.tree.xpath("//select[@name='account']/option/@value")
    page = await admin.send(f"{NEW}/offramp", {**filled(again), "step": "review"})
    assert page.status == 200, page.text


async def test_offramp_awaits_an_external_deposit(org: Tenant) -> None:
    ada = await make_payee(org)
    account, wallet = await make_account(org, ada), await register(org, ada, OUTSIDE)
    admin = await visit(org)
    source = f"external:{wallet}:POLYGON:usdc"
    offramp = await create_payment(
        admin, "offramp", ada, wallet=source, account=f"{account}:usd", amount="50"
    )
    await press(admin, offramp, "accept", "OFFRAMP")
    path = f"{HERE}/{offramp}/deposit"
    wrong = await admin.send(path, {"kind": "OFFRAMP", "amount": "many"})
    assert 400 <= wrong.status < 500
    assert "Awaiting deposit" in wrong.text
    await press(admin, offramp, "deposit", "OFFRAMP")
    await run_due(org)
    assert (await shown(org, {"id": offramp}))["status"] == "COMPLETED"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"account": ""}, "This field is required."),
        ({"account": "no:usd"}, "accountId"),
        ({"amount": "0.5"}, "is too small"),
        ({"amount": "5000"}, "the wallet holds less than"),
        ({"achReference": "Invoice 1"}, "does not apply to an account paid by wire"),
        ({"wallet": "external:no:POLYGON:usdc"}, "externalWalletId"),
        ({"documentFileIds": "no"}, "file"),
    ],
)
async def test_invalid_offramps_are_refused(
    org: Tenant, fields: dict[str, str], message: str
) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    submitted = {"wallet": "POLYGON:usdc", "account": f"{account}:usd", "amount": "100", **fields}
    sent = await review(await visit(org), "offramp", ada, **submitted)
    assert 400 <= sent.status < 500
    assert message in sent.text
    assert sent.value("amount") == submitted["amount"]


async def test_offramp_without_accounts_shows_an_empty_state(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    page = await (await visit(org)).load(f"{NEW}/offramp", userId=ada)
    assert "has no bank account for payouts" in page.text
    assert f"/dashboard/users/{ada}/accounts/new" in page.links()


async def test_quote_shows_a_countdown(org: Tenant) -> None:
    ada = await make_payee(org)
    offramp = await make_offramp(org, ada, await make_account(org, ada))
    remaining = timedelta(minutes=10)
    assert offramp["status"] == "OPEN_QUOTE"
    sent = await (await visit(org)).send(f"{HERE}/{offramp['id']}/cancel", {"kind": "OFFRAMP"})
    assert sent.status == 409
    assert 0 < int(sent.tree.xpath("//time/@data-left")[0]) <= remaining.total_seconds()
