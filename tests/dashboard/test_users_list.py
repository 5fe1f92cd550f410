"""List of users, and the form for new users."""

from uuid import uuid4

from landbridge.customers.kyc.model import Rail
from landbridge.platform.http.caller import MemberRole
from landbridge.sandbox.scenarios.personas import us_account
from tests.customers.bank_accounts.verified import make_verified
from tests.dashboard.browsing import DashboardPage, visit
from tests.tenants import Tenant, business, fund, make_agreement, make_transfer, make_user

NEW = "/dashboard/users/new"
PERSON = {
    "type": "individual",
    "firstName": "Grace",
    "lastName": "Hopper",
    "email": "grace@example.com",
    "dateOfBirth": "1990-01-01",
    "ipAddress": "203.0.113.7",
    "chains": ["POLYGON", "SOLANA"],
    "do": "create",
}


def names(page: DashboardPage) -> list[str]:
    return [str(each.text) for each in page.tree.xpath("//tbody//th//a")]


async def test_every_role_sees_the_list(org: Tenant) -> None:
    await make_user(org)
    for role in MemberRole:
        visitor = await visit(org, role)
        page = await visitor.load("/dashboard/users")
        assert names(page) == ["Ada Example"]
        assert (NEW in page.links()) == (role is not MemberRole.ANALYST)


async def test_empty_list_says_what_to_do(org: Tenant) -> None:
    visitor = await visit(org)
    page = await visitor.load("/dashboard/users")
    assert "No users yet" in page.text
    assert NEW in page.links()


async def test_search_covers_names_email_and_id(org: Tenant) -> None:
    ada = await make_user(org, firstName="Ada", lastName="Lovelace", email="al@example.com")
    await make_user(org, firstName="Bob", lastName="Adams", email="bob@example.org")
    await org.post("/v2/users", business(await make_agreement(org), businessName="Adamant Ltd"))
    visitor = await visit(org)

    async def found(text: str, type_: str = "") -> list[str]:
        return names(await visitor.load("/dashboard/users", q=text, type=type_))

    assert await found("ada") == ["Adamant Ltd", "Bob Adams", "Ada Lovelace"]
    assert await found("ada", "business") == ["Adamant Ltd"]
    assert await found("ada love") == ["Ada Lovelace"]
    assert await found("@example.org") == ["Bob Adams"]
    assert await found("al@ex") == ["Ada Lovelace"]
    assert await found(ada) == ["Ada Lovelace"]
    assert await found(str(uuid4())) == []
    assert "No matching users" in (await visitor.load("/dashboard/users", q="nobody")).text


async def test_list_is_paged(org: Tenant) -> None:
    for number in range(27):
        await make_user(org, firstName=f"Nr{number}", lastName="Many")
    visitor = await visit(org)
    for query in ("", "?q=many"):
        first = await visitor.load(f"/dashboard/users{query}")
        (older,) = first.tree.xpath("//a[@rel='next']/@href")
        second = await visitor.load(str(older))
        assert names(first) + names(second) == [f"Nr{each} Many" for each in range(26, -1, -1)]
        assert not second.tree.xpath("//a[@rel='next']")


async def test_list_shows_verification_balance_payments_and_flags(org: Tenant) -> None:
    await make_user(org)
    user = await make_verified(org, Rail.USD, firstName="Grace", email="grace@example.org")
    await fund(org, user, "150.257")
    await make_transfer(org, user, {"userId": await make_user(org)}, "0.25")
    await org.post(f"/v2/users/{user}/accounts", us_account("wire", holder="Mary Major"))
    await org.post(f"/v2/users/{user}/freeze", {})
    visitor = await visit(org)
    page = await visitor.load("/dashboard/users", q="grace")
    (row,) = page.tree.xpath("//tbody/tr")
    text = " ".join(str(row.text_content()).split())
    for each in ("Active", "150.25", "second", "Frozen", "Other account holder"):
        assert each in text, text
    unverified = (await visitor.load("/dashboard/users", q="ada@example.com")).text
    assert "Not started" in unverified
    assert "Other account holder" not in unverified


async def test_frozen_users_are_listed_alone(org: Tenant) -> None:
    for number in range(27):
        user = await make_user(org, firstName=f"Nr{number}", lastName="Many")
        await org.post(f"/v2/users/{user}/freeze", {})
    await make_user(org, firstName="Active", lastName="Many")
    visitor = await visit(org)
    for query in ({}, {"q": "many"}, {"type": "individual"}):
        first = await visitor.load("/dashboard/users", flag="frozen", **query)
        found = names(first)
        while older := first.tree.xpath("//a[@rel='next']/@href"):
            first = await visitor.load(str(older[0]))
            found += names(first)
        assert found == [f"Nr{each} Many" for each in range(26, -1, -1)], query
    assert names(await visitor.load("/dashboard/users", flag="frozen", type="business")) == []
    for wrong in ({"flag": "odd"}, {"flag": "frozen", "cursor": "!"}):
        assert (await visitor.open("/dashboard/users", **wrong)).status == 422


async def test_users_are_listed_by_their_verification(org: Tenant) -> None:
    await make_verified(org, Rail.USD, firstName="Grace")
    for number in range(27):
        await make_user(org, firstName=f"Nr{number}", lastName="Many")
    visitor = await visit(org)
    assert names(await visitor.load("/dashboard/users", kyc="ACTIVE")) == ["Grace Approval"]
    assert names(await visitor.load("/dashboard/users", kyc="ACTIVE", q="many")) == []
    assert names(await visitor.load("/dashboard/users", kyc="ACTIVE", flag="frozen")) == []
    assert names(await visitor.load("/dashboard/users", kyc="REJECTED")) == []
    first = await visitor.load("/dashboard/users", kyc="INACTIVE")
    (older,) = first.tree.xpath("//a[@rel='next']/@href")
    found = names(first) + names(await visitor.load(str(older)))
    assert found == [f"Nr{each} Many" for each in range(26, -1, -1)]
    assert names(await visitor.load("/dashboard/users", kyc="INACTIVE", q="grace")) == []
    wrong = await visitor.open("/dashboard/users", kyc="odd")
    assert wrong.status == 422
    assert wrong.tree.xpath("//select[@id='f-kyc'][@aria-invalid]")


async def test_invalid_filter_shows_an_error(org: Tenant) -> None:
    visitor = await visit(org)
    page = await visitor.open("/dashboard/users", type="robot")
    assert page.status == 422
    assert "type must be one of" in page.text


async def test_individual_is_created_after_terms_are_accepted(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.MEMBER)
    page = await visitor.load(NEW)
    fields = {**PERSON, "requestId": page.value("requestId")}
    linked = await visitor.send(NEW, {**fields, "do": "link"})
    assert linked.status == 200
    agreement = linked.value("signedAgreementId")
    assert linked.value("firstName") == "Grace"
    assert any(f"/tos/{agreement}?session=" in each for each in linked.links())
    fields["signedAgreementId"] = agreement

    early = await visitor.send(NEW, fields)
    assert early.status == 422
    assert early.value("lastName") == "Hopper"

    accepted = await visitor.send(NEW, {**fields, "do": "accept"})
    assert "Accepted" in accepted.text
    path = await visitor.submit(NEW, fields)
    assert await visitor.submit(NEW, fields) == path
    shown = await visitor.load(path)
    assert "Grace Hopper" in shown.text
    user = await org.get("/v2/users/" + path.rpartition("/")[2])
    assert set(user["wallets"]["INDIVIDUAL"]) == {"POLYGON", "SOLANA"}


async def test_business_is_created_with_owners(org: Tenant) -> None:
    visitor = await visit(org)
    fields = {
        "type": "business",
        "businessName": "Example & Sons Ltd",
        "email": "office@example.com",
        "ipAddress": "203.0.113.7",
        "signedAgreementId": await make_agreement(org),
        "chains": ["POLYGON"],
        "owners": "1",
        "ultimateBeneficialOwners[0].firstName": "Ada",
        "ultimateBeneficialOwners[0].lastName": "Example",
        "ultimateBeneficialOwners[0].dateOfBirth": "1990-01-01",
        "ultimateBeneficialOwners[0].hasControl": "yes",
    }
    refused = await visitor.send(NEW, {**fields, "do": "create"})
    assert refused.status == 422
    assert "isSigner" in refused.text
    more = await visitor.send(NEW, {**fields, "do": "owner"})
    assert more.value("owners") == "2"
    fields |= {
        "owners": "2",
        "ultimateBeneficialOwners[1].firstName": "Bob",
        "ultimateBeneficialOwners[1].lastName": "Example",
        "ultimateBeneficialOwners[1].dateOfBirth": "1991-01-01",
        "ultimateBeneficialOwners[1].isSigner": "yes",
    }
    path = await visitor.submit(NEW, {**fields, "do": "create"})
    shown = await visitor.load(path)
    assert "Bob Example" in shown.text
    assert "Example & Sons Ltd" in shown.text


async def test_incomplete_form_is_shown_again(org: Tenant) -> None:
    visitor = await visit(org)
    for fields in ({}, {"do": "accept"}, {"signedAgreementId": "x"}, {"type": "robot"}):
        assert (await visitor.send(NEW, fields)).status == 422
    submitted = {**PERSON, "signedAgreementId": await make_agreement(org)}
    wrong = ({"email": "x"}, {"dateOfBirth": "x"}, {"address.city": "Denver"}, {"chains": "X"})
    for changes in wrong:
        sent = await visitor.send(NEW, {**submitted, **changes})
        assert sent.status == 422, changes


async def test_analyst_cannot_create_users(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.ANALYST)
    fields = {**PERSON, "signedAgreementId": await make_agreement(org)}
    sent = await visitor.send(NEW, fields)
    assert sent.status == 403
    assert (await org.get("/v2/users"))["count"] == 0


async def test_filters_that_apply_at_once_have_a_button_only_without_scripts(org: Tenant) -> None:
    user = f"/dashboard/users/{await make_user(org)}"
    admin = await visit(org)
    for path in ("/dashboard/users", f"{user}/transactions", f"{user}/accounts"):
        page = await admin.load(path)
        assert page.tree.xpath("//form[@data-live]//noscript//button"), path
        shown = "//form[@data-live][@method='get']//button[not(ancestor::noscript)]"
        assert not page.tree.xpath(shown), path
