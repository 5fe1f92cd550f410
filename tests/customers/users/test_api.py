"""Users over HTTP."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.platform.core.clock import FrozenClock
from tests.tenants import (
    Tenant,
    business,
    individual,
    make_agreement,
    make_user,
    refusal,
    sentence,
)

USERS = "/v2/users"
FIELD = "400 FIELD_VALIDATION_ERROR"
ADDRESS = {
    "addressLine1": "1 Main Street",
    "city": "Springfield",
    "stateProvinceRegion": "IL",
    "postalCode": "62701",
    "country": "USA",
}
OWNER = {
    "firstName": "Ada",
    "lastName": "Example",
    "dateOfBirth": "1990-01-01",
    "hasControl": True,
    "isSigner": True,
}


async def _create(org: Tenant, **changes: Any) -> dict[str, Any]:
    return await org.post(USERS, individual(await make_agreement(org), **changes))


async def _names(org: Tenant, **query: str) -> list[str]:
    return [each["name"] for each in (await org.get(USERS, **query))["users"]]


async def test_a_person_has_wallets_on_polygon_and_ethereum(org: Tenant) -> None:
    created = await _create(org)
    assert UUID(created["id"])
    assert created == {
        "id": created["id"],
        "createdAt": created["createdAt"],
        "type": "individual",
        "email": "ada@example.com",
        "name": "Ada Example",
        "wallets": created["wallets"],
    }
    (kind,) = created["wallets"]
    assert kind == "INDIVIDUAL"
    chains = created["wallets"][kind]
    assert set(chains) == {"POLYGON", "ETHEREUM"}
    assert all(set(each) == {"address"} for each in chains.values())
    assert created["createdAt"].endswith("+00:00")
    assert await org.get(f"{USERS}/{created['id']}") == created


async def test_a_business_lists_its_wallets_under_individual_too(org: Tenant) -> None:
    body = business(await make_agreement(org), chains=["SOLANA", "BASE", "SOLANA"])
    created = await org.post(USERS, body)
    assert (created["type"], created["name"]) == ("business", "Example Ltd")
    assert set(created["wallets"]["INDIVIDUAL"]) == {"SOLANA", "BASE"}


async def test_users_have_addresses_of_their_own_and_one_for_all_evm_chains(org: Tenant) -> None:
    ada = (await _create(org, chains=["POLYGON", "ETHEREUM", "BASE"]))["wallets"]["INDIVIDUAL"]
    bob = (await _create(org, chains=["POLYGON"]))["wallets"]["INDIVIDUAL"]
    assert len({each["address"] for each in ada.values()}) == 1
    assert ada["POLYGON"] != bob["POLYGON"]


async def test_the_same_request_id_and_body_answer_the_same_user(org: Tenant) -> None:
    body = individual(await make_agreement(org), requestId=str(uuid4()))
    created = await org.post(USERS, body)
    assert await org.post(USERS, body) == created
    assert await org.post(USERS, {**body, "more": 1}) == created
    assert (await org.get(USERS))["count"] == 1


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("firstName", {"firstName": "Eve"}),
        ("chains", {"chains": ["POLYGON"]}),
        ("address", {"address": ADDRESS}),
    ],
)
async def test_another_body_conflicts_and_names_the_field(
    org: Tenant, field: str, change: dict[str, Any]
) -> None:
    body = individual(await make_agreement(org), requestId=str(uuid4()))
    await org.post(USERS, body)
    answer = await org.send("POST", USERS, {**body, **change})
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert f"another {field}" in sentence(answer)


async def test_without_a_request_id_each_request_makes_a_user(org: Tenant) -> None:
    body = individual(await make_agreement(org))
    assert (await org.post(USERS, body))["id"] != (await org.post(USERS, body))["id"]


async def test_a_refused_request_does_not_burn_its_id(org: Tenant) -> None:
    body = individual(await make_agreement(org, is_signed=False), requestId=str(uuid4()))
    assert await org.refused("POST", USERS, body) == FIELD
    await org.post(USERS, {**body, "signedAgreementId": await make_agreement(org)})


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("type", {"type": "robot"}),
    ("firstName", {"firstName": ""}),
    ("firstName", {"firstName": " "}),
    ("lastName", {"lastName": "x" * 201}),
    ("email", {"email": ""}),
    ("email", {"email": "ada"}),
    ("email", {"email": "ada@example"}),
    ("email", {"email": "@example.com"}),
    ("email", {"email": "a b@example.com"}),
    ("email", {"email": "a" * 250 + "@example.com"}),
    ("dateOfBirth", {"dateOfBirth": "1990-13-01"}),
    ("dateOfBirth", {"dateOfBirth": "01.01.1990"}),
    ("ipAddress", {"ipAddress": None}),
    ("ipAddress", {"ipAddress": "localhost"}),
    ("ipAddress", {"ipAddress": "1.2.3"}),
    ("ipAddress", {"ipAddress": "::1"}),
    ("ipAddress", {"ipAddress": "256.1.1.1"}),
    ("chains", {"chains": []}),
    ("chains", {"chains": ["TRON"]}),
    ("chains", {"chains": "POLYGON"}),
    ("address.country", {"address": {**ADDRESS, "country": "US"}}),
    ("address.country", {"address": {**ADDRESS, "country": "U1A"}}),
    ("address.city", {"address": {**ADDRESS, "city": ""}}),
    ("address.postalCode", {"address": {**ADDRESS, "postalCode": "1" * 201}}),
    ("address.addressLine1", {"address": {"city": "x"}}),
    ("address.addressLine2", {"address": {**ADDRESS, "addressLine2": "x" * 201}}),
    ("address.stateProvinceRegion", {"address": {**ADDRESS, "stateProvinceRegion": "XX"}}),
    ("address.country", {"address": {**ADDRESS, "country": "CUB", "stateProvinceRegion": "03"}}),
    ("address.stateProvinceRegion", {"address": {**ADDRESS, "stateProvinceRegion": "NY"}}),
    ("dateOfBirth", {"dateOfBirth": "2999-01-01"}),
    ("dateOfBirth", {"dateOfBirth": "1850-01-01"}),
    ("firstName", {"firstName": "a\nb"}),
    ("lastName", {"lastName": "<b>"}),
    ("chains", {"chains": ["POLYGON"] * 21}),
    ("requestId", {"requestId": "1"}),
    ("signedAgreementId", {"signedAgreementId": "8d3a7cfe-0000-4000-8000-000000000000"}),
]


@pytest.mark.parametrize(("field", "change"), WRONG)
async def test_a_wrong_member_is_refused_and_named(
    org: Tenant, field: str, change: dict[str, Any]
) -> None:
    body = individual(await make_agreement(org), **change)
    answer = await org.send("POST", USERS, body)
    assert refusal(answer) == FIELD
    assert field in sentence(answer)
    assert (await org.get(USERS))["count"] == 0


@pytest.mark.parametrize(
    ("says", "owners"),
    [
        ("hasControl", [{**OWNER, "hasControl": False}]),
        ("isSigner", [{**OWNER, "isSigner": False}]),
        ("hasControl", []),
        ("firstName", [{**OWNER, "firstName": " "}]),
        ("isSigner", [{**OWNER, "isSigner": "yes"}]),
        ("1 to 50", [OWNER] * 51),
        ("ultimateBeneficialOwners[1].lastName", [OWNER, {**OWNER, "lastName": "\u0007"}]),
        ("ultimateBeneficialOwners[0].dateOfBirth", [{**OWNER, "dateOfBirth": "2999-01-01"}]),
    ],
)
async def test_a_business_needs_an_owner_in_control_and_a_signer(
    org: Tenant, says: str, owners: list[dict[str, Any]]
) -> None:
    body = business(await make_agreement(org), ultimateBeneficialOwners=owners)
    answer = await org.send("POST", USERS, body)
    assert refusal(answer) == FIELD
    assert says in sentence(answer)


async def test_a_business_may_be_created_without_owners(org: Tenant) -> None:
    body = business(await make_agreement(org), ultimateBeneficialOwners=None)
    user = (await org.post(USERS, body))["id"]
    assert (await org.get(f"{USERS}/{user}/particulars"))["ultimateBeneficialOwners"] == []
    kyc = f"{USERS}/{user}/kyc"
    invalid = (await org.get(f"{kyc}/requirements", rails="USD"))["invalid"]
    assert invalid["fields"]["ultimateBeneficialOwners"] == "missing"
    names = {"firstName": "Ada", "lastName": "Example"}
    await org.post(f"{kyc}/ubos", names)
    invalid = (await org.get(f"{kyc}/requirements", rails="USD"))["invalid"]
    assert "ultimateBeneficialOwners" not in invalid["fields"]
    assert "ultimateBeneficialOwners[0].phone" in invalid["fields"]


async def test_fifty_owners_are_not_too_many(org: Tenant) -> None:
    owners = [OWNER] * 50
    await org.post(USERS, business(await make_agreement(org), ultimateBeneficialOwners=owners))


async def test_the_same_email_may_be_several_users(org: Tenant) -> None:
    assert (await _create(org))["id"] != (await _create(org))["id"]
    assert (await org.get(USERS, email="ada@example.com"))["count"] == 2


async def test_control_and_signature_may_be_two_peoples(org: Tenant) -> None:
    owners = [{**OWNER, "hasControl": False}, {**OWNER, "isSigner": False}]
    await org.post(USERS, business(await make_agreement(org), ultimateBeneficialOwners=owners))


async def test_lists_filter_by_part_in_any_case(org: Tenant) -> None:
    await _create(org, firstName="Ada", lastName="Lovelace", email="ada@example.com")
    await _create(org, firstName="Grace", lastName="Hopper", email="grace@example.org")
    body = business(await make_agreement(org), businessName="100%_Sure / Co", email="c@sure.co")
    await org.post(USERS, body)
    assert await _names(org) == ["100%_Sure / Co", "Grace Hopper", "Ada Lovelace"]
    assert await _names(org, firstName="aD") == ["Ada Lovelace"]
    assert await _names(org, lastName="OPP") == ["Grace Hopper"]
    assert await _names(org, email="EXAMPLE.") == ["Grace Hopper", "Ada Lovelace"]
    assert await _names(org, type="business") == ["100%_Sure / Co"]
    assert await _names(org, businessName="%_s") == ["100%_Sure / Co"]
    assert await _names(org, businessName="/") == ["100%_Sure / Co"]
    assert await _names(org, firstName="%") == []
    assert await _names(org, firstName="_") == []
    assert await _names(org, firstName="ada", lastName="hopper") == []
    assert await org.refused("GET", USERS, type="robot") == FIELD


async def test_pages_lose_nothing_and_end_with_null(org: Tenant) -> None:
    created = [(await _create(org))["id"] for _ in range(7)]
    ids: list[str] = []
    query: dict[str, str | int] = {"limit": 3}
    while (page := await org.get(USERS, **query))["users"]:
        assert len(ids) < len(created), "a page came twice"
        assert page["count"] == len(page["users"])
        assert page["nextCursor"] == page["users"][-1]["createdAt"]
        ids += [each["id"] for each in page["users"]]
        query["createdBefore"] = page["nextCursor"]
    assert ids == created[::-1]
    assert page == {"count": 0, "users": []}


async def test_bounds_are_inclusive_and_exclusive(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    first = await _create(org)
    still_clock.at += timedelta(seconds=1)
    second = await _create(org)
    after = await org.get(USERS, createdAfter=second["createdAt"])
    before = await org.get(USERS, createdBefore=second["createdAt"])
    assert [each["id"] for each in after["users"]] == [second["id"]]
    assert [each["id"] for each in before["users"]] == [first["id"]]


async def test_an_update_changes_only_the_given_fields(org: Tenant) -> None:
    created = await _create(org)
    path = f"{USERS}/{created['id']}"
    changed = await org.post(path, {"email": "new@example.com", "address": ADDRESS})
    assert changed == {**created, "email": "new@example.com"}
    assert await org.post(path, {"lastName": "Byron", "type": "individual"}) == {
        **changed,
        "name": "Ada Byron",
    }
    assert await org.get(path) == {**changed, "name": "Ada Byron"}
    assert await org.post(path, {}) == {**changed, "name": "Ada Byron"}


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("type", {"type": "business"}),
        ("businessName", {"businessName": "Example"}),
        ("ultimateBeneficialOwners", {"ultimateBeneficialOwners": [OWNER]}),
        ("email", {"email": "x"}),
        ("firstName", {"firstName": ""}),
        ("ipAddress", {"ipAddress": "x"}),
        ("address.country", {"address": {**ADDRESS, "country": "x"}}),
        (
            "address.country",
            {"address": {**ADDRESS, "country": "PRK", "stateProvinceRegion": "01"}},
        ),
        ("address.stateProvinceRegion", {"address": {**ADDRESS, "stateProvinceRegion": "la"}}),
        ("dateOfBirth", {"dateOfBirth": "2999-01-01"}),
    ],
)
async def test_an_update_is_checked_like_a_creation(
    org: Tenant, field: str, change: dict[str, Any]
) -> None:
    user = await make_user(org)
    before = await org.get(f"{USERS}/{user}")
    answer = await org.send("POST", f"{USERS}/{user}", change)
    assert refusal(answer) == FIELD
    assert field in sentence(answer)
    assert await org.get(f"{USERS}/{user}") == before


@pytest.mark.parametrize(
    "known",
    ["8d3a7cfe-0000-4000-8000-000000000000", "x", "%00", "8d3a7cfe000040008000000000000000"],
)
async def test_an_unknown_user_is_not_there(org: Tenant, known: str) -> None:
    path = f"{USERS}/{known}"
    for method, where, body in (
        ("GET", path, None),
        ("POST", path, {"email": "a@example.com"}),
        ("POST", f"{path}/wallets/add", {"chains": ["BASE"]}),
        ("GET", f"{path}/wallets/external", None),
        ("GET", f"{path}/wallets/balance?chain=BASE&currency=usdc", None),
    ):
        assert await org.refused(method, where, body) == "404 USER_NOT_FOUND"


async def test_terms_that_were_accepted_again_are_kept_with_the_user(org: Tenant) -> None:
    user = await make_user(org)
    again = await make_agreement(org)
    await org.post(f"/v2/users/{user}", {"signedAgreementId": again})
    stored = await org.container.users.get(org.org_id, UUID(user))
    assert str(stored.agreement_id) == again
    unsigned = await make_agreement(org, is_signed=False)
    refused = await org.refused("POST", f"/v2/users/{user}", {"signedAgreementId": unsigned})
    assert refused == "400 FIELD_VALIDATION_ERROR"


async def test_a_business_can_be_requested_again(org: Tenant) -> None:
    body = business(await make_agreement(org), requestId=str(uuid4()))
    created = await org.post(USERS, body)
    assert await org.post(USERS, body) == created
