"""KYC data over HTTP: submitted, changed, removed, refused, and returned."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.customers.kyc.fields import BUSINESS, INDIVIDUAL, OWNERS
from landbridge.customers.kyc.model import KIND, kyc_profile_id
from tests.customers.kyc.samples import ADDRESS, company, document, make_business, person
from tests.tenants import Tenant, make_user, refusal, sentence

FIELD = "400 FIELD_VALIDATION_ERROR"
IN_TEHRAN = {**ADDRESS, "country": "IRN", "stateProvinceRegion": "23"}


def kyc(user: str) -> str:
    return f"/v2/users/{user}/kyc"


async def test_kyc_data_starts_with_the_data_from_creation(org: Tenant) -> None:
    user = await make_user(org, address=ADDRESS)
    reply = await org.get(kyc(user))
    assert reply["userId"] == user
    info = reply["kycInfo"]
    assert list(info) == ["type", *INDIVIDUAL, "documents"]
    assert {name: value for name, value in info.items() if value not in (None, [])} == {
        "type": "individual",
        "firstName": "Ada",
        "lastName": "Example",
        "email": "ada@example.com",
        "dateOfBirth": "1990-01-01",
        "address": ADDRESS,
        "ipAddress": "203.0.113.7",
    }


async def test_a_business_begins_with_its_owners(org: Tenant) -> None:
    user = await make_business(org, "Ada", "Bob")
    info = (await org.get(kyc(user)))["kycInfo"]
    assert list(info) == ["type", *BUSINESS, OWNERS, "documents"]
    assert info["businessName"] == "Example Ltd"
    listed = await org.get(f"{kyc(user)}/ubos")
    assert listed["count"] == 2
    assert [each["firstName"] for each in listed["data"]] == ["Ada", "Bob"]
    assert [each["id"] for each in listed["data"]] == info[OWNERS]
    assert listed["data"][0]["hasControl"] is True


async def test_all_submitted_data_is_returned(org: Tenant) -> None:
    user = await make_user(org)
    body = person(purpose=["savings", "rent"])
    info = (await org.post(kyc(user), body))["kycInfo"]
    shown = {
        **body,
        "purpose": "savings,rent",
        "taxIdentificationNumber": "536904399",
        "sofEuQuestionnaire": body["sofEuQuestionnaire"],
    }
    assert info == {"type": "individual", **shown, "documents": []}
    assert (await org.get(kyc(user)))["kycInfo"] == info
    of_company = company(alternativeNames=["Example", "Exemplum"])
    info = (await org.post(kyc(await make_business(org)), of_company))["kycInfo"]
    for name in BUSINESS.keys() - {"purpose", "taxIdentificationNumber"}:
        assert info[name] == of_company[name], name


async def test_members_that_are_left_out_stay_and_null_takes_away(org: Tenant) -> None:
    user = await make_user(org)
    await org.post(kyc(user), {"phone": "+1 415 555 0123", "gender": "F"})
    info = (await org.post(kyc(user), {"gender": None, "middleName": " Ann  "}))["kycInfo"]
    assert info["phone"] == "+14155550123"
    assert info["gender"] is None
    assert info["middleName"] == "Ann"


async def test_addresses_replace_and_questionnaires_merge(org: Tenant) -> None:
    user, name = await make_user(org, address=ADDRESS), "sofEuQuestionnaire"
    first = {"employmentStatus": "student", "actingAsIntermediary": False}
    await org.post(kyc(user), {name: first})
    bare = {each: value for each, value in ADDRESS.items() if each != "addressLine2"}
    second = {name: {"employmentStatus": "retired", "sourceOfFunds": "gifts"}, "address": bare}
    info = (await org.post(kyc(user), second))["kycInfo"]
    assert info["address"] == {**bare, "addressLine2": None}
    answers = {each: value for each, value in info[name].items() if value is not None}
    assert answers == {
        "actingAsIntermediary": False,
        "employmentStatus": "retired",
        "sourceOfFunds": "gifts",
    }
    for nothing in ({name: dict.fromkeys(answers)}, {name: None}):
        assert (await org.post(kyc(user), nothing))["kycInfo"][name] is None


async def test_submitted_kyc_data_replaces_the_account_data(org: Tenant) -> None:
    user = await make_user(org)
    await org.post(f"/v2/users/{user}", {"firstName": "Grace"})
    assert (await org.get(kyc(user)))["kycInfo"]["firstName"] == "Ada"
    await org.post(kyc(user), {"firstName": "Mary"})
    assert (await org.get(f"/v2/users/{user}"))["name"] == "Grace Example"


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("firstName", {"firstName": ""}),
    ("firstName", {"firstName": 1}),
    ("firstName", {"firstName": ["Ada"]}),
    ("lastName", {"lastName": "x" * 201}),
    ("email", {"email": "ada"}),
    ("nationality", {"nationality": "US"}),
    ("dateOfBirth", {"dateOfBirth": "2199-01-01"}),
    ("dateOfBirth", {"dateOfBirth": "1990-02-30"}),
    ("dateOfBirth", {"dateOfBirth": "19900203"}),
    ("dateOfBirth", {"dateOfBirth": 1990}),
    ("gender", {"gender": "f"}),
    ("gender", {"gender": {}}),
    ("ipAddress", {"ipAddress": "::1"}),
    ("govIdFrontUrl", {"govIdFrontUrl": "file:///etc/passwd"}),
    (
        "govIdExpirationDate",
        {"govIdIssuanceDate": "2020-01-01", "govIdExpirationDate": "2020-01-01"},
    ),
    ("address", {"address": "1 Main Street"}),
    ("address.city", {"address": {**ADDRESS, "city": None}}),
    ("address.city", {"address": {**ADDRESS, "city": 5}}),
    ("address.postalCode", {"address": {k: v for k, v in ADDRESS.items() if k != "postalCode"}}),
    ("address.country", {"address": IN_TEHRAN}),
    ("address.country", {"address": {**ADDRESS, "country": "XXX"}}),
    ("address.stateProvinceRegion", {"address": {**ADDRESS, "stateProvinceRegion": "NY"}}),
    ("sofEuQuestionnaire", {"sofEuQuestionnaire": []}),
    ("sofEuQuestionnaire.employmentStatus", {"sofEuQuestionnaire": {"employmentStatus": "x"}}),
    (
        "sofEuQuestionnaire.actingAsIntermediary",
        {"sofEuQuestionnaire": {"actingAsIntermediary": 1}},
    ),
    ("purpose", {"purpose": []}),
    ("purpose", {"purpose": ["a"] * 21}),
    ("purpose[1]", {"purpose": ["a", 1]}),
    ("purpose[0]", {"purpose": ""}),
    ("supplementaryInfo", {"supplementaryInfo": "x" * 2001}),
]


async def test_a_wrong_member_is_refused_and_named_and_nothing_is_kept(
    org: Tenant, subtests: pytest.Subtests
) -> None:
    user = await make_user(org)
    before = await org.get(kyc(user))
    for field, change in WRONG:
        with subtests.test(field, change=change):
            answer = await org.send("POST", kyc(user), {"middleName": "Ann", **change})
            assert refusal(answer) == FIELD
            assert field in sentence(answer)
            assert await org.get(kyc(user)) == before


WRONG_OF_A_BUSINESS: list[tuple[str, dict[str, Any]]] = [
    ("businessType", {"businessType": "gmbh"}),
    ("alternativeNames", {"alternativeNames": "Example, Inc"}),
    ("alternativeNames[1]", {"alternativeNames": ["a", {}]}),
    ("daoStatus", {"daoStatus": "yes"}),
    ("formationDate", {"formationDate": "2199-01-01"}),
    ("incorporationState", {"incorporationCountry": "USA", "incorporationState": "XX"}),
    ("registeredAddress.country", {"registeredAddress": IN_TEHRAN}),
    ("purpose[1]", {"purpose": ["TAX_REGULATORY_FEES", "FUN"]}),
    (
        "sofEuQuestionnaire.highRiskActivities[0]",
        {"sofEuQuestionnaire": {"highRiskActivities": ["fun"]}},
    ),
]


@pytest.mark.parametrize(("field", "change"), WRONG_OF_A_BUSINESS)
async def test_a_wrong_member_of_a_business_is_refused_and_named(
    org: Tenant, field: str, change: dict[str, Any]
) -> None:
    answer = await org.send("POST", kyc(await make_business(org)), change)
    assert refusal(answer) == FIELD
    assert field in sentence(answer)


@pytest.mark.parametrize("body", ["[]", "null", "1", '"a"', "{", '{"a": 1, "a": 2}'])
async def test_a_body_other_than_an_object_is_refused(org: Tenant, body: str) -> None:
    assert await org.refused("POST", kyc(await make_user(org)), body) == FIELD


async def test_members_that_we_do_not_know_are_ignored(org: Tenant) -> None:
    user = await make_user(org)
    before = await org.get(kyc(user))
    body = {"businessName": "x", OWNERS: 5, "id": None, "much": [1.5, {"more": 1e-7}]}
    assert await org.post(kyc(user), body) == before


async def test_related_objects_are_ids_unless_expanded(org: Tenant) -> None:
    user = await make_business(org, "Ada", "Bob")
    ada, bob = (await org.get(kyc(user)))["kycInfo"][OWNERS]
    scans = [document(uboId=ada), document("PROOF_OF_ADDRESS")]
    added = (await org.post(f"{kyc(user)}/documents", scans))["data"]
    ids = [each["id"] for each in added]

    async def info(expand: str) -> dict[str, Any]:
        return (await org.get(kyc(user), expand=expand))["kycInfo"]

    plain = (await org.get(kyc(user)))["kycInfo"]
    assert (plain[OWNERS], plain["documents"]) == ([ada, bob], ids)
    assert (await info("documents"))["documents"] == added
    owners = (await info(OWNERS))[OWNERS]
    assert [each["documents"] for each in owners] == [[ids[0]], []]
    assert owners == (await org.get(f"{kyc(user)}/ubos"))["data"]
    whole = await info(f"documents,{OWNERS}.documents")
    assert whole["documents"] == added
    assert [each["documents"] for each in whole[OWNERS]] == [[added[0]], []]
    repeated = await org.client.get(
        f"{kyc(user)}?expand={OWNERS}&expand=documents", headers=org.headers
    )
    assert repeated.json()["kycInfo"] == {**plain, OWNERS: owners, "documents": added}
    posted = await org.client.post(f"{kyc(user)}?expand=documents", json={}, headers=org.headers)
    assert posted.json()["kycInfo"]["documents"] == added
    for bad in ("", "documents,"):
        assert await org.refused("GET", kyc(user), expand=bad) == "400 FIELD_VALIDATION_ERROR"
    answer = await org.send("GET", kyc(user), expand="owners")
    assert refusal(answer) == FIELD
    assert "expand" in sentence(answer)


async def test_requirements_are_an_object_for_one_rail_and_an_array_for_several(
    org: Tenant,
) -> None:
    user = await make_user(org)
    path = f"{kyc(user)}/requirements"
    one = await org.get(path, rails="USD")
    assert (one["userId"], one["rails"], one["type"]) == (user, "USD", "individual")
    assert one["invalid"]["fields"]["phone"] == "missing"
    assert set(one["invalid"]) == {"message", "fields", "documents"}
    assert set(one["invalid"]["documents"]) == {"message", "groups"}
    assert await org.get(path, rails="USD,USD") == one
    several = await org.get(path, rails="GLOBAL_NETWORK,USD")
    assert [each["rails"] for each in several] == ["USD", "GLOBAL_NETWORK"]
    answer = await org.client.get(f"{path}?rails=USD&rails=AFRICA_GENERAL", headers=org.headers)
    assert [each["rails"] for each in answer.json()] == ["USD", "AFRICA_GENERAL"]
    assert several[0] == one
    for rails in ({}, {"rails": ""}, {"rails": "EUR"}, {"rails": "USD,usd"}):
        answer = await org.send("GET", path, **rails)
        assert refusal(answer) == FIELD
        assert "rails" in sentence(answer)


async def test_complete_data_leaves_nothing_to_fix(org: Tenant) -> None:
    user = await make_user(org)
    await org.post(kyc(user), person())
    await org.post(f"{kyc(user)}/documents", [document()])
    assert (await org.get(f"{kyc(user)}/requirements", rails="AFRICA_NIGERIA"))["invalid"] == {}


async def test_each_change_is_recorded_once_without_personal_data(org: Tenant) -> None:
    user = await make_user(org)
    for change in ({"phone": "+14155550123"}, {"phone": "+14155550123"}, {}, {"phone": None}):
        await org.post(kyc(user), change)
    await org.send("POST", kyc(user), {"email": "x"})
    await org.post(f"{kyc(user)}/documents", [document(), document()])
    rows = await org.container.database.rows(
        "select seq, kind, change_type, actor, facts::text from changes"
        " where org_id = $1 and object_id = $2 order by seq",
        org.org_id,
        kyc_profile_id(UUID(user)),
    )
    assert [row["seq"] for row in rows] == [1, 2, 3]
    assert {(row["kind"], row["change_type"]) for row in rows} == {(KIND, "update")}
    assert {row["actor"] for row in rows} == {org.caller.actor}
    assert {row["facts"] for row in rows} == {f'{{"userId": "{user}"}}'}


async def test_unknown_users_are_unknown_here_too(org: Tenant) -> None:
    for method, path in (("GET", ""), ("POST", ""), ("GET", "/ubos"), ("GET", "/documents")):
        for user in (str(uuid4()), "nobody"):
            answer = await org.send(method, kyc(user) + path, {} if method == "POST" else None)
            assert refusal(answer) == "404 USER_NOT_FOUND"
