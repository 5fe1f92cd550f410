"""Writes without an id but the header `Idempotency-Key` are carried out once per key."""

import asyncio
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest
from litestar import post
from litestar.testing import RequestFactory

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceConflict, UserFrozen
from landbridge.platform.core.ids import derived_id
from landbridge.platform.idempotency.model import IdempotencyKey
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.reporting.request_outcomes import KEYED_OPERATIONS
from tests.developers.webhooks.endpoints import URL, WEBHOOKS, change_webhook
from tests.keyed_writes import KEYED_WRITES
from tests.matrices import part_of
from tests.payouts import OUTSIDE
from tests.platform.db.test_lost_commits import Forgetful
from tests.tenants import SETTINGS, Tenant, make_user, refusal, served


@post("/fund", operation_id="sandbox.fundWallet")
async def _fund() -> None: ...


NAMES = sorted(KEYED_WRITES)
REQUESTS = "/v2/requests"
CONFLICT = "409 RESOURCE_CONFLICT"


def answer_of(response: httpx2.Response) -> Any:
    """Return the JSON of a success, without the time of the clock, which goes on."""
    assert response.is_success, response.text
    found = response.json()
    return {**found, "now": None} if "now" in found else found


def is_replay(response: httpx2.Response) -> bool:
    assert response.headers.get("Idempotent-Replayed") in {None, "true"}
    return "Idempotent-Replayed" in response.headers


def _request_path(org: Tenant, key: str) -> str:
    return f"{REQUESTS}/{derived_id(org.org_id, f'idempotency-key/{key}')}"


def test_every_keyed_operation_has_a_kind_and_a_test() -> None:
    kinds = {name: kind for name, (kind, _) in KEYED_WRITES.items()}
    assert {name: kind for name, (kind, _) in KEYED_OPERATIONS.items()} == kinds


@pytest.mark.parametrize("name", NAMES)
async def test_a_key_is_carried_out_once(org: Tenant, other_org: Tenant, name: str) -> None:
    kind, make = KEYED_WRITES[name]
    write = await make(org)
    before, path = await write.effects(org), _request_path(org, "order 1")
    assert await org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    first = await write.send(org, "order 1")
    done = await write.effects(org)
    assert done > before
    again = [await write.send(org, "order 1"), await write.send(org, '"order 1"')]
    assert [answer_of(each) for each in again] == [answer_of(first)] * 2
    assert [is_replay(each) for each in (first, *again)] == [False, True, True]
    if write.json is not None or write.file is not None:
        other = await write.send(org, "order 1", is_other=True)
        assert refusal(other) == CONFLICT
        assert "was already used with another request" in other.text
        assert not is_replay(other)
    assert await write.effects(org) == done
    found = await org.get(path)
    assert (found["kind"], found["status"], found["isFinal"]) == (kind, None, True)
    assert found["createdAt"] <= found["updatedAt"]
    if name not in {"kycLinks.create", "sandbox.advanceClock"}:
        query = {"chain": "POLYGON", "currency": "usdc"} if name == "sandbox.fundWallet" else {}
        assert (await org.send("GET", found["href"], **query)).status_code == 200
    assert await other_org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"


@pytest.mark.parametrize("name", part_of(NAMES, 0, 3))
async def test_another_key_is_another_write(org: Tenant, name: str) -> None:
    write = await KEYED_WRITES[name][1](org)
    assert not is_replay(await write.send(org, "order 1"))
    done = await write.effects(org)
    assert not is_replay(await write.send(org, "order 2"))
    assert await write.effects(org) == done + write.adds
    if write.adds:
        answer_of(await write.send(org, None))
        assert await write.effects(org) == done + 2 * write.adds


async def test_the_path_is_part_of_the_request(org: Tenant) -> None:
    webhooks = [(await org.post(WEBHOOKS, {"url": URL}))["id"] for _ in range(2)]
    headers = {**org.headers, "Idempotency-Key": "order 1"}
    sent = [await org.client.post(f"{WEBHOOKS}/{each}/test", headers=headers) for each in webhooks]
    assert (sent[0].status_code, refusal(sent[1])) == (200, CONFLICT)


@pytest.mark.parametrize("name", part_of(NAMES, 1, 3))
async def test_one_of_many_concurrent_requests_writes(org: Tenant, name: str) -> None:
    write = await KEYED_WRITES[name][1](org)
    before = await write.effects(org)
    answers = await asyncio.gather(*(write.send(org, "order 1") for _ in range(8)))
    found = [answer_of(each) for each in answers]
    assert found == [found[0]] * len(found)
    assert sum(not is_replay(each) for each in answers) == 1
    done = await write.effects(org)
    assert done == before + (write.adds or 1)


@pytest.mark.parametrize("name", part_of(NAMES, 2, 3))
async def test_a_write_whose_commit_was_not_acknowledged_is_done_once(
    dsn: str, org: Tenant, name: str
) -> None:
    write = await KEYED_WRITES[name][1](org)
    before = await write.effects(org)
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    container = wire(SETTINGS, database, Clock(await take_node(org.container.database)))
    async with served(container) as client:
        doubtful = Tenant(container, client, org.caller, org.key)
        first, again = [await write.send(doubtful, "order 1") for _ in range(2)]
    await database.close()
    assert answer_of(first) == answer_of(again)
    assert (is_replay(first), is_replay(again)) == (False, True)
    assert await write.effects(org) == before + (write.adds or 1)


async def test_a_refused_request_leaves_its_key_free(org: Tenant) -> None:
    user = await make_user(org)
    path = f"/v2/users/{user}/wallets/external"
    headers = {**org.headers, "Idempotency-Key": "order 1"}
    body = {"address": OUTSIDE, "chain": "POLYGON", "name": "", "referenceId": "1"}
    refused = await org.client.post(path, json=body, headers=headers)
    assert refusal(refused) == "400 FIELD_VALIDATION_ERROR"
    created = await org.client.post(path, json={**body, "name": "Cold"}, headers=headers)
    assert not is_replay(created)
    assert created.status_code == 200
    # Registering the address again is refused, and the key of that is free as well.
    headers["Idempotency-Key"] = "order 2"
    twice = await org.client.post(path, json={**body, "name": "Cold"}, headers=headers)
    assert refusal(twice) == "409 WALLET_ALREADY_EXISTS"
    other = {**body, "name": "Warm", "chain": "BASE"}
    assert (await org.client.post(path, json=other, headers=headers)).status_code == 200


async def test_a_refused_deposit_leaves_its_key_free(org: Tenant) -> None:
    path = f"/v2/sandbox/users/{await make_user(org)}/wallets/fund"
    headers = {**org.headers, "Idempotency-Key": "order 1"}
    body = {"chain": "POLYGON", "currency": "usdc", "amount": "1.0000001"}
    refused = await org.client.post(path, json=body, headers=headers)
    assert refusal(refused) == "400 FIELD_VALIDATION_ERROR"
    funded = await org.client.post(path, json={**body, "amount": "1"}, headers=headers)
    assert (funded.status_code, is_replay(funded)) == (200, False)


async def test_a_webhook_shows_its_secret_again_for_a_day(org: Tenant) -> None:
    headers = {**org.headers, "Idempotency-Key": "order 1"}
    body = {"url": URL, "standardWebhooks": True}

    async def create() -> dict[str, Any]:
        return answer_of(await org.client.post(WEBHOOKS, json=body, headers=headers))

    created = await create()
    assert created["secret"].startswith("whsec_")
    await org.container.orgs.advance_clock(org.org_id, timedelta(hours=23), actor="test")
    assert await create() == created
    await org.container.orgs.advance_clock(org.org_id, timedelta(hours=1), actor="test")
    assert await create() == {**created, "secret": None}


async def test_a_repeated_create_shows_the_webhook_as_it_is_now(org: Tenant) -> None:
    headers = {**org.headers, "Idempotency-Key": "order 1"}
    body = {"url": URL, "standardWebhooks": True}
    created = answer_of(await org.client.post(WEBHOOKS, json=body, headers=headers))
    changed = await change_webhook(org, created["id"], standardWebhooks=False)
    assert answer_of(await org.client.post(WEBHOOKS, json=body, headers=headers)) == changed
    await org.client.delete(f"{WEBHOOKS}/{created['id']}", headers=org.headers)
    gone = await org.client.post(WEBHOOKS, json=body, headers=headers)
    assert refusal(gone) == "404 RESOURCE_NOT_FOUND"


async def test_a_kyc_link_is_returned_again_until_it_expires(org: Tenant) -> None:
    headers = {**org.headers, "Idempotency-Key": "order 1"}
    body = {"userType": "INDIVIDUAL", "rails": ["USD"]}
    path = "/v2/kyc-link"
    created = answer_of(await org.client.post(path, json=body, headers=headers))
    await org.container.orgs.advance_clock(org.org_id, timedelta(days=4), actor="test")
    assert answer_of(await org.client.post(path, json=body, headers=headers)) == created
    await org.container.orgs.advance_clock(org.org_id, timedelta(days=1), actor="test")
    offsets = {org.org_id: await org.container.orgs.clock_offset(org.org_id)}
    await org.container.kyc_links.sweep(offsets)
    assert refusal(await org.client.post(path, json=body, headers=headers)) == CONFLICT


async def test_bodies_are_compared_by_meaning(org: Tenant) -> None:
    headers = {**org.headers, "Idempotency-Key": "order 1"}
    first = answer_of(await org.client.post(WEBHOOKS, json={"url": URL}, headers=headers))
    same = {"unknown": 1, "description": None, "standardWebhooks": False, "url": URL}
    again = await org.client.post(WEBHOOKS, json=same, headers=headers)
    assert (answer_of(again), is_replay(again)) == (first, True)


async def test_keys_are_stored_without_the_request(org: Tenant) -> None:
    write = await KEYED_WRITES["kyc.addOwner"][1](org)
    answer_of(await write.send(org, "order 1"))
    rows = await org.container.database.rows(
        "select idempotency_keys::text as stored from idempotency_keys where org_id = $1",
        org.org_id,
    )
    assert len(rows) == 1
    assert all(str(each) not in rows[0]["stored"] for each in ("Ada", "order 1"))


@pytest.mark.parametrize("refused_first", [True, False])
async def test_a_key_stays_if_a_repeated_request_has_succeeded(
    org: Tenant, *, refused_first: bool
) -> None:
    keys = org.container.idempotency_keys
    user = UUID(await make_user(org))

    def reserved(amount: str) -> AbstractAsyncContextManager[IdempotencyKey | None]:
        factory: Any = RequestFactory()
        request = factory.post("/", headers={"Idempotency-Key": "order 1"}, route_handler=_fund)
        request.scope["user"] = org.caller
        request.scope["path_params"] = {"userId": str(user)}
        return keys.reserved(request, {"amount": amount}, user)

    first, repeated = reserved("1"), reserved("1")
    await first.__aenter__()
    key = await repeated.__aenter__()
    assert key is not None
    assert key.is_replay
    ends = [(first, UserFrozen()), (repeated, None)]
    for each, error in ends if refused_first else reversed(ends):
        assert not await each.__aexit__(error and type(error), error, None)
    with pytest.raises(ResourceConflict, match="already used"):
        async with reserved("2"):
            pass
