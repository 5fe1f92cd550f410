"""Events of people show the retrieve right after each change, until they are erased."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest

from landbridge.customers.kyc.model import Rail, kyc_profile_id
from landbridge.customers.users.model import AGREEMENT_KIND
from landbridge.customers.verification.model import case_id
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database
from tests.customers.kyc.samples import document, owner
from tests.customers.onboarding.person import Person, invite, only_user, to_the_end
from tests.customers.verification.verification_setup import manual_review_org
from tests.developers.events.payload_checks import ObjectHistory, data, erase, events
from tests.people import documents_of, make_business, make_person, owners_of, submit
from tests.tenants import Tenant, individual, make_agreement, make_user

USERS = "/v2/users"
REVIEWS = "/v2/reviews/kyc"


@pytest.fixture
async def office(database: Database) -> AsyncIterator[Tenant]:
    """Organisation whose users are reviewed manually."""
    async with manual_review_org(database) as org:
        yield org


def _of_user(org: Tenant, user: str) -> ObjectHistory:
    return ObjectHistory(org, UUID(user), f"{USERS}/{user}")


def _of_profile(org: Tenant, user: str) -> ObjectHistory:
    return ObjectHistory(org, kyc_profile_id(UUID(user)), f"{USERS}/{user}/kyc")


def _of_case(org: Tenant, user: str, rail: Rail = Rail.USD) -> ObjectHistory:
    path = f"{USERS}/{user}/kyc/status?rails={rail}"
    return ObjectHistory(org, case_id(UUID(user), rail), path, {"userId": user, "rails": rail})


def _of_terms(org: Tenant, agreement: str) -> ObjectHistory:
    object_id = derived_id(UUID(agreement), AGREEMENT_KIND)
    return ObjectHistory(org, object_id, f"/v2/tos-link/{agreement}")


async def test_a_user_is_shown_as_after_each_change(org: Tenant) -> None:
    user = await make_user(org)
    walk = _of_user(org, user)
    await walk.record()
    await org.post(f"{USERS}/{user}", {"firstName": "Bea", "email": "bea@example.com"})
    await walk.record()
    await org.post(f"{USERS}/{user}/wallets/add", {"chains": ["BASE", "SOLANA"]})
    await walk.record()
    for verb in ("freeze", "unfreeze"):
        await org.post(f"{USERS}/{user}/{verb}", {})
        await walk.record()
    await org.post(f"{USERS}/{user}", {"lastName": "Changed"})
    await walk.record()
    assert await walk.shown() == (["USER.CREATE", *["USER.UPDATE"] * 5], walk.seen)
    assert [each["name"] for each in walk.seen] == [
        "Ada Example",
        *["Bea Example"] * 4,
        "Bea Changed",
    ]


async def test_an_erased_user_is_shown_as_retrieved_now(org: Tenant) -> None:
    user = await make_person(org, last_name="Vanishing")
    await submit(org, user)
    await erase(org, user)
    for walk in (_of_user(org, user), _of_profile(org, user), _of_case(org, user)):
        now = await walk.retrieved()
        types, shown = await walk.shown()
        assert len(types) > 1
        assert shown == [now] * len(types)
        assert "anishing" not in str(shown)
    assert (await _of_user(org, user).shown())[1][-1]["name"] == ""


async def test_events_of_many_objects_keep_their_order(org: Tenant) -> None:
    users = [await make_user(org, firstName=name) for name in ("Ada", "Bea", "Cleo")]
    for user in users:
        await org.post(f"{USERS}/{user}", {"lastName": "Again"})
    await erase(org, users[1])
    found = [await events(org, UUID(user)) for user in users]
    mixed = [*found[2][:1], *found[1][:2], *found[0][:2], *found[2][1:2]]
    names = [each["name"] for each in await data(org, mixed)]
    assert names == ["Cleo Example", "", "", "Ada Example", "Ada Again", "Cleo Again"]


async def test_an_event_without_a_snapshot_shows_the_present_object(org: Tenant) -> None:
    user = await make_person(org)
    await submit(org, user)
    await org.container.database.rows(
        "update changes set snapshot_owner_id = null, sealed_snapshot = null where org_id = $1",
        org.org_id,
    )
    for walk in (_of_user(org, user), _of_profile(org, user), _of_case(org, user)):
        types, shown = await walk.shown()
        assert shown == [await walk.retrieved()] * len(types)


async def test_a_snapshot_belongs_to_one_change(org: Tenant) -> None:
    user = await make_user(org)
    await org.post(f"{USERS}/{user}", {"firstName": "Bea"})
    rows = await org.container.database.rows(
        "select seq, snapshot_owner_id, sealed_snapshot from changes"
        " where org_id = $1 and object_id = $2 order by seq",
        *(org.org_id, UUID(user)),
    )
    assert {row["snapshot_owner_id"] for row in rows} == {UUID(user)}
    assert len({row["sealed_snapshot"] for row in rows}) == 2
    assert not any(b"Example" in row["sealed_snapshot"] for row in rows)


async def test_terms_are_shown_as_they_were_accepted(org: Tenant) -> None:
    agreement = await make_agreement(org, redirectUrl="https://a.example/b", is_signed=False)
    walk = _of_terms(org, agreement)
    assert await walk.shown() == ([], [])
    token = (await org.get(walk.path))["sessionToken"]
    await org.client.post(f"/tos/{agreement}/accept", data={"session": token})
    accepted = await walk.retrieved()
    assert (accepted["signed"], accepted["signedFrom"]) == (True, "127.0.0.1")
    user = (await org.post(USERS, individual(agreement)))["id"]
    # The token would let a key that only reads accept terms.
    in_event = {**accepted, "sessionToken": ""}
    assert await walk.shown() == (["TOS_LINK.UPDATE"], [in_event])
    await erase(org, user)
    _, shown = await walk.shown()
    assert shown == [{**in_event, "signedFrom": None}]
    assert {**shown[0], "sessionToken": token} == await walk.retrieved()


async def test_terms_of_many_links_are_read_together(org: Tenant) -> None:
    created = [await make_agreement(org) for _ in range(3)]
    found = [each for link in created for each in await events(org, _of_terms(org, link).object_id)]
    assert [each["id"] for each in await data(org, found[::-1])] == created[::-1]


async def test_kyc_data_is_shown_as_after_each_change(org: Tenant) -> None:
    user = await make_user(org)
    walk, path = _of_profile(org, user), f"{USERS}/{user}/kyc"
    assert await walk.shown() == ([], [])
    submissions: list[dict[str, Any]] = [
        {"phone": "+14155550123", "nationality": "USA"},
        {"phone": None, "sofEuQuestionnaire": {"sourceOfFunds": "salary"}},
    ]
    for each in submissions:
        await org.post(path, each)
        await walk.record()
    await org.post(path, submissions[1])
    await org.post(f"{path}/documents", [document()])
    await walk.record()
    (first,) = await documents_of(org, user)
    await org.post(f"{path}/documents/{first}", {"number": "Z7"})
    await walk.record()
    assert await walk.shown() == (["KYC.DATA.UPDATE"] * 4, walk.seen)


async def test_a_business_is_shown_with_the_owners_that_it_had(org: Tenant) -> None:
    user = await make_business(org)
    walk, path = _of_profile(org, user), f"{USERS}/{user}/kyc"
    walk.seen = (await walk.shown())[1]
    await org.post(f"{path}/ubos", owner())
    both = (await walk.record())["kycInfo"]["ultimateBeneficialOwners"]
    assert both == await owners_of(org, user)
    await org.post(f"{path}/ubos/{both[1]}", {"shareProportion": 12.5})
    await walk.record()
    profiles = org.container.kyc_profiles
    card = await org.container.users.get(org.org_id, UUID(user))
    await profiles.remove_owner(org.caller, card, UUID(both[1]))
    assert (await walk.record())["kycInfo"]["ultimateBeneficialOwners"] == both[:1]
    assert (await walk.shown())[1] == walk.seen


@pytest.mark.parametrize("rail", [Rail.USD, Rail.SOUTH_AMERICA_STANDARD])
async def test_a_status_is_shown_as_after_each_change(office: Tenant, rail: Rail) -> None:
    user = await make_person(office)
    walk = _of_case(office, user, rail)
    statuses = ["CREATED", "PENDING", "MANUAL_REVIEW"]
    await submit(office, user, rail)
    await walk.record()
    for choice, fields, status in (
        ("requestInformation", {"comment": "Send a payslip."}, "RFI_PENDING"),
        ("retry", {"rejectReasons": ["BAD_PHOTO"], "comment": "Too dark."}, "INCOMPLETE"),
        ("approve", {}, "ACTIVE"),
        ("revoke", {}, "MANUAL_REVIEW"),
        ("reject", {"rejectReasons": ["FORGERY"], "comment": "No."}, "REJECTED"),
    ):
        await _decide(office, user, rail, choice, **fields)
        await walk.record()
        statuses.append(status)
        if status in {"RFI_PENDING", "INCOMPLETE"}:
            await submit(office, user, rail)
            await walk.record()
            statuses += ["PENDING", "MANUAL_REVIEW"]
    types, shown = await walk.shown()
    assert types == ["KYC.STATUS.CREATE", *["KYC.STATUS.UPDATE"] * (len(statuses) - 1)]
    assert [each["status"] for each in shown] == statuses
    rested = [each for each in shown if each["status"] not in {"CREATED", "PENDING"}]
    assert rested == walk.seen


async def test_a_business_has_the_results_of_each_owner(office: Tenant) -> None:
    user = await make_business(office)
    walk = _of_case(office, user)
    await submit(office, user, Rail.USD)
    await walk.record()
    await _decide(office, user, Rail.USD, "approve")
    shown = await walk.record()
    (detail,) = shown["details"]["ultimateBeneficialOwners"]["details"]
    assert [detail["id"]] == await owners_of(office, user)


async def test_intermediate_statuses_are_shown(org: Tenant) -> None:
    user = await make_person(org, last_name="Approval")
    await submit(org, user)
    walk = _of_case(org, user)
    assert (await walk.record())["status"] == "ACTIVE"
    _, shown = await walk.shown()
    assert [each["status"] for each in shown] == ["CREATED", "PENDING", "ACTIVE"]
    assert [each["userId"] for each in shown] == [user] * 3


async def test_a_link_is_shown_as_created_and_as_completed(org: Tenant) -> None:
    person = await invite(
        org, rails=["USD"], redirectUrl="https://a.example/b", recipientEmail=None
    )
    (created,) = await data(org, await events(org, _link(person)))
    assert created == {
        "id": str(_link(person)),
        "userId": None,
        "userType": "INDIVIDUAL",
        "rails": ["USD"],
        "createdAt": created["createdAt"],
        "expiredAt": created["expiredAt"],
        "completed": False,
        "completedAt": None,
    }
    await to_the_end(person)
    await person.press("/submit")
    user = (await only_user(org))["id"]
    found = await events(org, _link(person))
    assert [each.type for each in found] == ["KYC_LINK.CREATE", "KYC_LINK.UPDATE"]
    shown = await data(org, found)
    completed_at = shown[1]["completedAt"]
    assert completed_at is not None
    changed = {"userId": user, "completed": True, "completedAt": completed_at}
    assert shown == [created, {**created, **changed}]


async def test_a_link_for_a_user_names_the_user(org: Tenant) -> None:
    user = await make_user(org)
    person = await invite(org, userId=user, rails=["USD", "AFRICA_GENERAL"])
    (created,) = await data(org, await events(org, _link(person)))
    assert (created["userId"], created["rails"]) == (user, ["USD", "AFRICA_GENERAL"])
    await erase(org, user)
    (erased,) = await data(org, await events(org, _link(person)))
    assert {**erased, "expiredAt": created["expiredAt"]} == created


async def _decide(org: Tenant, user: str, rail: Rail, choice: str, **fields: Any) -> None:
    case = case_id(UUID(user), rail)
    await org.post(f"{REVIEWS}/{case}", {"decision": choice, **fields})


def _link(person: Person) -> UUID:
    """Return the id of a link from its address."""
    return UUID(urlsplit(person.url).path.rpartition("/")[2])
