"""The compliance tab: what is missing, telling it, owners, submitting, links."""

from typing import Any

import pytest

from landbridge.dashboard.compliance.entries import changes, keep, kept, paths, typed
from landbridge.dashboard.compliance.field_words import LABELS
from landbridge.dashboard.compliance.value_words import VALUES
from landbridge.kyc.fields import BUSINESS, INDIVIDUAL, OWNER
from landbridge.kyc.kinds import Kind, Questionnaire, Several, Words
from landbridge.kyc.words import BUSINESS_DOCUMENTS, INDIVIDUAL_DOCUMENTS
from landbridge.web.caller import Role
from tests.dashboard.browsing import Opened, Visit, visit
from tests.kyc.samples import company, owner, person
from tests.people import make_business, make_person, owners_of, status_of
from tests.tenants import Tenant, make_user

HOSTILE = "<script>alert(1)</script>"


def tab(user: str, under: str = "") -> str:
    return f"/dashboard/users/{user}/compliance{under}"


def filled(opened: Opened, action: str, **changed: str | list[str]) -> dict[str, Any]:
    """What a browser would send of the form with this address."""
    (form,) = opened.tree.xpath(f'//form[@method="post"][@action="{action}"]')
    told: dict[str, list[str]] = {}
    for name, value in form.form_values():
        told.setdefault(name, []).append(value)
    return {**told, **changed}


async def saved(somebody: Visit, path: str, action: str, **changed: str | list[str]) -> str:
    """Where the form leads that was opened, changed and sent."""
    opened = await somebody.see(path)
    return await somebody.done(action, filled(opened, action, **changed))


@pytest.mark.parametrize("role", list(Role))
async def test_the_tab_opens_for_everybody(org: Tenant, role: Role) -> None:
    user = await make_user(org)
    opened = await (await visit(org, role)).see(tab(user))
    assert "Nationality: Missing" in opened.text
    assert "Proof of identity: a document is missing" in opened.text
    assert ("Save the data" in opened.text) is (role is not Role.ANALYST)


async def test_nobody_sees_users_of_others(org: Tenant, other_org: Tenant) -> None:
    user = await make_user(other_org)
    somebody = await visit(org)
    for under in ("", "/kyc-link", "/documents/new", "/owners/new", "/owners/x", "/documents/x"):
        assert (await somebody.open(tab(user, under))).status == 404, under


async def test_analysts_change_nothing(org: Tenant) -> None:
    user = await make_user(org)
    analyst = await visit(org, Role.ANALYST)
    for under in ("", "/submit", "/kyc-link", "/owners/new"):
        assert (await analyst.send(tab(user, under), {"phone": "+14155550123"})).status == 403


async def test_what_is_missing_can_be_told(org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org, Role.MEMBER)
    address = {
        "address.addressLine1": "1 Main Street",
        "address.city": "Denver",
        "address.stateProvinceRegion": "Colorado",
        "address.postalCode": "80202",
        "address.country": "United States",
    }
    to = await saved(
        somebody,
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
    # Nothing else was touched, and a blank takes away.
    assert info["firstName"] == "Ada"
    await saved(somebody, tab(user), tab(user), phone="")
    info = (await org.get(f"/v2/users/{user}/kyc"))["kycInfo"]
    assert info["phone"] is None
    assert info["nationality"] == "USA"


async def test_what_is_refused_stays_filled_in(org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org)
    opened = await somebody.see(tab(user))
    bad = filled(opened, tab(user), phone=HOSTILE, placeOfBirth="Denver")
    again = await somebody.send(tab(user), bad)
    assert again.status == 422
    assert again.value("phone") == HOSTILE
    assert HOSTILE not in again.answer.text
    assert again.value("placeOfBirth") == "Denver"
    assert again.tree.xpath('//*[@id="f-phone"]/@aria-invalid') == ["true"]
    assert again.title.startswith("Error")
    # The way out of it.
    await somebody.done(tab(user), filled(again, tab(user), phone="+13035550123"))
    info = (await org.get(f"/v2/users/{user}/kyc"))["kycInfo"]
    assert info["placeOfBirth"] == "Denver"


async def test_somebody_elses_changes_are_not_undone(org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org)
    opened = await somebody.see(tab(user))
    await org.post(f"/v2/users/{user}/kyc", {"phone": "+13035550123"})
    await somebody.done(tab(user), filled(opened, tab(user), nationality="USA"))
    info = (await org.get(f"/v2/users/{user}/kyc"))["kycInfo"]
    assert (info["phone"], info["nationality"]) == ("+13035550123", "USA")


async def test_a_user_is_submitted_and_the_keyword_decides(org: Tenant) -> None:
    user = await make_person(org, last_name="Approval")
    somebody = await visit(org, Role.MEMBER)
    opened = await somebody.see(tab(user))
    assert "Nothing is missing" in opened.text
    assert "REJECTION" in opened.text
    assert await somebody.done(tab(user, "/submit"), {"rails": ["USD", "AFRICA_GENERAL"]})
    assert (await status_of(org, user))["status"] == "ACTIVE"
    assert "ACTIVE" in (await somebody.see(tab(user))).text


async def test_too_little_is_not_submitted(org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org)
    refused = await somebody.send(tab(user, "/submit"), {"rails": "USD"})
    assert refused.status == 400
    assert "This did not work." in refused.text
    assert (await somebody.send(tab(user, "/submit"), {"rails": "NOWHERE"})).status in {400, 422}
    assert (await somebody.send(tab(user, "/submit"))).status in {400, 422}


async def test_what_was_rejected_is_shown_and_mended(org: Tenant) -> None:
    user = await make_person(org, last_name="Retry")
    somebody = await visit(org)
    await somebody.done(tab(user, "/submit"), {"rails": "USD"})
    opened = await somebody.see(tab(user))
    assert "INCOMPLETE" in opened.text
    assert "Mend what is marked below" in opened.text
    await saved(somebody, tab(user), tab(user), lastName="Approval", lastNameLocal="")
    await somebody.done(tab(user, "/submit"), {"rails": "USD"})
    assert (await status_of(org, user))["status"] == "ACTIVE"


async def test_owners_are_added_mended_and_removed(org: Tenant) -> None:
    user = await make_business(org)
    (first,) = await owners_of(org, user)
    somebody = await visit(org, Role.MEMBER)
    assert "Ada" in (await somebody.see(tab(user))).text
    blank = tab(user, "/owners/new")
    await saved(somebody, blank, blank, firstName="Grace", businessTitle=HOSTILE)
    ids = await owners_of(org, user)
    (new,) = set(ids) - {first}
    opened = await somebody.see(tab(user, f"/owners/{new}"))
    assert "<script>alert" not in opened.answer.text
    page = tab(user, f"/owners/{new}")
    again = await somebody.send(page, filled(opened, page, shareProportion="lots"))
    assert again.status == 422
    assert again.value("shareProportion") == "lots"
    await saved(somebody, page, page, shareProportion="33.5", roles=["UBO", "DIRECTOR"])
    kept_owner = await org.get(f"/v2/users/{user}/kyc/ubos/{new}")
    assert kept_owner["shareProportion"] == 33.5
    assert kept_owner["roles"] == ["UBO", "DIRECTOR"]
    await somebody.done(f"{page}/remove")
    assert await owners_of(org, user) == [first]
    assert (await somebody.send(f"{page}/remove")).status == 404


async def test_a_person_has_no_owners(org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org)
    refused = await somebody.send(tab(user, "/owners/new"), {"firstName": "Ada", "was": "x"})
    assert refused.status == 422


async def test_a_link_is_made_and_shown_once(org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org, Role.MEMBER)
    opened = await somebody.see(tab(user, "/kyc-link"), rails="USD")
    assert opened.tree.xpath('//input[@name="rails"][@checked]/@value') == ["USD"]
    made = await somebody.send(tab(user, "/kyc-link"), {"rails": "USD"})
    assert made.status == 200
    (link,) = made.tree.xpath('//p[@class="linked"]/code/text()')
    assert (await org.client.get(link)).status_code == 200
    none = await somebody.send(tab(user, "/kyc-link"), {"redirectUrl": "https://a.example"})
    assert none.status == 422
    assert none.value("redirectUrl") == "https://a.example"
    bad = await somebody.send(tab(user, "/kyc-link"), {"rails": "USD", "redirectUrl": "x"})
    assert bad.status == 422


@pytest.mark.parametrize("told", ["", "x", "[]", '{"phone": 1}', '{"phone": [[1]]}'])
async def test_a_page_that_was_tampered_with_does_no_harm(org: Tenant, told: str) -> None:
    user = await make_user(org)
    sent = await (await visit(org)).send(tab(user), {"was": told, "rails": "NOWHERE"})
    assert sent.status == 303


def test_what_was_told_is_no_change() -> None:
    for fields, data in (
        (INDIVIDUAL, person(shareProportion=None)),
        (BUSINESS, company()),
        (OWNER, {**owner(), "shareProportion": "40"}),
    ):
        held = typed(fields, data)
        assert changes(fields, held, kept(keep(held)), locale="en") == {}
        told = changes(fields, held, {}, locale="en")
        assert told.keys() == {each for each in fields if each in data}
        gone = changes(fields, {}, held, locale="en")
        assert {name for name, value in gone.items() if value is None} >= {"email", "address"}


def test_every_field_and_word_has_a_name_for_people() -> None:
    def words_of(kind: Kind) -> list[str]:
        match kind:
            case Words(values=values) | Several(each=Words(values=values)):
                return list(values)
            case Questionnaire():
                return [word for each in kind.fields.values() for word in words_of(each)]
            case _:
                return []

    for fields in (INDIVIDUAL, BUSINESS, OWNER):
        assert {each.rpartition(".")[2] for each in paths(fields)} <= LABELS.keys()
        for kind in fields.values():
            assert set(words_of(kind)) <= VALUES.keys()
    assert set(INDIVIDUAL_DOCUMENTS) | set(BUSINESS_DOCUMENTS) <= VALUES.keys()


async def test_labels_and_inputs_belong_together(org: Tenant) -> None:
    user = await make_business(org)
    opened = await (await visit(org)).see(tab(user), rails="GLOBAL_NETWORK")
    tree = opened.tree
    ids = tree.xpath("//*[@id]/@id")
    assert len(ids) == len(set(ids))
    assert set(tree.xpath("//label/@for")) <= set(ids)
    targets = {each[1:] for each in opened.links() if each.startswith("#")}
    assert targets <= set(ids)


async def test_the_tab_of_somebody_who_was_erased(org: Tenant) -> None:
    user = await make_person(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    assert (await org.send("DELETE", f"/v2/users/{user}/personal-data")).status_code == 200
    somebody = await visit(org)
    opened = await somebody.see(tab(user))
    assert "This user was erased" in opened.text
    assert "Save the data" not in opened.text
