"""Hosted form over HTTP, from an empty form to a submission, and its refusals."""

from uuid import UUID

import pytest

from tests.customers.onboarding.person import (
    ADA,
    ADA_DETAILS,
    COMPANY,
    IMAGE,
    OWNER,
    PASSPORT,
    Person,
    at_documents,
    invite,
    only_user,
    to_the_end,
)
from tests.people import make_business, owners_of
from tests.tenants import Tenant, make_user


async def test_a_person_becomes_a_verified_user(org: Tenant) -> None:
    person = await invite(org, rails=["USD"])
    assert await person.open() == "Terms of service"
    assert await person.press("/terms") == "About you"
    assert await person.press("/about", ADA) == "Your details"
    assert await person.press("/details", ADA_DETAILS) == "Documents"
    assert await person.follow("item=identity") == "Proof of identity"
    assert await person.press("/documents", PASSPORT, file=IMAGE) == "Documents"
    assert await person.open() == "Review your answers"
    for shown in ("Ada", "+14155550123", "California", "United States", "27 March 1985"):
        assert shown in person.text
    assert await person.press("/submit") == "Thank you"
    user = await only_user(org)
    assert user["name"] == "Ada Example"
    await org.post("/v2/sandbox/clock/advance", {"seconds": 3600})
    status = await org.get(f"/v2/users/{user['id']}/kyc/status", rails="USD")
    assert status["status"] == "ACTIVE"
    await person.open()
    assert "Approved" in person.text


async def test_a_business_becomes_a_verified_user(org: Tenant) -> None:
    person = await invite(org, userType="BUSINESS", rails=["USD", "GLOBAL_NETWORK"])
    assert await to_the_end(person, is_business=True) == "Review your answers"
    assert await person.press("/submit") == "Thank you"
    await org.post("/v2/sandbox/clock/advance", {"seconds": 3600})
    await person.open()
    assert person.text.count("Approved") == 2


@pytest.mark.parametrize(
    "rail", ["SOUTH_AMERICA_STANDARD", "AFRICA_GENERAL", "AFRICA_NIGERIA", "GLOBAL_NETWORK"]
)
async def test_every_rail_can_be_reached(org: Tenant, rail: str) -> None:
    person = await invite(org, rails=[rail])
    await person.open()
    await person.press("/terms")
    await person.press("/about", ADA)
    more = {"additionalIdNumber": "12345678901"}
    heading = await person.answer_some("/details", {**ADA_DETAILS, **more})
    if heading == "Additional questions":
        occupation = {"sofEuQuestionnaire.mostRecentOccupation": "Engineer"}
        funds = {"sofEuQuestionnaire.sourceOfFunds": "salary"}
        heading = await person.press("/questions", occupation | funds)
    assert heading == "Documents"
    await person.follow("item=identity")
    await person.press("/documents", PASSPORT, file=IMAGE)
    await person.open()
    assert await person.press("/submit") == "Thank you"


async def test_without_rails_there_are_wallets_and_no_more(org: Tenant) -> None:
    person = await invite(org)
    await person.open()
    await person.press("/terms")
    assert await person.press("/about", ADA) == "Thank you"
    assert "wallets are ready" in person.text
    assert set((await only_user(org))["wallets"]["INDIVIDUAL"]) == {"POLYGON", "ETHEREUM"}
    assert await person.open() == "Thank you"


async def test_a_person_may_leave_the_form_and_return(org: Tenant) -> None:
    person = await invite(org, rails=["USD"])
    await person.open()
    await person.press("/terms")
    await person.press("/about", ADA)
    wrong = {**ADA_DETAILS, "phone": "12"}
    assert await person.press("/details", wrong) == "Your details"
    assert await Person(org.client, person.url).open() == "Your details"
    again = Person(org.client, person.url)
    await again.open()
    form = again.page.forms[0]
    # Valid answers are kept; invalid ones are requested again.
    assert form.values["taxIdentificationNumber"] == ["536904399"]
    assert form.values["phone"] == [""]
    assert await again.press("/details", {"phone": "+14155550123"}) == "Documents"


async def test_errors_are_shown_at_their_fields_and_values_kept(org: Tenant) -> None:
    person = await invite(org, rails=["USD"])
    await person.open()
    await person.press("/terms")
    wrong = {**ADA, "email": "nobody", "dateOfBirth.year": "2085", "lastName": ""}
    assert await person.press("/about", wrong) == "About you"
    assert person.last.status_code == 422
    for message in (
        'href="#email"',
        'href="#dateOfBirth.day"',
        'href="#lastName"',
        "Enter your last name",
        "E-mail must be an e-mail address",
        "Date of birth must be a day in the past",
        'id="email-error"',
        'aria-describedby="email-error"',
        "<title>Error: About you",
    ):
        assert message in person.text
    assert person.page.forms[0].values["email"] == ["nobody"]
    assert person.page.forms[0].values["address.country"] == ["USA"]
    assert await person.press("/about", ADA) == "Your details"


async def test_a_region_that_is_not_known_can_be_chosen(org: Tenant) -> None:
    person = await invite(org)
    await person.open()
    await person.press("/terms")
    await person.press("/about", {**ADA, "address.stateProvinceRegion": "Kalifornien"})
    assert 'href="#address.stateProvinceRegion"' in person.text
    assert '<option value="CA">California</option>' in person.text
    assert await person.press("/about", {"address.stateProvinceRegion": "CA"}) == "Thank you"


async def test_people_of_unsupported_places_see_an_error(org: Tenant) -> None:
    person = await invite(org)
    await person.open()
    await person.press("/terms")
    there = {"address.country": "CUB", "address.stateProvinceRegion": "La Habana"}
    await person.press("/about", {**ADA, **there})
    assert person.last.status_code == 422
    assert "are not supported" in person.text
    assert (await org.get("/v2/users"))["count"] == 0


async def test_a_business_may_have_another_signer(org: Tenant) -> None:
    person = await invite(org, userType="BUSINESS")
    await person.open()
    await person.press("/terms")
    await person.press("/about", {**COMPANY, "controller.isSigner": "no"})
    assert 'href="#signer.firstName"' in person.text
    signer = {
        name.replace("controller.", "signer."): value
        for name, value in COMPANY.items()
        if name.startswith("controller.") and not name.endswith("isSigner")
    }
    assert await person.press("/about", {**signer, "signer.firstName": "Bob"}) == "Thank you"
    owners = await org.get(f"/v2/users/{(await only_user(org))['id']}/kyc/ubos")
    found = [(each["firstName"], each["hasControl"], each["isSigner"]) for each in owners["data"]]
    assert found == [("Ada", True, False), ("Bob", False, True)]


async def test_owners_are_added_changed_and_removed(org: Tenant) -> None:
    person = await invite(org, userType="BUSINESS", rails=["USD"])
    await to_the_end(person, is_business=True)
    await person.open(f"{person.url}&step=owners")
    await person.follow("item=new")
    assert (
        await person.press("/owners", {"firstName": "Bob"})
        == "New beneficial owner or representative"
    )
    assert person.last.status_code == 422
    some = {**OWNER, "firstName": "Bob", "shareProportion": "30", "roles": ["SHAREHOLDER"]}
    assert await person.press("/owners", some) == "Beneficial owners and representatives"
    assert "Bob Example" in person.text
    user = (await only_user(org))["id"]
    ubos = (await org.get(f"/v2/users/{user}/kyc/ubos"))["data"]
    await person.follow(f"item={ubos[1]['id']}")
    assert person.page.forms[0].values["businessTitle"] == ["Managing director"]
    too_much = await person.press("/owners", {"shareProportion": "70"})
    assert too_much == "Bob Example"
    assert "over 100" in person.text
    await person.press("/owners", {"shareProportion": "40"})
    ubos = (await org.get(f"/v2/users/{user}/kyc/ubos"))["data"]
    assert [str(each["shareProportion"]) for each in ubos] == ["60", "40"]
    forms = [each for each in person.page.forms if each.action.endswith("/remove")]
    await org.client.post(forms[1].action, data=forms[1].values)
    assert len((await org.get(f"/v2/users/{user}/kyc/ubos"))["data"]) == 1


async def test_removing_an_owner_keeps_concurrently_added_ones(org: Tenant) -> None:
    person = await invite(org, userType="BUSINESS", rails=["USD"])
    await to_the_end(person, is_business=True)
    path, _, token = person.url.partition("?session=")
    visit = await org.container.form_visits.open(path.rpartition("/")[2], token)
    (ada,) = visit.kyc_profile.owners
    ubos = f"/v2/users/{visit.user.id}/kyc/ubos"
    added = await org.post(ubos, {"firstName": "Bob", "lastName": "Example"})
    await org.container.form_visits.remove_owner(visit, ada)
    assert [each["id"] for each in (await org.get(ubos))["data"]] == [added["id"]]
    documents = await org.get(f"/v2/users/{visit.user.id}/kyc/documents")
    assert not [each for each in documents["data"] if each.get("uboId") == str(ada.id)]


async def test_known_owners_are_shown_by_their_initials(org: Tenant) -> None:
    user = await make_business(org, owner_name="Lovelace")
    person = await invite(org, userId=user, rails=["USD"])
    assert await person.open() == "Review your answers"
    pages = ["", "&step=owners", "&step=documents"]
    (owner,) = await owners_of(org, user)
    identity = f"&step=documents&item={owner}.identity"
    for page in (*pages, identity):
        await person.open(f"{person.url}{page}")
        assert "Lovelace" not in person.text
        assert " L." in person.text


async def test_a_link_is_completed_once(org: Tenant) -> None:
    person = await invite(org, rails=["USD"])
    await to_the_end(person)
    path = person.url.partition("?")[0]
    session = {"session": person.url.partition("session=")[2]}
    await person.press("/submit")
    user = (await only_user(org))["id"]
    before = await org.get(f"/v2/users/{user}/kyc")
    for page in ("terms", "about", "details", "questions", "owners", "owners/remove", "submit"):
        answers = {**session, "phone": "+14155550199", "firstName": "Eve", "item": "new"}
        answer = await org.client.post(f"{path}/{page}", data=answers, follow_redirects=True)
        assert "Thank you" in answer.text
    assert await org.get(f"/v2/users/{user}/kyc") == before
    for step in ("details", "documents", "review"):
        assert await person.open(f"{person.url}&step={step}") == "Thank you"
    assert "536904399" not in person.text
    rows = await org.container.database.rows(
        "select change_type, actor from changes where org_id = $1 and kind = 'KYC_LINK'"
        " order by seq",
        org.org_id,
    )
    assert [(row["change_type"], row["actor"]) for row in rows] == [
        ("create", f"key:{org.caller.key_id}"),
        ("update", "person:kyc-link"),
    ]


async def test_changes_name_the_person_as_actor(org: Tenant) -> None:
    person = await invite(org, rails=["USD"])
    await to_the_end(person)
    await person.press("/submit")
    rows = await org.container.database.rows(
        "select distinct kind, actor from changes where org_id = $1 and change_type <> 'create'"
        " and kind <> 'KYC.STATUS'",
        org.org_id,
    )
    assert {row["actor"] for row in rows} == {"person:kyc-link"}
    assert {row["kind"] for row in rows} >= {"TOS_LINK", "KYC.DATA", "KYC_LINK"}


async def test_in_the_end_the_person_goes_back(org: Tenant) -> None:
    target = "https://example.com/back?a=1#top"
    person = await invite(org, redirectUrl=target)
    await person.open()
    assert "form-action 'self' https://example.com;" in _policy(person)
    await person.press("/terms")
    form = person.page.forms[0]
    answer = await org.client.post(form.action, data={**form.values, **ADA})
    assert answer.status_code == 303
    user = (await only_user(org))["id"]
    assert answer.headers["location"] == f"https://example.com/back?a=1&userId={user}#top"
    assert await person.open() == "Thank you"
    assert f"https://example.com/back?a=1&amp;userId={user}#top" in person.text


async def test_pressing_twice_makes_one_user(org: Tenant) -> None:
    person = await invite(org)
    await person.open()
    await person.press("/terms")
    form = person.page.forms[0]
    for name in ("Ada", "Eve"):
        answers = {**form.values, **ADA, "firstName": name}
        await org.client.post(form.action, data=answers, follow_redirects=True)
    assert (await only_user(org))["name"] == "Ada Example"


async def test_a_crash_after_the_user_was_made_makes_no_second(org: Tenant) -> None:
    person = await invite(org, rails=["USD"])
    await person.open()
    await person.press("/terms")
    await person.press("/about", ADA)
    await org.container.database.rows(
        "update kyc_links set user_id = null, entered = '{}' where org_id = $1", org.org_id
    )
    await person.open()
    assert await person.press("/about", {**ADA, "lastName": "Other"}) == "Your details"
    assert (await only_user(org))["name"] == "Ada Example"


async def test_known_data_is_masked(org: Tenant) -> None:
    user = await make_user(org, firstName="Grace")
    answers = {"phone": "+14155550123", "nationality": "USA"}
    address = {
        "addressLine1": "5 Hidden Street",
        "city": "Springfield",
        "stateProvinceRegion": "IL",
        "postalCode": "62701",
        "country": "USA",
    }
    tax = {"taxIdentificationNumber": "536904399", "address": address}
    await org.post(f"/v2/users/{user}/kyc", {**answers, **tax})
    person = await invite(org, userId=user, rails=["USD"])
    assert await person.open() == "Documents"
    await person.follow("item=identity")
    await person.press("/documents", PASSPORT, file=IMAGE)
    assert await person.open() == "Review your answers"
    for secret in ("Grace", "ada@example.com", "Hidden", "536904399", "+14155550123", "62701"):
        assert secret not in person.text
    assert "On file: …399" in person.text
    await person.open(f"{person.url}&step=details")
    assert person.page.forms[0].names == {"session"}


async def test_a_link_for_a_user_requests_only_missing_data(org: Tenant) -> None:
    user = await make_user(org)
    person = await invite(org, userId=user, rails=["USD"])
    assert await person.open() == "Your details"
    questions = {name.partition(".")[0] for name in person.page.forms[0].names}
    assert questions == {"session", "phone", "nationality", "address", "taxIdentificationNumber"}
    address = {name: value for name, value in ADA.items() if name.startswith("address")}
    assert await person.press("/details", {**ADA_DETAILS, **address}) == "Documents"


async def test_a_later_step_is_not_reachable_by_its_address(org: Tenant) -> None:
    person = await invite(org, rails=["USD"])
    for step in ("review", "documents", "details", "about", "done", "<script>", "x" * 3000):
        assert await person.open(f"{person.url}&step={step}") == "Terms of service"
    assert (await person.open(f"{person.url}&step=owners&item={UUID(int=1)}")) == "Terms of service"


async def test_invented_items_are_not_found(org: Tenant) -> None:
    person = await at_documents(org)
    for item in ("other", "x", f"{UUID(int=1)}.identity", "'"):
        await person.open(f"{person.url}&step=documents&item={item}")
        assert person.last.status_code == 404


def _policy(person: Person) -> str:
    return person.last.headers["content-security-policy"]


async def test_a_new_address_may_put_a_known_tax_number_in_doubt(org: Tenant) -> None:
    user = await make_user(org)
    answers = {"phone": "+14155550123", "nationality": "USA", "taxResidenceCountry": None}
    await org.post(f"/v2/users/{user}/kyc", {**answers, "taxIdentificationNumber": "123456"})
    person = await invite(org, userId=user, rails=["USD"])
    assert await person.open() == "Your details"
    assert "taxIdentificationNumber" not in person.page.forms[0].names
    address = {name: value for name, value in ADA.items() if name.startswith("address")}
    assert await person.press("/details", address) == "Your details"
    assert 'href="#taxIdentificationNumber"' in person.text
    assert "123456" not in person.page.forms[0].values["taxIdentificationNumber"]
    mended = {**address, "taxIdentificationNumber": "536-90-4399"}
    assert await person.press("/details", mended) == "Documents"


async def test_an_answer_with_one_valid_value_is_corrected(org: Tenant) -> None:
    user = await make_user(org)
    person = await invite(org, userId=user, rails=["AFRICA_NIGERIA"])
    await person.open()
    answers = {"additionalIdType": "NIN", "additionalIdNumber": "12345678901"}
    await org.post(f"/v2/users/{user}/kyc", answers)
    await person.open()
    more = {**ADA_DETAILS, "additionalIdNumber": "22345678901"}
    assert await person.answer_some("/details", {**ADA, **more}) == "Documents"
    kyc = await org.get(f"/v2/users/{user}/kyc")
    assert kyc["kycInfo"]["additionalIdType"] == "BVN"
