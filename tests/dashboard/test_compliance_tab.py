"""Compliance tab: missing data, editing, owners, submission, KYC links."""

from typing import Any

import pytest

from landbridge.customers.kyc.enumerations import BUSINESS_DOCUMENTS, INDIVIDUAL_DOCUMENTS, VALUES
from landbridge.customers.kyc.field_types import (
    ChoiceFieldType,
    Kind,
    ListFieldType,
    QuestionnaireFieldType,
)
from landbridge.customers.kyc.fields import BUSINESS, INDIVIDUAL, OWNER
from landbridge.dashboard.compliance.field_labels import LABELS
from landbridge.dashboard.compliance.kyc_form import (
    changed_fields,
    decode_original,
    encode_original,
    input_names,
    input_values,
)
from landbridge.platform.http.caller import MemberRole
from tests.customers.kyc.samples import company, owner, person
from tests.dashboard.browsing import DashboardPage, Visitor, visit
from tests.people import make_business, make_person, owners_of, status_of
from tests.tenants import Tenant, make_user

HOSTILE = "<script>alert(1)</script>"


def tab(user: str, under: str = "") -> str:
    return f"/dashboard/users/{user}/compliance{under}"


def filled(page: DashboardPage, action: str, **changed: str | list[str]) -> dict[str, Any]:
    """Return the fields a browser would send for the form with this action."""
    (form,) = page.tree.xpath(f'//form[@method="post"][@action="{action}"]')
    fields: dict[str, list[str]] = {}
    for name, value in form.form_values():
        fields.setdefault(name, []).append(value)
    return {**fields, **changed}


async def edit_and_save(
    visitor: Visitor, path: str, action: str, **changed: str | list[str]
) -> str:
    """Open, change and send a form, and return where it redirects."""
    page = await visitor.load(path)
    return await visitor.submit(action, filled(page, action, **changed))


@pytest.mark.parametrize("role", list(MemberRole))
async def test_tab_opens_for_every_role(org: Tenant, role: MemberRole) -> None:
    user = await make_user(org)
    page = await (await visit(org, role)).load(tab(user))
    assert "Nationality: Missing" in page.text
    assert "Proof of identity: document missing" in page.text
    assert ("Save data" in page.text) is (role is not MemberRole.ANALYST)


async def test_users_of_other_organisations_are_not_found(org: Tenant, other_org: Tenant) -> None:
    user = await make_user(other_org)
    visitor = await visit(org)
    for under in ("", "/kyc-link", "/documents/new", "/owners/new", "/owners/x", "/documents/x"):
        assert (await visitor.open(tab(user, under))).status == 404, under


async def test_analysts_cannot_edit(org: Tenant) -> None:
    user = await make_user(org)
    analyst = await visit(org, MemberRole.ANALYST)
    for under in ("", "/submit", "/kyc-link", "/owners/new"):
        assert (await analyst.send(tab(user, under), {"phone": "+14155550123"})).status == 403


async def test_missing_data_can_be_entered(org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org, MemberRole.MEMBER)
    address = {
        "address.addressLine1": "1 Main Street",
        "address.city": "Denver",
        "address.stateProvinceRegion": "Colorado",
        "address.postalCode": "80202",
        "address.country": "United States",
    }
    to = await edit_and_save(
        visitor,
        tab(user),
        tab(user),
        phone="+13035550123",
        nationality="usa",
        taxIdentificationNumber="536-90-4399",
        **{"sofEuQuestionnaire.sourceOfFunds": "salary"},
        **address,
    )
    assert to == tab(user, "?rails=USD")
    info = (await org.get(f"/v2/users/{user}/kyc"))["kycInfo"]
    assert info["nationality"] == "USA"
    assert info["address"]["stateProvinceRegion"] == "CO"
    assert info["sofEuQuestionnaire"]["sourceOfFunds"] == "salary"
    # Other fields are unchanged, and an emptied field is cleared.
    assert info["firstName"] == "Ada"
    await edit_and_save(visitor, tab(user), tab(user), phone="")
    info = (await org.get(f"/v2/users/{user}/kyc"))["kycInfo"]
    assert info["phone"] is None
    assert info["nationality"] == "USA"


async def test_refused_data_keeps_the_form_values(org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org)
    page = await visitor.load(tab(user))
    bad = filled(page, tab(user), email=HOSTILE, placeOfBirth="Denver")
    again = await visitor.send(tab(user), bad)
    assert again.status == 422
    assert again.value("email") == HOSTILE
    assert HOSTILE not in again.response.text
    assert again.value("placeOfBirth") == "Denver"
    assert again.tree.xpath('//*[@id="f-email"]/@aria-invalid') == ["true"]
    assert again.title.startswith("Error")
    # The corrected form is accepted.
    await visitor.submit(tab(user), filled(again, tab(user), email="ada@example.com"))
    info = (await org.get(f"/v2/users/{user}/kyc"))["kycInfo"]
    assert info["placeOfBirth"] == "Denver"


async def test_concurrent_changes_are_kept(org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org)
    page = await visitor.load(tab(user))
    await org.post(f"/v2/users/{user}/kyc", {"phone": "+13035550123"})
    await visitor.submit(tab(user), filled(page, tab(user), nationality="USA"))
    info = (await org.get(f"/v2/users/{user}/kyc"))["kycInfo"]
    assert (info["phone"], info["nationality"]) == ("+13035550123", "USA")


async def test_submitted_user_is_decided_by_test_name(org: Tenant) -> None:
    user = await make_person(org, last_name="Approval")
    visitor = await visit(org, MemberRole.MEMBER)
    page = await visitor.load(tab(user))
    assert "Nothing is missing" in page.text
    assert "REJECTION" in page.text
    assert await visitor.submit(tab(user, "/submit"), {"rails": ["USD", "AFRICA_GENERAL"]})
    assert (await status_of(org, user))["status"] == "ACTIVE"
    assert 'title="ACTIVE"' in (await visitor.load(tab(user))).response.text


async def test_incomplete_data_is_not_submitted(org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org)
    refused = await visitor.send(tab(user, "/submit"), {"rails": "USD"})
    assert refused.status == 400
    assert 'role="alert"' in refused.response.text
    assert (await visitor.send(tab(user, "/submit"), {"rails": "NOWHERE"})).status in {400, 422}
    assert (await visitor.send(tab(user, "/submit"))).status in {400, 422}


async def test_rejected_data_is_shown_and_corrected(org: Tenant) -> None:
    user = await make_person(org, last_name="Retry")
    visitor = await visit(org)
    await visitor.submit(tab(user, "/submit"), {"rails": "USD"})
    page = await visitor.load(tab(user))
    assert 'title="INCOMPLETE"' in page.response.text
    assert "Correct the items marked below" in page.text
    await edit_and_save(visitor, tab(user), tab(user), lastName="Approval", lastNameLocal="")
    await visitor.submit(tab(user, "/submit"), {"rails": "USD"})
    assert (await status_of(org, user))["status"] == "ACTIVE"


async def test_owners_are_added_edited_and_removed(org: Tenant) -> None:
    user = await make_business(org)
    (first,) = await owners_of(org, user)
    visitor = await visit(org, MemberRole.MEMBER)
    assert "Ada" in (await visitor.load(tab(user))).text
    blank = tab(user, "/owners/new")
    await edit_and_save(visitor, blank, blank, firstName="Grace", businessTitle=HOSTILE)
    ids = await owners_of(org, user)
    (new,) = set(ids) - {first}
    opened_page = await visitor.load(tab(user, f"/owners/{new}"))
    assert "<script>alert" not in opened_page.response.text
    page = tab(user, f"/owners/{new}")
    again = await visitor.send(page, filled(opened_page, page, shareProportion="lots"))
    assert again.status == 422
    assert again.value("shareProportion") == "lots"
    await edit_and_save(visitor, page, page, shareProportion="33.5", roles=["UBO", "DIRECTOR"])
    kept_owner = await org.get(f"/v2/users/{user}/kyc/ubos/{new}")
    assert kept_owner["shareProportion"] == 33.5
    assert kept_owner["roles"] == ["UBO", "DIRECTOR"]
    await visitor.submit(f"{page}/remove")
    assert await owners_of(org, user) == [first]
    assert (await visitor.send(f"{page}/remove")).status == 404


async def test_individual_has_no_owners(org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org)
    refused = await visitor.send(tab(user, "/owners/new"), {"firstName": "Ada", "original": "x"})
    assert refused.status == 422


async def test_kyc_link_is_created_and_shown_once(org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org, MemberRole.MEMBER)
    page = await visitor.load(tab(user, "/kyc-link"), rails="USD")
    assert page.tree.xpath('//input[@name="rails"][@checked]/@value') == ["USD"]
    created = await visitor.send(tab(user, "/kyc-link"), {"rails": "USD"})
    assert created.status == 200
    (link,) = created.tree.xpath('//p[@class="linked"]/code/text()')
    assert (await org.client.get(link)).status_code == 200
    none = await visitor.send(tab(user, "/kyc-link"), {"redirectUrl": "https://a.example"})
    assert none.status == 422
    assert none.value("redirectUrl") == "https://a.example"
    bad = await visitor.send(tab(user, "/kyc-link"), {"rails": "USD", "redirectUrl": "x"})
    assert bad.status == 422


@pytest.mark.parametrize("original", ["", "x", "[]", '{"phone": 1}', '{"phone": [[1]]}'])
async def test_malformed_original_values_are_ignored(org: Tenant, original: str) -> None:
    user = await make_user(org)
    sent = await (await visit(org)).send(tab(user), {"original": original, "rails": "NOWHERE"})
    assert sent.status == 303


def test_unchanged_values_are_no_changes() -> None:
    for fields, data in (
        (INDIVIDUAL, person(shareProportion=None)),
        (BUSINESS, company()),
        (OWNER, {**owner(), "shareProportion": "40"}),
    ):
        values = input_values(fields, data)
        assert (
            changed_fields(fields, values, decode_original(encode_original(values)), locale="en")
            == {}
        )
        added = changed_fields(fields, values, {}, locale="en")
        assert added.keys() == {each for each in fields if each in data}
        removed = changed_fields(fields, {}, values, locale="en")
        assert {name for name, value in removed.items() if value is None} >= {"email", "address"}


def test_every_field_and_value_has_a_label() -> None:
    def choices_of(kind: Kind) -> list[str]:
        match kind:
            case (
                ChoiceFieldType(values=values) | ListFieldType(each=ChoiceFieldType(values=values))
            ):
                return list(values)
            case QuestionnaireFieldType():
                return [word for each in kind.fields.values() for word in choices_of(each)]
            case _:
                return []

    for fields in (INDIVIDUAL, BUSINESS, OWNER):
        assert {each.rpartition(".")[2] for each in input_names(fields)} <= LABELS.keys()
        for kind in fields.values():
            assert set(choices_of(kind)) <= VALUES.keys()
    assert set(INDIVIDUAL_DOCUMENTS) | set(BUSINESS_DOCUMENTS) <= VALUES.keys()


async def test_every_input_has_a_label(org: Tenant) -> None:
    user = await make_business(org)
    page = await (await visit(org)).load(tab(user), rails="GLOBAL_NETWORK")
    tree = page.tree
    ids = tree.xpath("//*[@id]/@id")
    assert len(ids) == len(set(ids))
    assert set(tree.xpath("//label/@for")) <= set(ids)
    targets = {each[1:] for each in page.links() if each.startswith("#")}
    assert targets <= set(ids)


async def test_tab_of_an_erased_user(org: Tenant) -> None:
    user = await make_person(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    assert (await org.send("DELETE", f"/v2/users/{user}/personal-data")).status_code == 200
    visitor = await visit(org)
    page = await visitor.load(tab(user))
    assert "This user was erased" in page.text
    assert "Save data" not in page.text


async def test_optional_fields_are_marked_and_required_ones_are_not(org: Tenant) -> None:
    visitor = await visit(org)
    page = await visitor.load(f"/dashboard/users/{await make_user(org)}/compliance")
    labels = {
        str(each.get("for")): " ".join(str(each.text_content()).split())
        for each in page.tree.xpath("//main//label[@for]")
    }
    assert labels["f-taxIdentificationNumber"] == "Tax ID"
    assert any(each.endswith("(optional)") for each in labels.values())
    assert "(required)" not in page.text


@pytest.mark.parametrize("text", ["", "[", "[1]", '{"a": 1}', "[" * 100_000])
def test_original_values_that_no_page_has_sent_are_none(text: str) -> None:
    assert decode_original(text) == {}
