"""Routes of approvals over HTTP, with the flow of these tests among the others."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.approvals.model import Approval, Policy
from landbridge.core.clock import Clock
from landbridge.core.ids import new_id
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from tests.approvals.flow import KIND, UNITS, Payments, Status, World, make_world
from tests.tenants import SETTINGS, Tenant, good, make_tenant, refusal, sentence, served

PATH = "/v2/transfer-approvals"
LISTED = {"id", "transferId", "status", "createdAt", "updatedAt", "transferType"}


@pytest.fixture
async def tenant(database: Database) -> AsyncIterator[Tenant]:
    """An organisation whose house knows the flow of these tests."""
    house = wire(SETTINGS, database, Clock(await take_lane(database)))
    voting = replace(house.voting, deciders={**house.voting.deciders, KIND: Payments()})
    house = replace(house, voting=voting)
    async with served(house) as client:
        yield await make_tenant(house, client)


@pytest.fixture
async def world(tenant: Tenant) -> World:
    house = tenant.house
    return await make_world(house, house.database, tenant.org_id, units=10 * UNITS)


def is_moment(text: str) -> bool:
    return datetime.fromisoformat(text).tzinfo is not None and "." in text


async def ask(world: World) -> Approval:
    return await world.ask(world.key())


async def test_a_payment_is_listed_approved_and_shown(tenant: Tenant, world: World) -> None:
    approval = await ask(world)
    page = await tenant.get(PATH)
    assert page.keys() == {"success", "message", "count", "approvals"}
    assert (page["success"], page["count"]) == (True, 1)
    (listed,) = page["approvals"]
    assert listed.keys() == LISTED
    assert (listed["id"], listed["transferId"]) == (str(approval.id), str(approval.transfer_id))
    assert (listed["status"], listed["transferType"]) == ("PENDING", KIND)
    assert is_moment(listed["createdAt"])

    said = await tenant.post(f"{PATH}/{approval.id}/approve", {"comment": "fine"})
    assert said.keys() == {"success", "message", "approvalId", "status", "timestamp"}
    assert (said["success"], said["status"]) == (True, "APPROVED")
    assert said["approvalId"] == str(approval.id)
    assert is_moment(said["timestamp"])

    shown = await tenant.get(f"{PATH}/{approval.id}")
    assert shown.keys() == {"success", "message", "approval"}
    one = shown["approval"]
    assert one.keys() == LISTED | {"votes"}
    assert (one["status"], one["updatedAt"]) == ("APPROVED", said["timestamp"])
    vote = {
        "approverId": str(tenant.caller.id),
        "vote": "APPROVE",
        "comment": "fine",
        "createdAt": said["timestamp"],
    }
    assert one["votes"] == [vote]
    assert await world.status(approval) == Status.CREATED
    assert (await tenant.get(PATH))["approvals"] == []


@pytest.mark.parametrize("body", [None, "", {}, {"reason": None}, {"unknown": 1}, "null"])
async def test_a_payment_is_rejected_without_a_word(
    tenant: Tenant, world: World, body: Any
) -> None:
    approval = await ask(world)
    said = await tenant.post(f"{PATH}/{approval.id}/reject", body)
    assert said.keys() == {"success", "message", "approvalId", "status", "reason", "timestamp"}
    assert (said["status"], said["reason"]) == ("REJECTED", "")
    (vote,) = (await tenant.get(f"{PATH}/{approval.id}"))["approval"]["votes"]
    assert (vote["vote"], vote["comment"]) == ("REJECT", None)
    assert await world.balance() == (10 * UNITS, 0)


async def test_a_payment_is_rejected_with_a_reason(tenant: Tenant, world: World) -> None:
    approval = await ask(world)
    said = await tenant.post(f"{PATH}/{approval.id}/reject", {"reason": " too much "})
    assert said["reason"] == "too much"


@pytest.mark.parametrize("body", [None, "", {}, {"comment": None}])
async def test_a_payment_is_approved_without_a_word(
    tenant: Tenant, world: World, body: Any
) -> None:
    approval = await ask(world)
    said = await tenant.post(f"{PATH}/{approval.id}/approve", body)
    assert said["status"] == "APPROVED"


async def test_a_vote_of_several_says_how_it_stands(tenant: Tenant, world: World) -> None:
    stamp = tenant.house.clock.stamp()
    approvals = tenant.house.approvals
    await approvals.set_policy(tenant.org_id, Policy(threshold=2), actor="test", at=stamp)
    approval = await ask(world)
    said = await tenant.post(f"{PATH}/{approval.id}/approve")
    assert (said["success"], said["status"]) == (True, "PENDING")
    assert "1 of 2" in said["message"]
    answer = await tenant.send("POST", f"{PATH}/{approval.id}/approve")
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "voted" in sentence(answer)


@pytest.mark.parametrize("verb", ["approve", "reject"])
async def test_a_second_decision_is_refused(tenant: Tenant, world: World, verb: str) -> None:
    approval = await ask(world)
    await tenant.post(f"{PATH}/{approval.id}/approve")
    answer = await tenant.send("POST", f"{PATH}/{approval.id}/{verb}")
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "APPROVED" in sentence(answer)


@pytest.mark.parametrize("approval_id", [str(UUID(int=7)), "nonsense", "%20", "a" * 300])
async def test_an_unknown_approval_is_not_found(tenant: Tenant, approval_id: str) -> None:
    for method, path in (("GET", ""), ("POST", "/approve"), ("POST", "/reject")):
        answer = await tenant.send(method, f"{PATH}/{approval_id}{path}")
        assert refusal(answer) == "404 RESOURCE_NOT_FOUND"


# The verb, its body, and what the sentence names.
BAD_BODIES: list[tuple[str, Any, str]] = [
    ("approve", {"comment": 7}, "comment"),
    ("approve", {"comment": "a" * 1001}, "comment"),
    ("approve", {"comment": "a\nb"}, "comment"),
    ("approve", "{", "JSON"),
    ("approve", "[]", "object"),
    ("reject", {"reason": ["no"]}, "reason"),
    ("reject", {"reason": "a" * 1001}, "reason"),
    ("reject", {"reason": "\u0007"}, "reason"),
    ("reject", "7", "object"),
]


@pytest.mark.parametrize(("verb", "body", "named"), BAD_BODIES)
async def test_a_bad_body_decides_nothing(
    tenant: Tenant, world: World, verb: str, body: Any, named: str
) -> None:
    approval = await ask(world)
    answer = await tenant.send("POST", f"{PATH}/{approval.id}/{verb}", body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert named in sentence(answer)
    assert await world.again(approval) == approval


BAD_QUERIES = [
    ("limit", "0"),
    ("limit", "101"),
    ("limit", "-1"),
    ("limit", "abc"),
    ("limit", "1.0"),
    ("limit", ""),
    ("limit", "٣"),
    ("limit", "9" * 400),
    ("offset", "-1"),
    ("offset", "1000001"),
    ("offset", "x"),
    ("offset", "9" * 400),
]


@pytest.mark.parametrize(("name", "value"), BAD_QUERIES)
async def test_a_bad_query_is_refused_by_name(tenant: Tenant, name: str, value: str) -> None:
    answer = await tenant.send("GET", PATH, **{name: value})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert name in sentence(answer)


async def test_the_list_has_twenty_unless_asked_for_more(tenant: Tenant, world: World) -> None:
    made = [str((await world.ask(world.key(), units=1)).id) for _ in range(23)]
    made.reverse()

    async def ids(**query: int) -> list[str]:
        page = await tenant.get(PATH, **query)
        assert page["count"] == len(page["approvals"])
        return [each["id"] for each in page["approvals"]]

    assert await ids() == made[:20]
    assert await ids(limit=100) == made
    assert await ids(limit=5, offset=20) == made[20:]
    assert await ids(offset=1_000_000) == []


async def test_a_frozen_organisation_looks_and_decides_nothing(
    tenant: Tenant, world: World
) -> None:
    approval = await ask(world)
    await tenant.house.orgs.freeze(tenant.org_id)
    for verb in ("approve", "reject"):
        answer = await tenant.send("POST", f"{PATH}/{approval.id}/{verb}")
        assert refusal(answer) == "403 PROFILE_FROZEN"
    assert (await tenant.get(PATH))["count"] == 1
    await tenant.house.orgs.unfreeze(tenant.org_id)
    await tenant.post(f"{PATH}/{approval.id}/approve")


async def test_without_a_key_nobody_sees_anything(tenant: Tenant) -> None:
    for method, path in (
        ("GET", PATH),
        ("GET", f"{PATH}/{uuid4()}"),
        ("POST", f"{PATH}/{uuid4()}/approve"),
        ("POST", f"{PATH}/{new_id()}/reject"),
    ):
        answer = await tenant.client.request(method, path)
        assert answer.status_code == 401, good(answer)
