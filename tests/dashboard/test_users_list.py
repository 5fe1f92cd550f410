"""The list of users, and making one."""

from uuid import uuid4

from landbridge.web.caller import Role
from tests.dashboard.browsing import Opened, visit
from tests.tenants import Tenant, business, make_agreement, make_user

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


def names(page: Opened) -> list[str]:
    return [str(each.text) for each in page.tree.xpath("//tbody//th//a")]


async def test_everybody_who_signed_in_sees_the_list(org: Tenant) -> None:
    await make_user(org)
    for role in Role:
        somebody = await visit(org, role)
        page = await somebody.see("/dashboard/users")
        assert names(page) == ["Ada Example"]
        assert (NEW in page.links()) == (role is not Role.ANALYST)


async def test_without_users_it_says_what_to_do(org: Tenant) -> None:
    somebody = await visit(org)
    page = await somebody.see("/dashboard/users")
    assert "No users yet" in page.text
    assert NEW in page.links()


async def test_a_search_looks_into_all_names_the_e_mail_and_the_id(org: Tenant) -> None:
    ada = await make_user(org, firstName="Ada", lastName="Lovelace", email="al@example.com")
    await make_user(org, firstName="Bob", lastName="Adams", email="bob@example.org")
    await org.post("/v2/users", business(await make_agreement(org), businessName="Adamant Ltd"))
    somebody = await visit(org)

    async def found(text: str, type_: str = "") -> list[str]:
        return names(await somebody.see("/dashboard/users", q=text, type=type_))

    assert await found("ada") == ["Adamant Ltd", "Bob Adams", "Ada Lovelace"]
    assert await found("ada", "business") == ["Adamant Ltd"]
    assert await found("ada love") == ["Ada Lovelace"]
    assert await found("@example.org") == ["Bob Adams"]
    assert await found("al@ex") == ["Ada Lovelace"]
    assert await found(ada) == ["Ada Lovelace"]
    assert await found(str(uuid4())) == []
    assert "No user fits" in (await somebody.see("/dashboard/users", q="nobody")).text


async def test_the_list_is_paged(org: Tenant) -> None:
    for number in range(27):
        await make_user(org, firstName=f"Nr{number}", lastName="Many")
    somebody = await visit(org)
    for query in ("", "?q=many"):
        first = await somebody.see(f"/dashboard/users{query}")
        (older,) = first.tree.xpath("//a[@rel='next']/@href")
        second = await somebody.see(str(older))
        assert names(first) + names(second) == [f"Nr{each} Many" for each in range(26, -1, -1)]
        assert not second.tree.xpath("//a[@rel='next']")


async def test_what_is_wrong_with_a_filter_is_said(org: Tenant) -> None:
    somebody = await visit(org)
    page = await somebody.see("/dashboard/users", type="robot")
    assert "type must be one of" in page.text


async def test_a_person_is_made_with_a_link_that_is_accepted_for_them(org: Tenant) -> None:
    somebody = await visit(org, Role.MEMBER)
    page = await somebody.see(NEW)
    told = {**PERSON, "requestId": page.value("requestId")}
    linked = await somebody.send(NEW, {**told, "do": "link"})
    assert linked.status == 200
    agreement = linked.value("signedAgreementId")
    assert linked.value("firstName") == "Grace"
    assert any(f"/tos/{agreement}?session=" in each for each in linked.links())
    told["signedAgreementId"] = agreement

    early = await somebody.send(NEW, told)
    assert early.status == 422
    assert early.value("lastName") == "Hopper"

    accepted = await somebody.send(NEW, {**told, "do": "accept"})
    assert "Accepted" in accepted.text
    there = await somebody.done(NEW, told)
    assert await somebody.done(NEW, told) == there
    shown = await somebody.see(there)
    assert "Grace Hopper" in shown.text
    user = await org.get("/v2/users/" + there.rpartition("/")[2])
    assert set(user["wallets"]["INDIVIDUAL"]) == {"POLYGON", "SOLANA"}


async def test_a_business_is_made_with_owners(org: Tenant) -> None:
    somebody = await visit(org)
    told = {
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
    refused = await somebody.send(NEW, {**told, "do": "create"})
    assert refused.status == 422
    assert "isSigner" in refused.text
    more = await somebody.send(NEW, {**told, "do": "owner"})
    assert more.value("owners") == "2"
    told |= {
        "owners": "2",
        "ultimateBeneficialOwners[1].firstName": "Bob",
        "ultimateBeneficialOwners[1].lastName": "Example",
        "ultimateBeneficialOwners[1].dateOfBirth": "1991-01-01",
        "ultimateBeneficialOwners[1].isSigner": "yes",
    }
    there = await somebody.done(NEW, {**told, "do": "create"})
    shown = await somebody.see(there)
    assert "Bob Example" in shown.text
    assert "Example & Sons Ltd" in shown.text


async def test_what_is_missing_comes_back_as_the_form(org: Tenant) -> None:
    somebody = await visit(org)
    for fields in ({}, {"do": "accept"}, {"signedAgreementId": "x"}, {"type": "robot"}):
        assert (await somebody.send(NEW, fields)).status == 422
    told = {**PERSON, "signedAgreementId": await make_agreement(org)}
    wrong = ({"email": "x"}, {"dateOfBirth": "x"}, {"address.city": "Denver"}, {"chains": "X"})
    for changes in wrong:
        sent = await somebody.send(NEW, {**told, **changes})
        assert sent.status == 422, changes


async def test_an_analyst_makes_nobody(org: Tenant) -> None:
    somebody = await visit(org, Role.ANALYST)
    told = {**PERSON, "signedAgreementId": await make_agreement(org)}
    sent = await somebody.send(NEW, told)
    assert sent.status == 403
    assert (await org.get("/v2/users"))["count"] == 0
