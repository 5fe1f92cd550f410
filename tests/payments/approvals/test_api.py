"""Approval routes over HTTP, with the test flow among the others."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.app.container import wire
from landbridge.payments.approvals.model import Approval, ApprovalPolicy
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.payments.approvals.flow import KIND, UNITS, Payments, Status, World, make_world
from tests.tenants import SETTINGS, Tenant, good, make_tenant, refusal, sentence, served

PATH = "/v2/transfer-approvals"
LISTED = {"id", "transferId", "status", "createdAt", "updatedAt", "transferType"}


@pytest.fixture
async def tenant(database: Database) -> AsyncIterator[Tenant]:
    """Organisation whose container knows the test flow."""
    container = wire(SETTINGS, database, Clock(await take_node(database)))
    voting = replace(container.voting, deciders={**container.voting.deciders, KIND: Payments()})
    container = replace(container, voting=voting)
    async with served(container) as client:
        yield await make_tenant(container, client)


@pytest.fixture
async def world(tenant: Tenant) -> World:
    container = tenant.container
    return await make_world(container, container.database, tenant.org_id, units=10 * UNITS)


def is_moment(text: str) -> bool:
    return datetime.fromisoformat(text).tzinfo is not None and "." in text


async def request_approval(world: World) -> Approval:
    return await world.request_payment(world.key())


async def test_a_payment_is_listed_approved_and_shown(tenant: Tenant, world: World) -> None:
    approval = await request_approval(world)
    page = await tenant.get(PATH)
    assert page.keys() == {"success", "message", "count", "approvals"}
    assert (page["success"], page["count"]) == (True, 1)
    (listed,) = page["approvals"]
    assert listed.keys() == LISTED
    assert (listed["id"], listed["transferId"]) == (str(approval.id), str(approval.transfer_id))
    assert (listed["status"], listed["transferType"]) == ("PENDING", KIND)
    assert is_moment(listed["createdAt"])

    decided = await tenant.post(f"{PATH}/{approval.id}/approve", {"comment": "fine"})
    assert decided.keys() == {"success", "message", "approvalId", "status", "timestamp"}
    assert (decided["success"], decided["status"]) == (True, "APPROVED")
    assert decided["approvalId"] == str(approval.id)
    assert is_moment(decided["timestamp"])

    shown = await tenant.get(f"{PATH}/{approval.id}")
    assert shown.keys() == {"success", "message", "approval"}
    one = shown["approval"]
    assert one.keys() == LISTED | {"votes"}
    assert (one["status"], one["updatedAt"]) == ("APPROVED", decided["timestamp"])
    vote = {
        "approverId": str(tenant.caller.id),
        "vote": "APPROVE",
        "comment": "fine",
        "createdAt": decided["timestamp"],
    }
    assert one["votes"] == [vote]
    assert await world.status(approval) == Status.CREATED
    assert (await tenant.get(PATH))["approvals"] == []


@pytest.mark.parametrize("body", [None, "", {}, {"reason": None}, {"unknown": 1}, "null"])
async def test_a_payment_is_rejected_without_a_word(
    tenant: Tenant, world: World, body: Any
) -> None:
    approval = await request_approval(world)
    decided = await tenant.post(f"{PATH}/{approval.id}/reject", body)
    assert decided.keys() == {"success", "message", "approvalId", "status", "reason", "timestamp"}
    assert (decided["status"], decided["reason"]) == ("REJECTED", "")
    (vote,) = (await tenant.get(f"{PATH}/{approval.id}"))["approval"]["votes"]
    assert (vote["vote"], vote["comment"]) == ("REJECT", None)
    assert await world.balance() == (10 * UNITS, 0)


async def test_a_payment_is_rejected_with_a_reason(tenant: Tenant, world: World) -> None:
    approval = await request_approval(world)
    decided = await tenant.post(f"{PATH}/{approval.id}/reject", {"reason": " too much "})
    assert decided["reason"] == "too much"


@pytest.mark.parametrize("body", [None, "", {}, {"comment": None}])
async def test_a_payment_is_approved_without_a_word(
    tenant: Tenant, world: World, body: Any
) -> None:
    approval = await request_approval(world)
    decided = await tenant.post(f"{PATH}/{approval.id}/approve", body)
    assert decided["status"] == "APPROVED"


async def test_partial_approval_shows_its_votes(tenant: Tenant, world: World) -> None:
    stamp = tenant.container.clock.stamp()
    approvals = tenant.container.approvals
    await approvals.set_policy(tenant.org_id, ApprovalPolicy(threshold=2), actor="test", at=stamp)
    approval = await request_approval(world)
    decided = await tenant.post(f"{PATH}/{approval.id}/approve")
    assert (decided["success"], decided["status"]) == (True, "PENDING")
    assert "1 of 2" in decided["message"]
    answer = await tenant.send("POST", f"{PATH}/{approval.id}/approve")
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "voted" in sentence(answer)


@pytest.mark.parametrize("verb", ["approve", "reject"])
async def test_a_second_decision_is_refused(tenant: Tenant, world: World, verb: str) -> None:
    approval = await request_approval(world)
    await tenant.post(f"{PATH}/{approval.id}/approve")
    answer = await tenant.send("POST", f"{PATH}/{approval.id}/{verb}")
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "APPROVED" in sentence(answer)


@pytest.mark.parametrize("approval_id", [str(UUID(int=7)), "nonsense", "%20", "a" * 300])
async def test_unknown_approval_is_not_found(tenant: Tenant, approval_id: str) -> None:
    for method, path in (("GET", ""), ("POST", "/approve"), ("POST", "/reject")):
        answer = await tenant.send(method, f"{PATH}/{approval_id}{path}")
        assert refusal(answer) == "404 RESOURCE_NOT_FOUND"


# The verb, its body, and the field that the sentence names.
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
async def test_invalid_body_decides_nothing(
    tenant: Tenant, world: World, verb: str, body: Any, named: str
) -> None:
    approval = await request_approval(world)
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
async def test_invalid_query_is_refused_by_name(tenant: Tenant, name: str, value: str) -> None:
    answer = await tenant.send("GET", PATH, **{name: value})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert name in sentence(answer)


async def test_list_has_twenty_items_by_default(tenant: Tenant, world: World) -> None:
    created = [str((await world.request_payment(world.key(), units=1)).id) for _ in range(23)]
    created.reverse()

    async def ids(**query: int) -> list[str]:
        page = await tenant.get(PATH, **query)
        assert page["count"] == len(page["approvals"])
        return [each["id"] for each in page["approvals"]]

    assert await ids() == created[:20]
    assert await ids(limit=100) == created
    assert await ids(limit=5, offset=20) == created[20:]
    assert await ids(offset=1_000_000) == []


async def test_frozen_organisation_reads_but_decides_nothing(tenant: Tenant, world: World) -> None:
    approval = await request_approval(world)
    await tenant.container.orgs.freeze(tenant.org_id)
    for verb in ("approve", "reject"):
        answer = await tenant.send("POST", f"{PATH}/{approval.id}/{verb}")
        assert refusal(answer) == "403 PROFILE_FROZEN"
    assert (await tenant.get(PATH))["count"] == 1
    await tenant.container.orgs.unfreeze(tenant.org_id)
    await tenant.post(f"{PATH}/{approval.id}/approve")


async def test_approvals_require_a_key(tenant: Tenant) -> None:
    for method, path in (
        ("GET", PATH),
        ("GET", f"{PATH}/{uuid4()}"),
        ("POST", f"{PATH}/{uuid4()}/approve"),
        ("POST", f"{PATH}/{new_id()}/reject"),
    ):
        answer = await tenant.client.request(method, path)
        assert answer.status_code == 401, good(answer)
