"""Owners of a business, one by one and as a list."""

from typing import Any
from uuid import uuid4

import pytest

from landbridge.customers.kyc.fields import OWNER, OWNERS
from landbridge.customers.kyc.model import OWNERS_MAX
from tests.customers.kyc.samples import document, make_business, owner
from tests.tenants import Tenant, make_user, refusal, sentence

FIELD = "400 FIELD_VALIDATION_ERROR"
UNKNOWN = "404 RESOURCE_NOT_FOUND"
BOB = {"firstName": "Bob", "lastName": "Other", "dateOfBirth": "1980-05-05"}


def ubos(user: str, ubo: str = "") -> str:
    return f"/v2/users/{user}/kyc/ubos" + (f"/{ubo}" if ubo else "")


async def owners_of(org: Tenant, user: str) -> list[dict[str, Any]]:
    return (await org.get(ubos(user)))["data"]


async def test_an_owner_is_added_changed_and_read(org: Tenant) -> None:
    user = await make_business(org)
    body = owner()
    created = await org.post(ubos(user), body)
    assert list(created) == ["id", *OWNER, "documents"]
    assert created == {
        **body,
        "id": created["id"],
        "taxIdentificationNumber": "536904399",
        "documents": [],
    }
    change = {"phone": None, "shareProportion": 33.3333, "roles": ["UBO", "DIRECTOR", "UBO"]}
    changed = await org.post(ubos(user, created["id"]), change)
    assert changed == {
        **created,
        **change,
        "roles": ["UBO", "DIRECTOR"],
    }
    assert await org.get(ubos(user, created["id"])) == changed
    assert [each["id"] for each in await owners_of(org, user)][1:] == [created["id"]]


async def test_the_list_replaces_matches_and_removes(org: Tenant) -> None:
    user = await make_business(org, "Ada", "Eve", "Zoe")
    ada, eve, zoe = await owners_of(org, user)
    scans = [document(uboId=each["id"]) for each in (ada, zoe)]
    await org.post(f"/v2/users/{user}/kyc/documents", scans)
    by_name = {name: eve[name] for name in ("firstName", "lastName", "dateOfBirth")}
    listed = [
        BOB,
        {**by_name, "firstName": "eve ", "businessTitle": "Director"},
        {"id": ada["id"], "gender": "F"},
    ]
    info = (await org.post(f"/v2/users/{user}/kyc", {OWNERS: listed}))["kycInfo"]
    now = await owners_of(org, user)
    assert [each["id"] for each in now] == info[OWNERS]
    assert [each["firstName"] for each in now] == ["Bob", "eve", "Ada"]
    assert [each["id"] for each in now[1:]] == [eve["id"], ada["id"]]
    assert now[1]["businessTitle"] == "Director"
    assert now[2]["dateOfBirth"] == ada["dateOfBirth"]
    # Zoe went, and her document with her.
    documents = (await org.get(f"/v2/users/{user}/kyc/documents"))["data"]
    assert [each["uboId"] for each in documents] == [ada["id"]]
    assert await org.refused("GET", ubos(user, zoe["id"])) == UNKNOWN


@pytest.mark.parametrize("owners", [None, []])
async def test_an_empty_list_removes_all_owners(org: Tenant, owners: Any) -> None:
    user = await make_business(org)
    info = (await org.post(f"/v2/users/{user}/kyc", {OWNERS: owners}))["kycInfo"]
    assert info[OWNERS] == []


async def test_namesakes_are_matched_one_by_one(org: Tenant) -> None:
    user = await make_business(org, "Ada", "Ada")
    first, second = await owners_of(org, user)
    same = {name: first[name] for name in ("firstName", "lastName", "dateOfBirth")}
    await org.post(f"/v2/users/{user}/kyc", {OWNERS: [same, same, same]})
    now = [each["id"] for each in await owners_of(org, user)]
    assert now[:2] == [first["id"], second["id"]]
    assert len(now) == 3


WRONG: list[tuple[str, Any]] = [
    (OWNERS, {}),
    (OWNERS, [{}] * (OWNERS_MAX + 1)),
    (f"{OWNERS}[1]", [{}, "Ada"]),
    (f"{OWNERS}[1].email", [{}, {"email": "x"}]),
    (f"{OWNERS}[0].address.country", [{"address": {"country": 1}}]),
    (f"{OWNERS}[0].id", [{"id": str(uuid4())}]),
    (f"{OWNERS}[0].id", [{"id": 5}]),
    (f"{OWNERS}[0].roles[0]", [{"roles": ["BOSS"]}]),
    (f"{OWNERS}[0].role", [{"role": "DIRECTOR"}]),
    (f"{OWNERS}[0].shareProportion", [{"shareProportion": 101}]),
    (OWNERS, [{"shareProportion": 60}, {"shareProportion": 40.0001}]),
]


@pytest.mark.parametrize(("field", "listed"), WRONG)
async def test_a_wrong_list_of_owners_is_refused_and_changes_nothing(
    org: Tenant, field: str, listed: Any
) -> None:
    user = await make_business(org)
    before = await owners_of(org, user)
    answer = await org.send("POST", f"/v2/users/{user}/kyc", {OWNERS: listed})
    assert refusal(answer) == FIELD
    if field.endswith("country"):
        field = f"{OWNERS}[0].address"
    assert field in sentence(answer)
    assert await owners_of(org, user) == before


async def test_an_id_is_given_once(org: Tenant) -> None:
    user = await make_business(org)
    body = {"id": (await owners_of(org, user))[0]["id"]}
    answer = await org.send("POST", f"/v2/users/{user}/kyc", {OWNERS: [body, body]})
    assert f"{OWNERS}[1].id" in sentence(answer)


@pytest.mark.parametrize(
    "share",
    ["-0.1", "100.0001", "1e3", "33.33333", "true", '"25"', "1e-400", "1e99999999999999999"],
)
async def test_a_share_is_a_number_of_percent(org: Tenant, share: str) -> None:
    user = await make_business(org)
    answer = await org.send("POST", ubos(user), f'{{"shareProportion": {share}}}')
    assert refusal(answer) == FIELD
    if "99999" not in share:
        assert "shareProportion" in sentence(answer)


@pytest.mark.parametrize(
    ("share", "shown"),
    [("0", 0), ("-0.0", 0), ("1e2", 100), ("25.5000", 25.5), ("33.3333", 33.3333)],
)
async def test_shares_are_kept_exactly(org: Tenant, share: str, shown: float) -> None:
    user = await make_business(org)
    answer = await org.send("POST", ubos(user), f'{{"shareProportion": {share}}}')
    assert answer.json()["shareProportion"] == shown
    assert "-" not in answer.text.partition('"shareProportion":')[2].partition(",")[0]


async def test_all_shares_together_are_no_more_than_everything(org: Tenant) -> None:
    user = await make_business(org)
    first = await org.post(ubos(user), {"shareProportion": 60})
    await org.post(ubos(user), {"shareProportion": 40})
    for path in (ubos(user), ubos(user, (await owners_of(org, user))[0]["id"])):
        answer = await org.send("POST", path, {"shareProportion": 0.0001})
        assert refusal(answer) == FIELD
        assert "shareProportion" in sentence(answer)
    await org.post(ubos(user, first["id"]), {"shareProportion": 59})


async def test_there_is_a_bound_to_owners(org: Tenant) -> None:
    user = await make_business(org)
    await org.post(f"/v2/users/{user}/kyc", {OWNERS: [{}] * OWNERS_MAX})
    assert await org.refused("POST", ubos(user), {}) == FIELD


async def test_only_businesses_have_owners(org: Tenant) -> None:
    user, company = await make_user(org), await make_business(org)
    ada = (await owners_of(org, company))[0]["id"]
    assert await org.refused("GET", ubos(user)) == FIELD
    assert await org.refused("POST", ubos(user), BOB) == FIELD
    for ubo in (ada, str(uuid4()), "ada"):
        assert await org.refused("GET", ubos(user, ubo)) == UNKNOWN
        assert await org.refused("POST", ubos(user, ubo), BOB) == UNKNOWN
