"""Routes of verification: shapes on every rail, the list of statuses, and bad requests."""

from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.errors import VerificationMissing
from landbridge.customers.verification.service import StatusFilters
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.pagination import PageWindow
from tests.people import (
    documents_of,
    make_business,
    make_person,
    make_verified,
    owners_of,
    status_of,
    submit,
)
from tests.tenants import Tenant, sentence

LIST = "/v2/kyc/status"
PIX = {"pix"}
AFRICA_ON = {
    "kes": {"momo"},
    "ghs": {"momo"},
    "tzs": {"bank"},
    "ugx": {"bank"},
    "bwp": {"bank"},
    "xaf": {"bank", "momo"},
    "mwk": {"bank", "momo"},
    "rwf": {"bank"},
    "zmw": {"bank", "momo"},
    "xof": {"momo"},
}
AFRICA_OFF = {
    **{name: {"momo"} for name in AFRICA_ON},
    "kes": {"bank", "momo"},
    "zar": {"bank"},
}
# Source: contract, interface/kyc.
METHODS: dict[Rail, tuple[dict[str, set[str]], dict[str, set[str]]]] = {
    Rail.SOUTH_AMERICA_STANDARD: (
        {"brl": PIX},
        {"brl": PIX, "mxn": {"spei"}, "cop": {"achCop"}, "ars": {"transfers"}},
    ),
    Rail.AFRICA_GENERAL: (AFRICA_ON, AFRICA_OFF),
    Rail.AFRICA_NIGERIA: ({"ngn": {"bank"}}, {"ngn": {"bank"}}),
    Rail.GLOBAL_NETWORK: (
        {},
        {"brl": PIX, "hkd": {"wire"}, "mxn": {"spei"}, "ngn": {"bank"}},
    ),
}
DECLINE = {
    "reviewAnswer": "DECLINED",
    "reviewRejectType": "FINAL",
    "rejectReasons": ["DECLINED"],
    "comment": "This is the sandbox: a reserved name decided.",
}
APPROVAL = {"reviewAnswer": "APPROVED"}


def _tree(reply: dict[str, Any]) -> dict[str, set[str]]:
    return {currency: set(methods) for currency, methods in reply.items()}


@pytest.mark.parametrize("rail", list(METHODS))
@pytest.mark.parametrize(
    ("name", "status"), [("Approval", "ACTIVE"), ("Pending", "PENDING"), ("Rejection", "REJECTED")]
)
async def test_rails_other_than_usd_have_a_tree_of_methods(
    org: Tenant, rail: Rail, name: str, status: str
) -> None:
    user = await make_person(org, last_name=name)
    before = await status_of(org, user, rail)
    answered = await submit(org, user, rail)
    after = await status_of(org, user, rail)
    for reply, expected in ((before, "INACTIVE"), (answered, "CREATED"), (after, status)):
        members = {"status", "warnings", "message", "onRamp", "offRamp"}
        limit = {"limit"} if rail is Rail.SOUTH_AMERICA_STANDARD else set[str]()
        assert set(reply) == members | limit
        assert reply["status"] == expected
        assert (_tree(reply["onRamp"]), _tree(reply["offRamp"])) == METHODS[rail]
        for methods in (*reply["onRamp"].values(), *reply["offRamp"].values()):
            for method in cast("dict[str, Any]", methods).values():
                assert set(method) == {"status", "warnings", "message"}
                assert method["status"] == expected
    assert after["warnings"] == (["DECLINED"] if status == "REJECTED" else [])


async def test_usd_of_a_person_before_any_submission(org: Tenant) -> None:
    user = await make_person(org)
    reply = await org.get(f"/v2/users/{user}/kyc/status")
    assert reply == {
        "status": "INACTIVE",
        "message": "Nothing has been submitted for this rail.",
    }


@pytest.mark.parametrize(
    ("name", "whole", "part"),
    [("Approval", APPROVAL, APPROVAL), ("Pending", {}, {}), ("Rejection", DECLINE, {})],
)
async def test_usd_of_a_person(
    org: Tenant, name: str, whole: dict[str, Any], part: dict[str, Any]
) -> None:
    user = await make_person(org, last_name=name)
    assert set(await submit(org, user)) == {"status", "message"}
    (paper,) = await documents_of(org, user)
    passport = {"id": paper, "type": "PASSPORT", "subType": "SINGLE_SIDE", "reviewResult": part}
    reply = await status_of(org, user)
    assert set(reply) == {"status", "message", "reviewResult", "details"}
    assert reply["reviewResult"] == whole
    assert reply["details"] == {
        "personalInfo": {"reviewResult": part},
        "identity": {"reviewResult": part, "details": [passport]},
        "proofOfAddress": {"reviewResult": part, "details": []},
        "questionnaire": {"reviewResult": part},
    }


@pytest.mark.parametrize(
    ("name", "whole", "part", "status"),
    [
        ("Approval", APPROVAL, APPROVAL, "ACTIVE"),
        ("Pending", {}, {}, "PENDING"),
        ("Rejection", DECLINE, {}, "REJECTED"),
    ],
)
async def test_usd_of_a_business(
    org: Tenant, name: str, whole: dict[str, Any], part: dict[str, Any], status: str
) -> None:
    user = await make_business(org, name=name)
    await submit(org, user)
    (owner,) = await owners_of(org, user)
    reply = await status_of(org, user)
    details = reply["details"]
    assert reply["reviewResult"] == whole
    assert set(details) == {
        "companyInfo",
        "companyDocuments",
        "questionnaire",
        "ultimateBeneficialOwners",
    }
    assert details["companyInfo"] == {"reviewResult": part}
    assert details["companyDocuments"]["reviewResult"] == part
    assert len(details["companyDocuments"]["details"]) == 4
    owners = details["ultimateBeneficialOwners"]
    assert owners["reviewResult"] == part
    (of_owner,) = owners["details"]
    assert set(of_owner) == {"id", "status", "message", "reviewResult", "details"}
    assert (of_owner["id"], of_owner["status"]) == (owner, status)
    assert of_owner["reviewResult"] == part
    assert set(of_owner["details"]) == {
        "personalInfo",
        "identity",
        "proofOfAddress",
        "questionnaire",
    }
    assert len(of_owner["details"]["identity"]["details"]) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "rails"),
        ({"rails": None}, "rails"),
        ({"rails": "EUR"}, "rails"),
        ({"rails": "usd"}, "rails"),
        ({"rails": []}, "rails"),
        ({"rails": ["USD", "EUR"]}, "rails"),
        ({"rails": ["USD"] * 6}, "rails"),
        ({"rails": {"USD": True}}, "rails"),
        ({"rails": 7}, "rails"),
        ([], "the"),
    ],
)
async def test_a_bad_submission_is_refused_by_the_name_of_its_field(
    org: Tenant, body: Any, field: str
) -> None:
    user = await make_person(org)
    answer = await org.send("POST", f"/v2/users/{user}/kyc/submissions", body)
    assert answer.status_code == 400
    assert sentence(answer).startswith(field)


async def test_an_unknown_user_has_no_status(org: Tenant) -> None:
    for user in (str(uuid4()), "x"):
        path = f"/v2/users/{user}/kyc"
        assert await org.refused("GET", f"{path}/status") == "404 USER_NOT_FOUND"
        body = {"rails": "USD"}
        assert await org.refused("POST", f"{path}/submissions", body) == "404 USER_NOT_FOUND"


@pytest.mark.parametrize("rails", ["EUR", "", "USD,AFRICA_GENERAL"])
async def test_a_status_requires_one_existing_rail(org: Tenant, rails: str) -> None:
    user = await make_person(org)
    path = f"/v2/users/{user}/kyc/status"
    assert await org.refused("GET", path, rails=rails) == "400 FIELD_VALIDATION_ERROR"


async def test_statuses_are_listed_newest_first_with_their_users(org: Tenant) -> None:
    ada = await make_person(org, last_name="Approval")
    bob = await make_person(org, last_name="Pending")
    await submit(org, ada)
    await submit(org, bob)
    await submit(org, ada, Rail.AFRICA_GENERAL)
    reply = await org.get(LIST)
    assert [(each["user"]["id"], each["rails"], each["status"]) for each in reply] == [
        (ada, "AFRICA_GENERAL", "ACTIVE"),
        (bob, "USD", "PENDING"),
        (ada, "USD", "ACTIVE"),
    ]
    assert set(reply[0]) == {"user", "rails", "createdAt", "updatedAt", "status"}
    assert reply[0]["user"] == {
        "id": ada,
        "type": "individual",
        "name": "Ada Approval",
        "email": "ada@example.com",
    }
    assert await _users(org, limit=1) == [ada]
    assert await _users(org, createdBefore=reply[0]["createdAt"]) == [bob, ada]
    assert await _users(org, createdAfter=reply[1]["createdAt"]) == [ada, bob]


async def test_statuses_are_found_by_each_filter_and_by_all_at_once(org: Tenant) -> None:
    ada = await make_person(org, last_name="Approval")
    bob = await make_business(org, name="Pending")
    for user in (ada, bob):
        await submit(org, user)
        await submit(org, user, Rail.GLOBAL_NETWORK)
    assert await _users(org, userId=ada) == [ada, ada]
    assert await _users(org, userName="a APP") == [ada, ada]
    assert await _users(org, userName="pend") == [bob, bob]
    assert await _users(org, userEmail="OFFICE@") == [bob, bob]
    assert await _users(org, userName="", userEmail="") == [bob, bob, ada, ada]
    assert await _users(org, rails="USD") == [bob, ada]
    assert await _users(org, rails="USD,GLOBAL_NETWORK") == [bob, bob, ada, ada]
    assert await _users(org, status="PENDING") == [bob, bob]
    assert await _users(org, status="ACTIVE, REJECTED") == [ada, ada]
    assert await _users(org, status="INACTIVE") == []
    assert await _users(org, userName="app", limit=1) == [ada]
    assert await _users(org, userName="nobody") == []
    assert await _users(org, userId=str(uuid4())) == []
    everything = {"userName": "ada", "userEmail": "@example", "rails": "USD", "status": "ACTIVE"}
    assert await _users(org, userId=ada, **everything) == [ada]
    repeated = await org.client.get(
        LIST, params=[("status", "ACTIVE"), ("status", "PENDING")], headers=org.headers
    )
    assert len(repeated.json()) == 4


async def test_a_search_that_would_end_in_the_middle_is_refused_by_its_name(org: Tenant) -> None:
    for name in ("Approval", "Pending", "Pending"):
        await submit(org, await make_person(org, last_name=name))

    async def search(name: str, email: str, limit: int, bound: int) -> int:
        filters = StatusFilters(
            user_id=None, user_name=name, user_email=email, rails=None, statuses=None
        )
        found = await org.container.verification.page(
            org.org_id,
            filters,
            PageWindow(limit, None, None),
            batch_size=1,
            looked_through_max=bound,
        )
        return len(found)

    assert await search("approval", "", limit=1, bound=3) == 1
    assert await search("pending", "", limit=2, bound=2) == 2
    assert await search("approval", "", limit=9, bound=4) == 1
    for name, email in (("approval", ""), ("", "nobody")):
        with pytest.raises(FieldInvalid, match=r"too many cases.* createdAfter") as refusing:
            await search(name, email, limit=1, bound=2)
        assert refusing.value.field == ("userName" if name else "userEmail")


@pytest.mark.parametrize(
    "query",
    [
        {"userId": "x"},
        {"rails": "EUR"},
        {"status": "GONE"},
        {"status": ""},
        {"rails": "USD,,GLOBAL_NETWORK"},
        {"limit": "0"},
        {"limit": "101"},
        {"createdBefore": "yesterday"},
        {"userName": "x" * 201},
        {"userEmail": "x" * 201},
    ],
)
async def test_a_bad_filter_is_refused_by_its_name(org: Tenant, query: dict[str, str]) -> None:
    answer = await org.send("GET", LIST, **query)
    assert answer.status_code == 400
    assert sentence(answer).startswith(next(iter(query)))


async def test_others_statuses_are_not_listed(org: Tenant, other_org: Tenant) -> None:
    theirs = await make_person(other_org, last_name="Approval")
    await submit(other_org, theirs)
    assert await org.get(LIST) == []
    assert await org.get(LIST, userId=theirs) == []


async def test_only_active_users_pass_the_check_of_a_rail(org: Tenant) -> None:
    check = org.container.verification.check_active
    user = UUID(await make_verified(org, Rail.AFRICA_GENERAL))
    await check(org.org_id, user, Rail.AFRICA_GENERAL)
    for org_id, user_id, rail in (
        (org.org_id, user, Rail.USD),
        (org.org_id, uuid4(), Rail.AFRICA_GENERAL),
        (uuid4(), user, Rail.AFRICA_GENERAL),
    ):
        with pytest.raises(VerificationMissing):
            await check(org_id, user_id, rail)


async def _users(org: Tenant, **query: Any) -> list[str]:
    """Return the users of the statuses that a query lists."""
    return [each["user"]["id"] for each in await org.get(LIST, **query)]


async def test_statuses_of_one_submission_are_all_on_some_page(org: Tenant) -> None:
    user = await make_person(org)
    body = {"rails": [each.value for each in Rail]}
    await org.post(f"/v2/users/{user}/kyc/submissions", body)
    found: list[str] = []
    query: dict[str, str | int] = {"limit": 2, "userId": user}
    while page := await org.get("/v2/kyc/status", **query):
        found += [each["rails"] for each in page]
        query["createdBefore"] = page[-1]["createdAt"]
    assert sorted(found) == sorted(Rail)
