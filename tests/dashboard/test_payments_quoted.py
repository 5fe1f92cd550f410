"""Swaps, bridges, onramps and offramps from pages: quoted, reviewed, accepted, given up."""

from datetime import timedelta
from typing import Any

import pytest

from landbridge.kyc.model import Rail
from landbridge.web.caller import Role
from tests.dashboard.browsing import Visit, visit
from tests.dashboard.payment_forms import NEW, begin, filled, make, review
from tests.onramps import make_african_account, make_onramp, make_payer, retrieve, settle
from tests.payouts import make_account, make_offramp, make_payee, shown, way
from tests.tenants import (
    BRIDGES,
    SWAPS,
    Tenant,
    held,
    make_swap,
    make_user,
    register,
    run_due,
)

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
HERE = "/dashboard/transactions"


async def act(somebody: Visit, payment: str, verb: str, kind: str, **typed: str) -> str:
    """Where a button of the payment's page leads."""
    return await somebody.done(f"{HERE}/{payment}/{verb}", {"kind": kind, **typed})


async def details(org: Tenant, path: str, payment: str) -> dict[str, Any]:
    return (await org.get(f"{path}/{payment}"))["transferDetails"]


@pytest.mark.parametrize("role", [Role.ADMIN, Role.MEMBER])
async def test_a_swap_is_reviewed_made_and_accepted(org: Tenant, role: Role) -> None:
    ada = await make_user(org, funds="100")
    somebody = await visit(org, role)
    typed = {"wallet": "POLYGON:usdc", "toCurrency": "usdt", "amount": "10", "exact": "sent"}
    seen = await review(somebody, "swap", ada, **typed)
    assert "9.99 usdt" in seen.text
    assert "Ask for the quote" in seen.text
    swap = await make(somebody, "swap", ada, **typed)
    assert await act(somebody, swap, "accept", "WALLET.SWAP") == f"{HERE}/{swap}"
    assert (await details(org, SWAPS, swap))["status"] == "COMPLETED"
    assert await held(org, ada, "usdt") == "9.99"
    # A second click changes nothing.
    assert await act(somebody, swap, "accept", "WALLET.SWAP") == f"{HERE}/{swap}"


async def test_exactly_this_much_is_received(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    typed = {"wallet": "POLYGON:usdc", "toCurrency": "usdt", "amount": "25", "exact": "received"}
    seen = await review(await visit(org), "swap", ada, **typed)
    assert "25.025026 usdc" in seen.text


async def test_a_member_swaps_for_nobody_else(org: Tenant) -> None:
    ada, grace = await make_user(org, funds="100"), await make_user(org)
    typed = {"wallet": "POLYGON:usdc", "toCurrency": "usdt", "amount": "10"}
    member = await visit(org, Role.MEMBER)
    sent = await review(member, "swap", ada, **typed, to="user", toUser=grace)
    assert sent.status == 403
    assert "wallets of the user who pays" in sent.text
    admin = await visit(org)
    assert (await review(admin, "swap", ada, **typed, to="user", toUser=grace)).status == 200
    assert (await review(admin, "swap", ada, **typed, to="new", newAddress=OUTSIDE)).status == 200


async def test_what_an_accept_refuses_is_said_beside_the_quote(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    admin = await visit(org)
    first, second = [await make_swap(org, ada, "10") for _ in range(2)]
    await act(admin, first["id"], "accept", "WALLET.SWAP")
    path = f"{HERE}/{second['id']}/accept"
    sent = await admin.send(path, {"kind": "WALLET.SWAP"})
    assert sent.status == 400
    assert "the wallet holds less than" in sent.text
    assert "Accept the quote" in sent.text
    await org.post("/v2/sandbox/clock/advance", {"seconds": 31})
    late = await admin.send(path, {"kind": "WALLET.SWAP"})
    assert "expired" in late.text
    assert f"{NEW}/swap?userId={ada}&wallet=POLYGON:usdc" in late.links()


async def test_buttons_are_checked(org: Tenant, other_org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    swap = (await make_swap(org, ada, "1"))["id"]
    admin, analyst = await visit(org), await visit(org, Role.ANALYST)
    stranger = await visit(other_org)
    kind = {"kind": "WALLET.SWAP"}
    assert (await analyst.send(f"{HERE}/{swap}/accept", kind)).status == 403
    assert (await stranger.send(f"{HERE}/{swap}/accept", kind)).status == 404
    assert (await admin.send(f"{HERE}/nothing/accept", kind)).status == 404
    assert (await admin.send(f"{HERE}/{swap}/accept", {"kind": "GIFT"})).status == 400
    assert (await admin.send(f"{HERE}/{swap}/cancel", kind)).status == 400
    assert (await admin.send(f"{HERE}/{swap}/deposit", kind)).status == 400
    assert (await admin.send(f"{HERE}/{swap}/accept", {"kind": "ONRAMP"})).status == 404
    assert (await details(org, SWAPS, swap))["status"] == "OPEN_QUOTE"


async def test_a_bridge_by_an_admin_and_by_a_member(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    await org.post(f"/v2/users/{ada}/wallets/add", {"chains": ["BASE"]})
    admin, member = await visit(org), await visit(org, Role.MEMBER)
    typed = {"wallet": "POLYGON:usdc", "toChain": "BASE", "to": "own", "amount": "30"}
    bridge = await make(admin, "bridge", ada, **typed)
    await act(admin, bridge, "accept", "WALLET.BRIDGE")
    await run_due(org)
    assert await held(org, ada, chain="BASE") == "30"
    seen = await review(member, "bridge", ada, **typed)
    assert "What you start waits for an admin" in seen.text
    waiting = await make(member, "bridge", ada, **typed)
    assert (await details(org, BRIDGES, waiting))["status"] == "PENDING_APPROVAL"


async def test_a_bridge_abroad_goes_to_a_new_address(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    typed = {"to": "new", "newAddress": OUTSIDE, "newName": "Bank", "amount": "5"}
    bridge = await make(
        await visit(org), "bridge", ada, wallet="POLYGON:usdc", toChain="ARBITRUM", **typed
    )
    assert (await details(org, BRIDGES, bridge))["destination"]["walletAddress"] == OUTSIDE


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"toChain": "POLYGON"}, "chain"),
        ({"toChain": ""}, "Fill this in."),
        ({"toChain": "BASE"}, "wallet"),
        ({"toChain": "MARS"}, "chain"),
        ({"amount": "101"}, "the wallet holds less than"),
    ],
)
async def test_what_a_bridge_is_refused_for(org: Tenant, typed: dict[str, str], says: str) -> None:
    ada = await make_user(org, funds="100")
    told = {"wallet": "POLYGON:usdc", "toChain": "ETHEREUM", "to": "own", "amount": "5", **typed}
    sent = await review(await visit(org), "bridge", ada, **told)
    assert 400 <= sent.status < 500
    assert says in sent.text
    assert sent.value("amount") == told["amount"]


@pytest.mark.parametrize("role", [Role.ADMIN, Role.MEMBER])
async def test_an_onramp_from_quote_to_coins(org: Tenant, role: Role) -> None:
    ada = await make_payer(org)
    somebody = await visit(org, role)
    typed = {"fromCurrency": "usd", "amount": "100", "transferType": "wire"}
    onramp = await make(somebody, "onramp", ada, **typed)
    await act(somebody, onramp, "refresh", "ONRAMP")
    await act(somebody, onramp, "accept", "ONRAMP")
    assert (await retrieve(org, {"id": onramp}))["status"] == "AWAITING_FUNDS"
    await act(somebody, onramp, "deposit", "ONRAMP", amount="", paymentRail="ach")
    await settle(org)
    assert (await retrieve(org, {"id": onramp}))["status"] == "COMPLETED"
    assert await held(org, ada) == "100"


async def test_another_amount_goes_back(org: Tenant) -> None:
    ada = await make_payer(org)
    admin = await visit(org)
    onramp = await make_onramp(org, ada)
    path = f"{HERE}/{onramp['id']}/deposit"
    wrong = await admin.send(path, {"kind": "ONRAMP", "amount": "1,5"})
    assert 400 <= wrong.status < 500
    assert wrong.value("amount") == "1,5"
    assert "Waits for the deposit" in wrong.text
    await act(admin, onramp["id"], "deposit", "ONRAMP", amount="49.99")
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "FIAT_RETURNED"


async def test_an_african_onramp_asks_for_account_and_purpose(org: Tenant) -> None:
    ada = await make_payer(org, Rail.AFRICA_NIGERIA)
    account = await make_african_account(org, ada, "ngn", "NGA")
    admin = await visit(org)
    page = await admin.see(f"{NEW}/onramp", userId=ada)
    assert page.tree.xpath("//select[@name='fromCurrency']/optgroup[1]/option/text()") == ["ngn"]
    assert account in page.tree.xpath("//select[@name='fromAccount']/option/@value")
    typed = {"fromCurrency": "ngn", "amount": "100000"}
    sent = await review(admin, "onramp", ada, **typed)
    assert "accountId" in sent.text
    typed |= {"fromAccount": account, "purposeOfPayment": "gift"}
    assert (await review(admin, "onramp", ada, **typed)).status == 200


async def test_an_onramp_in_review_is_cancelled(org: Tenant) -> None:
    ada = await make_payer(org)
    admin = await visit(org)
    onramp = await make_onramp(org, ada)
    await org.post(f"/v2/sandbox/transfers/{onramp['id']}/rfi", {"action": "open"})
    await act(admin, onramp["id"], "cancel", "ONRAMP")
    assert (await retrieve(org, onramp))["status"] == "NOT_INITIATED"


async def test_an_onramp_of_nobody_verified_is_refused(org: Tenant) -> None:
    ada = await make_user(org)
    sent = await review(await visit(org), "onramp", ada, fromCurrency="usd", amount="100")
    assert sent.status == 403
    assert sent.value("amount") == "100"


async def test_an_offramp_by_an_admin_and_by_a_member(org: Tenant) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    admin, member = await visit(org), await visit(org, Role.MEMBER)
    typed = {"wallet": "POLYGON:usdc", "account": f"{account}:usd", "amount": "100"}
    offramp = await make(admin, "offramp", ada, **typed, wireMessage="Invoice 1\r\nand 2")
    await act(admin, offramp, "accept", "OFFRAMP")
    await run_due(org)
    assert (await shown(org, {"id": offramp}))["status"] == "COMPLETED"
    seen = await review(member, "offramp", ada, **typed)
    assert "What you start waits for an admin" in seen.text
    waiting = await make(member, "offramp", ada, **typed)
    assert (await shown(org, {"id": waiting}))["status"] == "PENDING_APPROVAL"


async def test_fees_and_purposes_of_an_offramp_are_told(org: Tenant) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    admin = await visit(org)
    typed = {"account": f"{account}:usd", "amount": "100", "purposeOfPayment": "bills"}
    fees = {"fee1": "1", "fee1Type": "PERCENTAGE", "fee1Address": OUTSIDE}
    fields = await begin(admin, "offramp", ada, **typed, **fees)
    again = await admin.send(f"{NEW}/offramp", {**fields, "step": "edit"})
    more = filled(again, fee2="0.5", fee2Type="FLAT", fee2Address=OUTSIDE)
    seen = await admin.send(f"{NEW}/offramp", {**more, "step": "review"})
    assert "101.50 usdc" in seen.text
    for wrong, says in [({"fee1Address": ""}, "Fill this in"), ({"fee1": "x"}, "as a number")]:
        sent = await admin.send(f"{NEW}/offramp", {**more, **wrong, "step": "review"})
        assert says in sent.text


async def test_an_account_of_another_user_is_paid(org: Tenant) -> None:
    ada = await make_payee(org)
    grace = await make_payee(org, email="grace@example.com")
    account = await make_account(org, grace, way("us", "ach"))
    admin = await visit(org)
    fields = await begin(admin, "offramp", ada, toUser=grace, amount="100")
    again = await admin.send(f"{NEW}/offramp", {**fields, "step": "edit"})
    assert f"{account}:usd" in again.tree.xpath("//select[@name='account']/option/@value")
    seen = await admin.send(f"{NEW}/offramp", {**filled(again), "step": "review"})
    assert seen.status == 200, seen.text


async def test_coins_from_outside_are_waited_for(org: Tenant) -> None:
    ada = await make_payee(org)
    account, wallet = await make_account(org, ada), await register(org, ada, OUTSIDE)
    admin = await visit(org)
    source = f"external:{wallet}:POLYGON:usdc"
    offramp = await make(
        admin, "offramp", ada, wallet=source, account=f"{account}:usd", amount="50"
    )
    await act(admin, offramp, "accept", "OFFRAMP")
    path = f"{HERE}/{offramp}/deposit"
    wrong = await admin.send(path, {"kind": "OFFRAMP", "amount": "many"})
    assert 400 <= wrong.status < 500
    assert "Waits for coins" in wrong.text
    await act(admin, offramp, "deposit", "OFFRAMP")
    await run_due(org)
    assert (await shown(org, {"id": offramp}))["status"] == "COMPLETED"


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"account": ""}, "Fill this in."),
        ({"account": "no:usd"}, "accountId"),
        ({"amount": "0.5"}, "at least"),
        ({"amount": "5000"}, "the wallet holds less than"),
        ({"achReference": "Invoice 1"}, "does not go with an account that is paid by wire"),
        ({"wallet": "external:no:POLYGON:usdc"}, "externalWalletId"),
        ({"documentFileIds": "no"}, "file"),
    ],
)
async def test_what_an_offramp_is_refused_for(
    org: Tenant, typed: dict[str, str], says: str
) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    told = {"wallet": "POLYGON:usdc", "account": f"{account}:usd", "amount": "100", **typed}
    sent = await review(await visit(org), "offramp", ada, **told)
    assert 400 <= sent.status < 500
    assert says in sent.text
    assert sent.value("amount") == told["amount"]


async def test_an_offramp_without_accounts_says_so(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    page = await (await visit(org)).see(f"{NEW}/offramp", userId=ada)
    assert "has no bank account for payouts" in page.text
    assert f"/dashboard/users/{ada}/accounts/new" in page.links()


async def test_a_quote_counts_down(org: Tenant) -> None:
    ada = await make_payee(org)
    offramp = await make_offramp(org, ada, await make_account(org, ada))
    left = timedelta(minutes=10)
    assert offramp["status"] == "OPEN_QUOTE"
    sent = await (await visit(org)).send(f"{HERE}/{offramp['id']}/cancel", {"kind": "OFFRAMP"})
    assert sent.status == 409
    assert 0 < int(sent.tree.xpath("//time/@data-left")[0]) <= left.total_seconds()
