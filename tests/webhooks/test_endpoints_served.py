"""Endpoints as their receivers see them: tested, rotated, paused and resumed."""

from hashlib import sha256
from typing import Any

import jwt
from standardwebhooks import Webhook

from tests.tenants import Tenant, good, make_user

from .carrying import Received, posting, receiving, until
from .endpoints import WEBHOOKS, change_webhook, kid_of, make_webhook


async def test_a_test_event_comes_to_its_endpoint_only(org: Tenant) -> None:
    async with receiving() as receiver, receiving() as other, posting(org):
        made = await make_webhook(
            org, url=receiver.url, eventTypes=["KYC.*"], standardWebhooks=True
        )
        await make_webhook(org, url=other.url)
        sent = await org.post(f"{WEBHOOKS}/{made['id']}/test")
        await until(lambda: len(receiver.came) == 1)
        await make_user(org)
        await until(lambda: len(other.came) > 0)
    (came,) = receiver.came
    assert (came.id, came.type) == (sent["eventId"], "WEBHOOK.TEST")
    assert came.event["data"] == await org.get(f"{WEBHOOKS}/{made['id']}")
    claims = await verified(org, made["id"], came)
    assert claims["eventId"] == claims["jti"] == came.id
    assert claims["bodySha256"] == sha256(came.body).hexdigest()
    Webhook(made["secret"]).verify(came.body, came.headers)
    assert "WEBHOOK.TEST" not in [each.type for each in other.came]


async def test_the_next_key_signs_when_its_time_has_come(org: Tenant) -> None:
    async with receiving() as receiver:
        made = await make_webhook(org, url=receiver.url)
        path = f"{WEBHOOKS}/{made['id']}"
        async with posting(org):
            await org.post(f"{path}/test")
            await until(lambda: len(receiver.came) == 1)
        rotated = await org.post(f"{path}/rotate", {"overlapSeconds": 600})
        async with posting(org):
            await org.post(f"{path}/test")
            await until(lambda: len(receiver.came) == 2)
        await org.post("/v2/sandbox/clock/advance", {"seconds": 600})
        async with posting(org):
            await org.post(f"{path}/test")
            await until(lambda: len(receiver.came) == 3)
        at_once = await org.post(f"{path}/rotate", {"overlapSeconds": 0})
        async with posting(org):
            await org.post(f"{path}/test")
            await until(lambda: len(receiver.came) == 4)
    old, new = (each["kid"] for each in rotated["publicKeys"])
    newest = at_once["publicKeys"][-1]["kid"]
    assert [kid_of(_token(each)) for each in receiver.came] == [old, old, new, newest]
    for each in receiver.came:
        await verified(org, made["id"], each)


async def test_what_happens_meanwhile_waits_for_a_paused_endpoint(org: Tenant) -> None:
    async with receiving() as receiver:
        made = await make_webhook(org, url=receiver.url, eventTypes=["USER.CREATE"])
        await change_webhook(org, made["id"], status="PAUSED")
        missed = await make_user(org)
        await change_webhook(org, made["id"], status="ACTIVE")
        later = await make_user(org)
        async with posting(org):
            await until(lambda: len(receiver.came) == 2)
    assert [each.object_id for each in receiver.came] == [missed, later]


async def test_what_was_missed_can_be_skipped(org: Tenant) -> None:
    async with receiving() as receiver:
        made = await make_webhook(org, url=receiver.url, eventTypes=["USER.CREATE"])
        async with posting(org):
            before = await make_user(org)
            await until(lambda: len(receiver.came) == 1)
        await change_webhook(org, made["id"], status="PAUSED")
        await make_user(org)
        await change_webhook(org, made["id"], status="ACTIVE", skipMissed=True)
        async with posting(org):
            later = await make_user(org)
            await until(lambda: len(receiver.came) == 2)
    assert [each.object_id for each in receiver.came] == [before, later]


async def test_a_changed_address_and_other_types_hold_from_then_on(org: Tenant) -> None:
    async with receiving() as receiver, receiving() as other:
        made = await make_webhook(org, url=receiver.url, eventTypes=["USER.CREATE"])
        async with posting(org):
            first = await make_user(org)
            await until(lambda: len(receiver.came) == 1)
        await change_webhook(org, made["id"], url=other.url)
        second = await make_user(org)
        async with posting(org):
            await until(lambda: len(other.came) == 1)
        await change_webhook(org, made["id"], eventTypes=["TOS_LINK.*"])
        await make_user(org)
        async with posting(org):
            await until(lambda: len(other.came) == 2)
    assert [each.object_id for each in receiver.came] == [first]
    assert other.came[0].object_id == second
    assert [each.type for each in other.came] == ["USER.CREATE", "TOS_LINK.UPDATE"]


async def test_a_deleted_endpoint_is_told_of_nothing_more(org: Tenant) -> None:
    async with receiving() as receiver, receiving() as other:
        made = await make_webhook(org, url=receiver.url)
        await make_webhook(org, url=other.url)
        await make_user(org)
        good(await org.send("DELETE", f"{WEBHOOKS}/{made['id']}"))
        async with posting(org):
            await until(lambda: len(other.came) > 0)
    assert receiver.came == []


async def verified(org: Tenant, webhook: str, came: Received) -> dict[str, Any]:
    """The claims of a delivery, verified by the keys at the endpoint's address."""
    answer = await org.client.get(f"{WEBHOOKS}/{webhook}/jwks.json")
    found = jwt.PyJWKSet.from_dict(good(answer))
    token = _token(came)
    return jwt.decode(token, found[kid_of(token)], algorithms=["RS256"], audience=webhook)


def _token(came: Received) -> str:
    return came.headers["authorization"].removeprefix("Bearer ")
