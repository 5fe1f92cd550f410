"""Where a payment goes, on every page where somebody decides about it or looks at it."""

from uuid import uuid4

from landbridge.platform.formats.evm_addresses import checksummed
from tests.dashboard.browsing import Visitor, visit
from tests.dashboard.payment_forms import review
from tests.payouts import accept, make_account, make_offramp, make_payee, shown
from tests.tenants import Tenant, make_transfer, make_user, register, run_due

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
OTHER = "0x52908400098527886E0F7030069857D2E4169EE7"
# Made by trying keys until the ends were the same.
ALIKE = [checksummed(f"8ba1f1{middle * 30}dba7") for middle in ("1", "2")]
FIRST, KNOWN = "First payment to this destination", "Paid before"


async def _summary(org: Tenant, user: str) -> tuple[str, ...]:
    """Bank, masked number and holder of the user's only account, as the API lists it."""
    (account,) = (await org.get(f"/v2/users/{user}/accounts"))["banks"]
    number = account["accountNumber"].replace("****", "••")
    return (account["bankName"], number, account["accountHolderName"], "United States", "Wire")


async def test_the_bank_account_stands_where_one_decides(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    words = " · ".join(await _summary(org, user))
    admin = await visit(org)
    fields = {"wallet": "POLYGON:usdc", "account": f"{account}:usd", "amount": "10"}
    page = await review(admin, "offramp", user, **fields)
    assert words in page.text
    assert FIRST in page.text
    made = await make_offramp(org, user, account, 10, requireApproval=True)
    approval = made["approval"]["id"]
    for path in (f"/dashboard/approvals/{approval}", f"/dashboard/transactions/{made['id']}"):
        page = await admin.load(path)
        assert words in page.text, path
        assert FIRST in page.text, path
    assert words in (await admin.load("/dashboard/approvals")).text
    text = await _only_mail(org, admin)
    bank, number, holder, *_ = await _summary(org, user)
    assert f"to {bank}, {number.replace('••', '****')}, USA by wire" in text
    assert holder not in text
    spanish = await visit(org)
    await spanish.submit("/dashboard/profile", {"name": "Ana", "language": "es", "theme": "dark"})
    assert "Estados Unidos" in (await spanish.load(f"/dashboard/approvals/{approval}")).text


async def test_who_approves_sees_where_the_fees_of_a_payout_go(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    fees = [{"type": "FLAT", "value": "900", "walletAddress": OUTSIDE}]
    admin = await visit(org)
    made = await make_offramp(
        org, user, account, 10, requireApproval=True, developerFee={"fees": fees}
    )
    page = await admin.load(f"/dashboard/approvals/{made['approval']['id']}")
    assert OUTSIDE in page.text
    assert "900.00 USDC Polygon" in page.text
    short = f"{OUTSIDE[:8]}…{OUTSIDE[-4:]}"
    assert short in (await admin.load(f"/dashboard/transactions/{made['id']}")).text
    text = await _only_mail(org, admin)
    assert f"USA by wire 900 USDC of it is a fee to {OUTSIDE} expires on" in text


async def test_who_approves_reads_the_return_address_of_a_payout(org: Tenant) -> None:
    user = await make_payee(org)
    wallet = await register(org, user, OUTSIDE)
    source = {"userId": None, "externalWalletId": wallet, "returnAddress": OTHER}
    account = await make_account(org, user)
    admin = await visit(org)
    await make_offramp(org, None, account, 10, source=source, requireApproval=True)
    assert f"returned to {OTHER} if it fails" in await _only_mail(org, admin)


async def _only_mail(org: Tenant, admin: Visitor) -> str:
    await org.container.outbox.run_once([org.org_id])
    (mail,) = [
        each
        for each in (await admin.load("/dashboard/mailbox")).links()
        if each.startswith("/dashboard/mailbox/")
    ]
    return (await admin.load(mail)).text


async def test_a_destination_is_known_once_a_payment_completed(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    fields = {"wallet": "POLYGON:usdc", "account": f"{account}:usd", "amount": "10"}
    admin, made = await visit(org), await make_offramp(org, user, account, 10)
    # A quote alone does not make it known.
    assert FIRST in (await review(admin, "offramp", user, **fields)).text
    await accept(org, made)
    await run_due(org)
    assert (await shown(org, made))["status"] == "COMPLETED"
    assert KNOWN in (await review(admin, "offramp", user, **fields)).text


async def test_an_address_says_whose_it_is(org: Tenant) -> None:
    ada = await make_user(org, funds="100", firstName="Ada", lastName="Payer")
    bob = await make_user(org, firstName="Bob", lastName="Payee")
    admin = await visit(org)
    made = await make_transfer(org, ada, bob, "1", requireApproval=True)
    page = await admin.load(f"/dashboard/approvals/{made['approval']['id']}")
    address = made["destination"]["walletAddress"]
    assert f"{address} Polygon · Bob Payee" in page.text
    registered = await register(org, ada, OUTSIDE, name="Cold storage")
    fields = {"wallet": "POLYGON:usdc", "to": f"external:{registered}", "amount": "1"}
    page = await review(admin, "transfer", ada, **fields)
    assert f"{OUTSIDE} Polygon · Cold storage, external address" in page.text
    assert FIRST in page.text
    await make_transfer(org, ada, {"walletAddress": OUTSIDE}, "1")
    await run_due(org)
    assert KNOWN in (await review(admin, "transfer", ada, **fields)).text


async def test_addresses_with_the_same_ends_differ_where_one_approves(org: Tenant) -> None:
    user, admin = await make_user(org, funds="100"), await visit(org)
    for each in ALIKE:
        await register(org, user, each, name="Supplier")
    items = [{"walletAddress": each, "amount": "1"} for each in ALIKE]
    body = {"source": {"userId": user}, "destination": {"batch": items}, "chain": "POLYGON"}
    more = {"currency": "usdc", "requireApproval": True, "requestId": str(uuid4())}
    made = await org.post("/v2/wallets/transfers/batches", {**body, **more})
    approval = made["transferDetails"]["receipt"]["approval"]["id"]
    page = await admin.load(f"/dashboard/approvals/{approval}")
    for each in ALIKE:
        assert f"{each} · Supplier, external address" in page.text
    single = await make_transfer(org, user, {"walletAddress": ALIKE[0]}, "1", requireApproval=True)
    for path in (f"/dashboard/approvals/{single['approval']['id']}", "/dashboard/approvals"):
        assert ALIKE[0] in (await admin.load(path)).text
