"""What receivers answer is kept sealed, with whoever it is about."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

from landbridge.core.ids import new_id
from landbridge.events.model import EventKey
from landbridge.flows.swaps.model import Status
from landbridge.webhooks import answers
from landbridge.webhooks.model import ATTEMPTS_KEPT, DeliveryStatus
from tests.onramps import make_onramp, make_payer
from tests.tenants import Tenant, individual, make_agreement, make_swap, make_user

from .carrying import PATIENCE_S, hook, posting, receiving, until_rows
from .rows import SECOND, add, make_endpoint, row, tried

USERS = "/v2/users"
DELIVERED = "DELIVERED"
DUMP = "select d::text as whole from webhook_deliveries d where org_id = $1"


async def _dump(org: Tenant) -> str:
    return "\n".join(each["whole"] for each in await org.house.database.rows(DUMP, org.org_id))


async def _answers(org: Tenant, endpoint_id: str) -> dict[str, str | None]:
    """What was answered to the last event of each type."""
    page = await org.get(f"/v2/webhooks/{endpoint_id}/deliveries", limit=100)
    return {each["eventType"]: each["lastAttempt"]["answer"] for each in page["deliveries"]}


async def test_an_echo_goes_with_the_person(org: Tenant) -> None:
    name, types = f"Canary{uuid4().hex[:12]}", ["USER.CREATE", "TOS_LINK.UPDATE", "USER.UPDATE"]
    async with receiving() as receiver, posting(org):
        receiver.says = lambda received: received.body.decode()
        made = await hook(org, receiver, *types)
        agreement = await make_agreement(org, redirectUrl="https://a.example/b")
        user = (await org.post(USERS, individual(agreement, lastName=name)))["id"]
        await org.post(f"{USERS}/{user}/freeze", {})
        await until_rows(org, made, [DELIVERED] * 3)
    token = next(each.event["data"]["sessionToken"] for each in receiver.came if "TOS" in each.type)
    dump = await _dump(org)
    for marker in (name, token):
        assert marker not in dump
        assert marker.encode().hex() not in dump
    shown = await _answers(org, made)
    assert name in str(shown["USER.CREATE"])
    assert token in str(shown["TOS_LINK.UPDATE"])
    delivery = (await org.get(f"/v2/webhooks/{made}/deliveries"))["deliveries"][0]["id"]
    path = f"/v2/webhooks/{made}/deliveries/{delivery}"
    assert (await org.get(path))["attempts"][0]["answer"]
    assert (await org.send("DELETE", f"{USERS}/{user}/personal-data")).status_code == 200
    assert await _answers(org, made) == dict.fromkeys(types)
    assert (await org.get(path))["attempts"][0]["answer"] is None


async def test_what_is_answered_to_a_payments_events_is_its_users(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver, "WALLET.SWAP.TRANSACTION.CREATE")
        user = await make_user(org, funds="10")
        await make_swap(org, user, status=Status.COMPLETED)
        await until_rows(org, made, [DELIVERED])
    assert list((await _answers(org, made)).values()) == ["as told"]
    rows = await org.house.database.rows(
        "select owner_id from webhook_deliveries where org_id = $1", org.org_id
    )
    assert [each["owner_id"] for each in rows] == [UUID(user)]


async def test_all_that_was_answered_is_kept_attempt_by_attempt(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        receiver.answers = lambda _: 500
        receiver.says = lambda _: f"no {len(receiver.came)}"
        made = await hook(org, receiver, "USER.CREATE")
        await make_user(org)
        for tries in range(1, 4):
            await _until_tries(org, made, tries)
            await org.post("/v2/sandbox/clock/advance", {"seconds": 600})
    found = (await org.get(f"/v2/webhooks/{made}/deliveries"))["deliveries"][0]["id"]
    told = await org.get(f"/v2/webhooks/{made}/deliveries/{found}")
    told_first = [each["answer"] for each in told["attempts"]][:3]
    assert told_first == ["no 1", "no 2", "no 3"]
    assert told["lastAttempt"] == told["attempts"][-1]


async def _until_tries(org: Tenant, endpoint_id: str, tries: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            page = await org.get(f"/v2/webhooks/{endpoint_id}/deliveries")
            if page["deliveries"] and page["deliveries"][0]["attemptCount"] >= tries:
                return
            await asyncio.sleep(0.05)


async def test_what_was_sealed_before_stays_aligned(org: Tenant) -> None:
    at = org.house.clock.now()
    made = await make_endpoint(org)
    attempts = tuple(
        tried(at + each * SECOND, status=500, answer=f"no {each}") for each in range(ATTEMPTS_KEPT)
    )
    silent = (tried(at, answer=""), tried(at, status=None, answer=""))
    for told in (attempts, silent):
        await add(org, made, [row(org, made, attempts=told, status=DeliveryStatus.PENDING)])
    page = (await org.get(f"/v2/webhooks/{made}/deliveries"))["deliveries"]
    shown: list[Any] = [each["lastAttempt"]["answer"] for each in page]
    assert sorted(shown) == ["", "no 29"]


async def test_nothing_is_kept_where_nobodys_key_is(org: Tenant) -> None:
    nobody = row(org, str(new_id()), owner_id=None, key=EventKey(new_id(), 1, 0))
    (sealed,) = await org.house.database.transact(
        lambda tx: answers.seal(tx, org.house.vault, org.org_id, [nobody])
    )
    assert (sealed.owner_id, sealed.sealed_answers) == (None, None)


async def test_what_is_asked_about_a_payment_is_its_users(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = (await make_onramp(org, user, 100, destination={"userId": user}))["id"]
    await org.post(f"/v2/sandbox/transfers/{onramp}/rfi", {"action": "open"})
    (asked,) = await org.house.database.rows("select id from rfis where org_id = $1", org.org_id)
    about = row(org, str(new_id()), owner_id=None, key=EventKey(asked["id"], 1, 0))
    (sealed,) = await org.house.database.transact(
        lambda tx: answers.seal(tx, org.house.vault, org.org_id, [about])
    )
    assert (str(sealed.owner_id), sealed.sealed_answers is not None) == (user, True)
