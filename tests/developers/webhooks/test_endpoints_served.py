"""Endpoints as their receivers see them: tested, rotated, paused and resumed."""

from hashlib import sha256
from typing import Any

import jwt
from standardwebhooks import Webhook

from tests.change_log import placed
from tests.developers.webhooks.endpoints import WEBHOOKS, change_webhook, kid_of, make_webhook
from tests.developers.webhooks.worker_steps import (
    Received,
    receiving,
    running_dispatcher,
    until,
)
from tests.tenants import Tenant, good, make_user


async def test_a_test_event_comes_to_its_endpoint_only(org: Tenant) -> None:
    async with receiving() as receiver, receiving() as other, running_dispatcher(org):
        created = await make_webhook(
            org, url=receiver.url, eventTypes=["KYC.*"], standardWebhooks=True
        )
        await make_webhook(org, url=other.url)
        sent = await org.post(f"{WEBHOOKS}/{created['id']}/test")
        await until(lambda: len(receiver.received) == 1)
        await make_user(org)
        await until(lambda: len(other.received) > 0)
    (received,) = receiver.received
    assert (received.id, received.type) == (sent["eventId"], "WEBHOOK.TEST")
    assert received.event["data"] == await org.get(f"{WEBHOOKS}/{created['id']}")
    claims = await verified(org, created["id"], received)
    assert claims["eventId"] == claims["jti"] == received.id
    assert claims["bodySha256"] == sha256(received.body).hexdigest()
    Webhook(created["secret"]).verify(received.body, received.headers)
    assert "WEBHOOK.TEST" not in [each.type for each in other.received]


async def test_the_next_key_signs_when_its_time_has_come(org: Tenant) -> None:
    async with receiving() as receiver:
        created = await make_webhook(org, url=receiver.url)
        path = f"{WEBHOOKS}/{created['id']}"
        async with running_dispatcher(org):
            await org.post(f"{path}/test")
            await until(lambda: len(receiver.received) == 1)
        rotated = await org.post(f"{path}/rotate", {"overlapSeconds": 600})
        async with running_dispatcher(org):
            await org.post(f"{path}/test")
            await until(lambda: len(receiver.received) == 2)
        await org.post("/v2/sandbox/clock/advance", {"seconds": 600})
        async with running_dispatcher(org):
            await org.post(f"{path}/test")
            await until(lambda: len(receiver.received) == 3)
        at_once = await org.post(f"{path}/rotate", {"overlapSeconds": 0})
        async with running_dispatcher(org):
            await org.post(f"{path}/test")
            await until(lambda: len(receiver.received) == 4)
    old, new = (each["kid"] for each in rotated["publicKeys"])
    newest = at_once["publicKeys"][-1]["kid"]
    assert [kid_of(_token(each)) for each in receiver.received] == [old, old, new, newest]
    for each in receiver.received:
        await verified(org, created["id"], each)


async def test_events_wait_for_a_paused_endpoint(org: Tenant) -> None:
    async with receiving() as receiver:
        created = await make_webhook(org, url=receiver.url, eventTypes=["USER.CREATE"])
        await change_webhook(org, created["id"], status="PAUSED")
        missed = await make_user(org)
        await change_webhook(org, created["id"], status="ACTIVE")
        later = await make_user(org)
        async with running_dispatcher(org):
            await until(lambda: len(receiver.received) == 2)
    assert [each.object_id for each in receiver.received] == [missed, later]


async def test_missed_events_can_be_skipped(org: Tenant) -> None:
    async with receiving() as receiver:
        created = await make_webhook(org, url=receiver.url, eventTypes=["USER.CREATE"])
        async with running_dispatcher(org):
            before = await make_user(org)
            await until(lambda: len(receiver.received) == 1)
        await change_webhook(org, created["id"], status="PAUSED")
        await make_user(org)
        await placed(org.container.database)
        await change_webhook(org, created["id"], status="ACTIVE", skipMissed=True)
        async with running_dispatcher(org):
            later = await make_user(org)
            await until(lambda: len(receiver.received) == 2)
    assert [each.object_id for each in receiver.received] == [before, later]


async def test_a_changed_address_and_other_types_hold_from_then_on(org: Tenant) -> None:
    async with receiving() as receiver, receiving() as other:
        created = await make_webhook(org, url=receiver.url, eventTypes=["USER.CREATE"])
        async with running_dispatcher(org):
            first = await make_user(org)
            await until(lambda: len(receiver.received) == 1)
        await change_webhook(org, created["id"], url=other.url)
        second = await make_user(org)
        async with running_dispatcher(org):
            await until(lambda: len(other.received) == 1)
        await change_webhook(org, created["id"], eventTypes=["TOS_LINK.*"])
        await make_user(org)
        async with running_dispatcher(org):
            await until(lambda: len(other.received) == 2)
    assert [each.object_id for each in receiver.received] == [first]
    assert other.received[0].object_id == second
    assert [each.type for each in other.received] == ["USER.CREATE", "TOS_LINK.UPDATE"]


async def test_a_deleted_endpoint_receives_no_more_events(org: Tenant) -> None:
    async with receiving() as receiver, receiving() as other:
        created = await make_webhook(org, url=receiver.url)
        await make_webhook(org, url=other.url)
        await make_user(org)
        good(await org.send("DELETE", f"{WEBHOOKS}/{created['id']}"))
        async with running_dispatcher(org):
            await until(lambda: len(other.received) > 0)
    assert receiver.received == []


async def verified(org: Tenant, webhook: str, received: Received) -> dict[str, Any]:
    """Return the claims of a delivery, verified by the keys at the endpoint's address."""
    answer = await org.client.get(f"{WEBHOOKS}/{webhook}/jwks.json")
    found = jwt.PyJWKSet.from_dict(good(answer))
    token = _token(received)
    return jwt.decode(token, found[kid_of(token)], algorithms=["RS256"], audience=webhook)


def _token(received: Received) -> str:
    return received.headers["authorization"].removeprefix("Bearer ")
