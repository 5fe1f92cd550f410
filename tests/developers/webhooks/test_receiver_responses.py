"""Receiver responses are stored encrypted, with the key of the user concerned."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.developers.events.model import EventKey
from landbridge.developers.webhooks import receiver_responses
from landbridge.developers.webhooks.model import ATTEMPTS_STORED, DeliveryStatus
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.ids import new_id
from tests.developers.webhooks.rows import SECOND, add, make_endpoint, row, tried
from tests.developers.webhooks.worker_steps import (
    PATIENCE_S,
    hook,
    receiving,
    running_dispatcher,
    until_rows,
)
from tests.onramps import make_onramp, make_payer
from tests.tenants import Tenant, individual, make_agreement, make_swap, make_user

USERS = "/v2/users"
DELIVERED = "DELIVERED"
DUMP = "select d::text as whole from webhook_deliveries d where org_id = $1"


async def _dump(org: Tenant) -> str:
    return "\n".join(each["whole"] for each in await org.container.database.rows(DUMP, org.org_id))


async def _answers(org: Tenant, endpoint_id: str) -> dict[str, str | None]:
    """Return the response to the last event of each type."""
    page = await org.get(f"/v2/webhooks/{endpoint_id}/deliveries", limit=100)
    return {each["eventType"]: each["lastAttempt"]["answer"] for each in page["deliveries"]}


async def test_an_echoed_response_is_erased_with_the_user(org: Tenant) -> None:
    name, types = f"Canary{uuid4().hex[:12]}", ["USER.CREATE", "TOS_LINK.UPDATE", "USER.UPDATE"]
    async with receiving() as receiver, running_dispatcher(org):
        receiver.response_body = lambda received: received.body.decode()
        created = await hook(org, receiver, *types)
        agreement = await make_agreement(org, redirectUrl="https://a.example/b")
        user = (await org.post(USERS, individual(agreement, lastName=name)))["id"]
        await org.post(f"{USERS}/{user}/freeze", {})
        await until_rows(org, created, [DELIVERED] * 3)
    dump = await _dump(org)
    assert name not in dump
    assert name.encode().hex() not in dump
    shown = await _answers(org, created)
    assert name in str(shown["USER.CREATE"])
    assert agreement in str(shown["TOS_LINK.UPDATE"])
    delivery = (await org.get(f"/v2/webhooks/{created}/deliveries"))["deliveries"][0]["id"]
    path = f"/v2/webhooks/{created}/deliveries/{delivery}"
    assert (await org.get(path))["attempts"][0]["answer"]
    assert (await org.send("DELETE", f"{USERS}/{user}/personal-data")).status_code == 200
    assert await _answers(org, created) == dict.fromkeys(types)
    assert (await org.get(path))["attempts"][0]["answer"] is None


async def test_responses_to_payment_events_belong_to_the_user(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver, "WALLET.SWAP.TRANSACTION.CREATE")
        user = await make_user(org, funds="10")
        await make_swap(org, user, status=SwapStatus.COMPLETED)
        await until_rows(org, created, [DELIVERED])
    assert list((await _answers(org, created)).values()) == ["ok"]
    rows = await org.container.database.rows(
        "select owner_id from webhook_deliveries where org_id = $1", org.org_id
    )
    assert [each["owner_id"] for each in rows] == [UUID(user)]


@pytest.mark.long
async def test_all_that_was_answered_is_kept_attempt_by_attempt(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        receiver.answers = lambda _: 500
        receiver.response_body = lambda _: f"no {len(receiver.received)}"
        created = await hook(org, receiver, "USER.CREATE")
        await make_user(org)
        for attempts in range(1, 4):
            await _until_attempts(org, created, attempts)
            await org.post("/v2/sandbox/clock/advance", {"seconds": 600})
    found = (await org.get(f"/v2/webhooks/{created}/deliveries"))["deliveries"][0]["id"]
    delivery = await org.get(f"/v2/webhooks/{created}/deliveries/{found}")
    first_answers = [each["answer"] for each in delivery["attempts"]][:3]
    assert first_answers == ["no 1", "no 2", "no 3"]
    assert delivery["lastAttempt"] == delivery["attempts"][-1]


async def _until_attempts(org: Tenant, endpoint_id: str, attempts: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            page = await org.get(f"/v2/webhooks/{endpoint_id}/deliveries")
            if page["deliveries"] and page["deliveries"][0]["attemptCount"] >= attempts:
                return
            await asyncio.sleep(0.05)


async def test_older_encrypted_responses_stay_aligned(org: Tenant) -> None:
    at = org.container.clock.now()
    created = await make_endpoint(org)
    attempts = tuple(
        tried(at + each * SECOND, status=500, answer=f"no {each}")
        for each in range(ATTEMPTS_STORED)
    )
    silent = (tried(at, answer=""), tried(at, status=None, answer=""))
    for answered in (attempts, silent):
        await add(
            org, created, [row(org, created, attempts=answered, status=DeliveryStatus.PENDING)]
        )
    page = (await org.get(f"/v2/webhooks/{created}/deliveries"))["deliveries"]
    shown: list[Any] = [each["lastAttempt"]["answer"] for each in page]
    assert sorted(shown) == ["", "no 29"]


async def test_no_response_is_stored_without_an_owner_key(org: Tenant) -> None:
    ownerless = row(org, str(new_id()), owner_id=None, key=EventKey(new_id(), 1, 0))
    (sealed,) = await org.container.database.transact(
        lambda tx: receiver_responses.seal(tx, org.container.vault, org.org_id, [ownerless])
    )
    assert (sealed.owner_id, sealed.sealed_responses) == (None, None)


async def test_requests_for_information_belong_to_the_payments_user(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = (await make_onramp(org, user, 100, destination={"userId": user}))["id"]
    await org.post(f"/v2/sandbox/transfers/{onramp}/rfi", {"action": "open"})
    (request_row,) = await org.container.database.rows(
        "select id from rfis where org_id = $1", org.org_id
    )
    about = row(org, str(new_id()), owner_id=None, key=EventKey(request_row["id"], 1, 0))
    (sealed,) = await org.container.database.transact(
        lambda tx: receiver_responses.seal(tx, org.container.vault, org.org_id, [about])
    )
    assert (str(sealed.owner_id), sealed.sealed_responses is not None) == (user, True)
