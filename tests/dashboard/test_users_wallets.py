"""A user's wallets and bank accounts."""

import pytest

from landbridge.accounts.types import BY_TYPE
from landbridge.dashboard.queries import PAGE_SIZE
from landbridge.dashboard.users.account_forms import account_body, account_form
from landbridge.dashboard.users.nesting import flat
from landbridge.kyc.model import Rail
from landbridge.web.caller import Role
from tests.accounts.bodies import Case, cases, whole
from tests.accounts.verified import make_verified
from tests.dashboard.browsing import Opened, visit
from tests.tenants import Tenant, fund, held, make_user

ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"
EXTERNAL = {"name": "Cold <i>", "chain": "POLYGON", "address": ADDRESS, "referenceId": "r-1"}
US = {
    "kind": "us:offramp",
    "holder": "individual",
    "transferType": "ach",
    "us.accountType": "Checking",
    "us.accountNumber": "123456789",
    "us.routingNumber": "021000021",
    "us.bankName": "Example Bank",
    "accountHolder.name": "Ada Approval",
    "accountHolder.address.addressLine1": "1 Main Street",
    "accountHolder.address.city": "Denver",
    "accountHolder.address.stateProvinceRegion": "CO",
    "accountHolder.address.postalCode": "80202",
    "accountHolder.address.country": "USA",
}


async def test_wallets_are_opened_funded_and_listed(org: Tenant) -> None:
    user = await make_user(org)
    somebody, path = await visit(org, Role.MEMBER), f"/dashboard/users/{user}/wallets"
    await somebody.done(f"{path}/chains", {"chains": ["SOLANA", "BASE"]})
    await somebody.done(f"{path}/fund", {"coin": "BASE:usdc", "amount": "12.345678"})
    assert await held(org, user, chain="BASE") == "12.345678"
    page = await somebody.see(path)
    assert "12.345678" in page.text
    addresses = (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    for each in addresses.values():
        assert page.tree.xpath(f"//button[@data-copy='{each['address']}']")
    deposits = await somebody.see(f"{path}/deposits", coin="BASE:usdc")
    assert "12.345678" in deposits.text
    # That is all, so nothing leads on.
    assert not deposits.tree.xpath("//a[@rel='next']")
    larger = await somebody.see(f"{path}/deposits", coin="BASE:usdc", minAmount="13")
    assert "No deposits" in larger.text
    for query in ({"coin": "BASE:nonsense"}, {"coin": "X"}, {"minAmount": "x"}):
        assert (await somebody.see(f"{path}/deposits", **query)).tree.xpath("//*[@role='alert']")


async def test_what_is_wrong_about_wallets_comes_back_as_the_page(org: Tenant) -> None:
    user = await make_user(org)
    somebody, path = await visit(org), f"/dashboard/users/{user}/wallets"
    assert (await somebody.send(f"{path}/chains")).status == 422
    assert (await somebody.send(f"{path}/chains", {"chains": "MOON"})).status == 422
    for amount in ("", "0", "-1", "x", "1.2345678"):
        sent = await somebody.send(f"{path}/fund", {"coin": "POLYGON:usdc", "amount": amount})
        assert sent.status == 422
        assert sent.value("amount") == amount
    assert (await somebody.send(f"{path}/fund", {"amount": "1"})).status == 422


async def test_deposits_go_on_until_the_last(org: Tenant) -> None:
    user = await make_user(org)
    for each in range(1, PAGE_SIZE + 2):
        await fund(org, user, str(each))
    somebody = await visit(org)
    first = await somebody.see(f"/dashboard/users/{user}/wallets/deposits", coin="POLYGON:usdc")
    (onward,) = first.tree.xpath("//a[@rel='next']/@href")
    last = await somebody.see(onward)
    rows = [len(page.tree.xpath("//main//tbody/tr")) for page in (first, last)]
    assert rows == [PAGE_SIZE, 1]
    assert not last.tree.xpath("//a[@rel='next']")


async def test_an_address_outside_is_registered_once(org: Tenant) -> None:
    user = await make_user(org)
    somebody, path = await visit(org), f"/dashboard/users/{user}/wallets"
    await somebody.done(f"{path}/external", EXTERNAL)
    assert "Cold <i>" in (await somebody.see(path)).text
    again = await somebody.send(f"{path}/external", EXTERNAL)
    assert again.status == 409
    assert again.value("referenceId") == "r-1"
    wrong = await somebody.send(f"{path}/external", {**EXTERNAL, "address": "0x1"})
    assert wrong.status == 422
    assert (await somebody.send(f"{path}/external")).status == 422


async def test_an_analyst_changes_no_wallets_and_no_accounts(org: Tenant) -> None:
    user = await make_user(org)
    somebody, path = await visit(org, Role.ANALYST), f"/dashboard/users/{user}"
    for form in ("wallets/chains", "wallets/external", "wallets/fund", "accounts/new"):
        assert (await somebody.send(f"{path}/{form}", {**US, **EXTERNAL})).status in {403, 422}
    assert not (await somebody.see(f"{path}/wallets")).tree.xpath("//main//form[@method='post']")


@pytest.mark.parametrize("kind", [f"{name}:{ramp}" for name, ramp in BY_TYPE])
async def test_each_type_has_a_form(org: Tenant, kind: str) -> None:
    user = await make_user(org)
    somebody, path = await visit(org), f"/dashboard/users/{user}/accounts/new"
    for holder in ("individual", "business"):
        page = await somebody.see(path, kind=kind, holder=holder)
        assert page.value("kind") == kind
    # Everything empty: refused in words, whatever the type.
    refused = await somebody.send(path, {"kind": kind})
    assert refused.status in {400, 403, 409, 422}
    assert refused.tree.xpath("//*[@role='alert']")


async def test_the_form_shows_only_what_the_choice_asks(org: Tenant) -> None:
    user = await make_user(org)
    somebody, path = await visit(org), f"/dashboard/users/{user}/accounts/new"
    ach = await somebody.see(path, kind="us:offramp", transferType="ach")
    swift = await somebody.see(path, kind="us:offramp", transferType="swift")

    def has(page: Opened, name: str) -> bool:
        return bool(page.tree.xpath(f"//*[@name='{name}']"))

    assert has(ach, "us.routingNumber")
    assert not has(ach, "us.swiftCode")
    assert not has(ach, "us.iban")
    assert has(swift, "us.swiftCode")
    assert has(swift, "us.iban")
    assert not has(swift, "us.routingNumber")


async def test_an_account_is_added_shown_whole_and_deleted(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    somebody, path = await visit(org, Role.MEMBER), f"/dashboard/users/{user}/accounts"
    form = await somebody.see(f"{path}/new", kind="us:offramp")
    told = {**US, "requestId": form.value("requestId")}
    there = await somebody.done(f"{path}/new", told)
    assert await somebody.done(f"{path}/new", told) == there
    page = await somebody.see(there)
    assert page.tree.xpath("//button[@data-copy='123456789']")
    listed = await somebody.see(path)
    assert there in listed.links()
    assert "123456789" not in listed.text
    assert there not in (await somebody.see(path, rail="onramp")).links()
    assert (await somebody.see(path, currency="nonsense")).tree.xpath("//*[@role='alert']")

    assert await somebody.done(f"{there}/delete") == path
    assert "INACTIVE" in (await somebody.see(there)).text


async def test_what_is_wrong_about_an_account_is_said(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    somebody, path = await visit(org), f"/dashboard/users/{user}/accounts/new"
    short = await somebody.send(path, {**US, "us.accountNumber": "1"})
    assert short.status in {400, 422}
    assert short.tree.xpath("//*[@name='us.accountNumber'][@aria-invalid='true']")
    assert short.value("us.routingNumber") == "021000021"
    # Its check digit is wrong: kept, rejected, and said.
    there = await somebody.done(path, {**US, "us.routingNumber": "021000020"})
    page = await somebody.see(there)
    assert "REJECTED" in page.text
    assert "us.routingNumber" in page.text


async def test_accounts_of_others_are_not_there(org: Tenant, other_org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    somebody, stranger = await visit(org), await visit(other_org)
    there = await somebody.done(f"/dashboard/users/{user}/accounts/new", US)
    assert (await stranger.open(there)).status == 404
    assert (await stranger.send(f"{there}/delete")).status == 404
    assert (await somebody.open(f"/dashboard/users/{user}/accounts/nonsense")).status == 404


@pytest.mark.parametrize("case", list(cases()), ids=str)
def test_the_form_of_every_type_makes_what_the_interface_takes(case: Case) -> None:
    body = whole(case)
    chosen = {
        "kind": f"{case.table.name}:{case.ramp}",
        "holder": str(case.holder),
        **case.words,
    }
    form = account_form(chosen)
    told = {**flat({case.table.name: body[case.table.name]}), **chosen}
    told |= flat(body.get("accountHolder"), "accountHolder")
    made = account_body(form, told)
    assert {name: value for name, value in made.items() if name != "requestId"} == body
    shown = {each.name.partition(".")[2] for each in form.bank} | set(form.decided)
    assert {each.name for each in case.table.fields if case.is_required(each)} <= shown
    assert not {each.name for each in case.table.fields if case.is_refused(each)} & shown
