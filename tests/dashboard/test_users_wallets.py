"""Wallets and bank accounts of a user."""

import pytest

from landbridge.customers.bank_accounts.types import BY_TYPE
from landbridge.customers.kyc.model import Rail
from landbridge.dashboard.list_queries import PAGE_SIZE
from landbridge.dashboard.users.account_forms import account_body, account_form
from landbridge.dashboard.users.nested_fields import flatten
from landbridge.platform.http.caller import MemberRole
from tests.customers.bank_accounts.bodies import Case, cases, whole
from tests.customers.bank_accounts.verified import make_verified
from tests.dashboard.browsing import DashboardPage, visit
from tests.matrices import in_one_test, part_of
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
    visitor, path = await visit(org, MemberRole.MEMBER), f"/dashboard/users/{user}/wallets"
    await visitor.submit(f"{path}/chains", {"chains": ["SOLANA", "BASE"]})
    await visitor.submit(f"{path}/fund", {"coin": "BASE:usdc", "amount": "12.345678"})
    assert await held(org, user, chain="BASE") == "12.345678"
    page = await visitor.load(path)
    assert "12.345678" in page.text
    addresses = (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    for each in addresses.values():
        assert page.tree.xpath(f"//button[@data-copy='{each['address']}']")
    deposits = await visitor.load(f"{path}/deposits", coin="BASE:usdc")
    assert "12.345678" in deposits.text
    # All deposits are shown, so there is no next page.
    assert not deposits.tree.xpath("//a[@rel='next']")
    larger = await visitor.load(f"{path}/deposits", coin="BASE:usdc", minAmount="13")
    assert "No deposits" in larger.text
    for query in ({"coin": "BASE:nonsense"}, {"coin": "X"}, {"minAmount": "x"}):
        assert (await visitor.open(f"{path}/deposits", **query)).tree.xpath("//*[@role='alert']")


async def test_invalid_wallet_form_shows_the_page_with_errors(org: Tenant) -> None:
    user = await make_user(org)
    visitor, path = await visit(org), f"/dashboard/users/{user}/wallets"
    assert (await visitor.send(f"{path}/chains")).status == 422
    assert (await visitor.send(f"{path}/chains", {"chains": "MOON"})).status == 422
    for amount in ("", "0", "-1", "x", "1.2345678"):
        sent = await visitor.send(f"{path}/fund", {"coin": "POLYGON:usdc", "amount": amount})
        assert sent.status == 422
        assert sent.value("amount") == amount
    assert (await visitor.send(f"{path}/fund", {"amount": "1"})).status == 422


async def test_deposits_are_paged_to_the_last(org: Tenant) -> None:
    user = await make_user(org)
    for each in range(1, PAGE_SIZE + 2):
        await fund(org, user, str(each))
    visitor = await visit(org)
    first = await visitor.load(f"/dashboard/users/{user}/wallets/deposits", coin="POLYGON:usdc")
    (older,) = first.tree.xpath("//a[@rel='next']/@href")
    last = await visitor.load(older)
    rows = [len(page.tree.xpath("//main//tbody/tr")) for page in (first, last)]
    assert rows == [PAGE_SIZE, 1]
    assert not last.tree.xpath("//a[@rel='next']")


async def test_external_wallet_is_registered_once(org: Tenant) -> None:
    user = await make_user(org)
    visitor, path = await visit(org), f"/dashboard/users/{user}/wallets"
    await visitor.submit(f"{path}/external", EXTERNAL)
    assert "Cold <i>" in (await visitor.load(path)).text
    again = await visitor.send(f"{path}/external", EXTERNAL)
    assert again.status == 409
    assert again.value("referenceId") == "r-1"
    wrong = await visitor.send(f"{path}/external", {**EXTERNAL, "address": "0x1"})
    assert wrong.status == 422
    assert (await visitor.send(f"{path}/external")).status == 422


async def test_analyst_changes_no_wallets_and_no_accounts(org: Tenant) -> None:
    user = await make_user(org)
    visitor, path = await visit(org, MemberRole.ANALYST), f"/dashboard/users/{user}"
    for form in ("wallets/chains", "wallets/external", "wallets/fund", "accounts/new"):
        assert (await visitor.send(f"{path}/{form}", {**US, **EXTERNAL})).status in {403, 422}
    assert not (await visitor.load(f"{path}/wallets")).tree.xpath("//main//form[@method='post']")


@pytest.mark.parametrize("kind", part_of([f"{name}:{ramp}" for name, ramp in BY_TYPE], 0, 3))
async def test_each_account_type_has_a_form(org: Tenant, kind: str) -> None:
    user = await make_user(org)
    visitor, path = await visit(org), f"/dashboard/users/{user}/accounts/new"
    for holder in ("individual", "business"):
        page = await visitor.load(path, kind=kind, holder=holder)
        assert page.value("kind") == kind
    # An empty form is refused with a sentence, whatever the type.
    refused = await visitor.send(path, {"kind": kind})
    assert refused.status in {400, 403, 409, 422}
    assert refused.tree.xpath("//*[@role='alert']")


async def test_form_shows_only_fields_of_the_chosen_type(org: Tenant) -> None:
    user = await make_user(org)
    visitor, path = await visit(org), f"/dashboard/users/{user}/accounts/new"
    ach = await visitor.load(path, kind="us:offramp", transferType="ach")
    swift = await visitor.load(path, kind="us:offramp", transferType="swift")

    def has(page: DashboardPage, name: str) -> bool:
        return bool(page.tree.xpath(f"//*[@name='{name}']"))

    assert has(ach, "us.routingNumber")
    assert not has(ach, "us.swiftCode")
    assert not has(ach, "us.iban")
    assert has(swift, "us.swiftCode")
    assert has(swift, "us.iban")
    assert not has(swift, "us.routingNumber")


async def test_account_is_added_shown_and_deleted(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    visitor, path = await visit(org, MemberRole.MEMBER), f"/dashboard/users/{user}/accounts"
    form = await visitor.load(f"{path}/new", kind="us:offramp")
    fields = {**US, "requestId": form.value("requestId")}
    account_path = await visitor.submit(f"{path}/new", fields)
    assert await visitor.submit(f"{path}/new", fields) == account_path
    page = await visitor.load(account_path)
    assert page.tree.xpath("//button[@data-copy='123456789']")
    listed = await visitor.load(path)
    assert account_path in listed.links()
    assert "123456789" not in listed.text
    assert account_path not in (await visitor.load(path, rail="onramp")).links()
    assert (await visitor.open(path, currency="nonsense")).tree.xpath("//*[@role='alert']")

    assert await visitor.submit(f"{account_path}/delete") == path
    assert 'title="INACTIVE"' in (await visitor.load(account_path)).response.text


async def test_invalid_account_shows_errors(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    visitor, path = await visit(org), f"/dashboard/users/{user}/accounts/new"
    short = await visitor.send(path, {**US, "us.accountNumber": "1"})
    assert short.status in {400, 422}
    assert short.tree.xpath("//*[@name='us.accountNumber'][@aria-invalid='true']")
    assert short.value("us.routingNumber") == "021000021"
    # A wrong check digit: the account is stored as rejected, with a reason.
    account_path = await visitor.submit(path, {**US, "us.routingNumber": "021000020"})
    page = await visitor.load(account_path)
    assert 'title="REJECTED"' in page.response.text
    assert "us.routingNumber" in page.text


async def test_accounts_of_other_organisations_are_not_found(
    org: Tenant, other_org: Tenant
) -> None:
    user = await make_verified(org, Rail.USD)
    visitor, outsider = await visit(org), await visit(other_org)
    path = await visitor.submit(f"/dashboard/users/{user}/accounts/new", US)
    assert (await outsider.open(path)).status == 404
    assert (await outsider.send(f"{path}/delete")).status == 404
    assert (await visitor.open(f"/dashboard/users/{user}/accounts/nonsense")).status == 404


@in_one_test(cases())
def test_form_of_every_type_builds_a_valid_request(case: Case) -> None:
    body = whole(case)
    chosen = {
        "kind": f"{case.table.name}:{case.ramp}",
        "holder": str(case.holder),
        **case.words,
    }
    form = account_form(chosen)
    submitted = {**flatten({case.table.name: body[case.table.name]}), **chosen}
    submitted |= flatten(body.get("accountHolder"), "accountHolder")
    created = account_body(form, submitted)
    assert {name: value for name, value in created.items() if name != "requestId"} == body
    shown = {each.name.partition(".")[2] for each in form.bank_inputs} | set(
        form.controlling_values
    )
    assert {each.name for each in case.table.fields if case.is_required(each)} <= shown
    assert not {each.name for each in case.table.fields if case.is_refused(each)} & shown
