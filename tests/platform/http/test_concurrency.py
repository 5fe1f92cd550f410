"""Requests of one organisation wait for each other, and delay no other organisation."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx2
import pytest

from landbridge.customers.onboarding.model import KycLink
from landbridge.customers.onboarding.service import KycLinks
from landbridge.payments.transactions.search import SearchResult, TransactionSearch
from landbridge.platform.http import concurrency
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.http.concurrency import COSTLY_EACH, KEYLESS_EACH, LARGE_BYTES
from landbridge.reporting.metrics import metric_api
from tests.developers.webhooks.endpoints import WEBHOOKS, make_webhook
from tests.platform.http.member_clients import member_client
from tests.tenants import (
    BATCHES,
    SWAPS,
    TRANSFERS,
    Tenant,
    batch_body,
    good,
    make_user,
    refusal,
    transfer_body,
)
from tests.waiting import holding, waiting

PREVIEW = "/v2/reporting/metrics/preview"
REPORT = {
    "template": "NEW_USERS",
    "params": {
        "createdAfter": "2026-01-01",
        "createdBefore": "2026-01-03",
        "calculationInterval": "day",
    },
}


@dataclass
class Slow:
    """Search that blocks until released; records the organisations of running calls."""

    at_work: Counter[UUID] = field(default_factory=Counter[UUID])
    done: Counter[UUID] = field(default_factory=Counter[UUID])
    may_end: asyncio.Event = field(default_factory=asyncio.Event)

    async def find(self, org_id: UUID, _: str) -> Sequence[SearchResult]:
        self.at_work[org_id] += 1
        try:
            await self.may_end.wait()
        finally:
            self.at_work[org_id] -= 1
        self.done[org_id] += 1
        return []

    async def until(self, org_id: UUID, count: int) -> None:
        async with asyncio.timeout(30):
            while self.at_work[org_id] != count:  # noqa: ASYNC110  it comes by itself
                await asyncio.sleep(0)


@pytest.fixture
def slow(org: Tenant, monkeypatch: pytest.MonkeyPatch) -> Slow:
    created = Slow()

    async def find(_: TransactionSearch, org_id: UUID, text: str) -> Sequence[SearchResult]:
        return await created.find(org_id, text)

    monkeypatch.setattr(TransactionSearch, "find", find)
    return created


def search(org: Tenant) -> "asyncio.Task[httpx2.Response]":
    return asyncio.create_task(org.send("GET", "/v2/search", q="a"))


@asynccontextmanager
async def crowd(org: Tenant, slow: Slow, count: int) -> AsyncGenerator[list[asyncio.Task[Any]]]:
    """Start this many searches of one organisation; the maximum of them run."""
    tasks = [search(org) for _ in range(count)]
    await has_settled(org, slow)
    yield tasks
    slow.may_end.set()
    await asyncio.gather(*tasks, return_exceptions=True)


async def has_settled(org: Tenant, slow: Slow) -> None:
    """Return whether the maximum runs, and all others are queued."""
    await slow.until(org.org_id, COSTLY_EACH)
    for _ in range(1_000):
        await asyncio.sleep(0)
    assert slow.at_work[org.org_id] == COSTLY_EACH


async def test_costly_requests_of_an_organisation_are_bounded(
    org: Tenant, other_org: Tenant, slow: Slow
) -> None:
    async with crowd(org, slow, 10) as tasks:
        other = search(other_org)
        await slow.until(other_org.org_id, 1)
        # Cheap requests do not wait for it, not even the organisation's own.
        assert await org.get("/v2/ping") == {"message": "pong"}
    assert good(await other)["count"] == 0
    assert {good(await each)["count"] for each in tasks} == {0}
    assert slow.done[org.org_id] == 10


@pytest.mark.parametrize(
    "path",
    [
        SWAPS,
        "/v2/transactions",
        "/v2/transactions/summary",
        "/v2/reviews/kyc",
        "/v2/audit-log",
        "/v2/request-log",
        "/v2/stuck",
        "/v2/transfer-approvals",
        "/v2/reporting/metrics",
        "/v2/reporting/params/userIds/options",
        "/v2/reconciliation/differences",
        f"/v2/webhooks/{UUID(int=0)}/deliveries",
        "/v2/proofs/checkpoint",
        f"/v2/proofs/transfers/{UUID(int=0)}",
        f"/v2/proofs/reserves/{UUID(int=0)}",
    ],
)
async def test_lists_and_proofs_are_costly(org: Tenant, slow: Slow, path: str) -> None:
    """Sixteen at once delayed all other organisations by a second."""
    async with crowd(org, slow, COSTLY_EACH):
        sent = asyncio.create_task(org.send("GET", path))
        await asyncio.wait([sent], timeout=0.3)
        assert not sent.done()
        assert await org.get("/v2/ping") == {"message": "pong"}
    assert (await sent).status_code in {200, 404}


async def test_batches_are_costly(org: Tenant, slow: Slow) -> None:
    """With 64 at once, of fifty addresses each, a list of another organisation took 5 s."""
    ada, bob = await make_user(org, funds="1"), await make_user(org)
    body = batch_body(ada, {"userId": bob, "amount": "1"})
    async with crowd(org, slow, COSTLY_EACH):
        sent = asyncio.create_task(org.send("POST", BATCHES, body))
        await asyncio.wait([sent], timeout=0.3)
        assert not sent.done()
        assert await org.get("/v2/ping") == {"message": "pong"}
    assert good(await sent)["transferDetails"]["status"] == "CREATED"


async def test_transactions_of_an_organisation_leave_connections_to_others(
    org: Tenant, other_org: Tenant
) -> None:
    """Eighty changes of one record at once delayed all other organisations by a second."""
    database = org.container.database
    endpoint, other = (await make_webhook(org))["id"], (await make_webhook(other_org))["id"]
    lock = "select from webhook_endpoints where org_id = $1 and id = $2 for update"
    async with holding(database, lock, org.org_id, UUID(endpoint)), asyncio.timeout(20):
        changes = [
            asyncio.create_task(org.send("PATCH", f"{WEBHOOKS}/{endpoint}", {"description": text}))
            for text in "abcdefghijklmnop"
        ]
        await waiting(database, 4)
        good(await other_org.send("PATCH", f"{WEBHOOKS}/{other}", {"description": "other"}))
        # Reads need no transaction.
        good(await org.send("GET", f"{WEBHOOKS}/{endpoint}"))
    assert {(await each).status_code for each in changes} == {200}


async def test_hosted_pages_of_an_address_are_bounded(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger who loads one on 200 connections delayed all others by two seconds."""
    blocked, read = Slow(), KycLinks.find

    async def find(links: KycLinks, token: str) -> KycLink | None:
        await blocked.find(org.org_id, token)
        return await read(links, token)

    monkeypatch.setattr(KycLinks, "find", find)
    url = (await org.post("/v2/kyc-link", {"userType": "INDIVIDUAL"}))["kycLinkUrl"]
    path, _, token = url.partition("?session=")
    loads = [asyncio.create_task(org.client.get(url)) for _ in range(10)]
    loads += [
        asyncio.create_task(org.client.post(f"{path}/terms", data={"session": token}))
        for _ in range(10)
    ]
    await blocked.until(org.org_id, KEYLESS_EACH)
    for _ in range(1_000):
        await asyncio.sleep(0)
    assert blocked.at_work[org.org_id] == KEYLESS_EACH
    # Neither does a file, or the page of a provider, wait for them.
    others = [org.client.post(f"{path}/verification", data={"session": token})]
    others += [org.client.post(f"{path}/documents?session={token}")]
    tasks = [asyncio.create_task(each) for each in others]
    await blocked.until(org.org_id, KEYLESS_EACH + len(tasks))
    assert await org.get("/v2/ping") == {"message": "pong"}
    blocked.may_end.set()
    assert {(await each).status_code for each in loads} == {200, 303}
    assert all([(await each).status_code < 500 for each in tasks])


async def test_queued_request_of_a_disconnected_client_is_not_served(
    org: Tenant, slow: Slow
) -> None:
    async with crowd(org, slow, 10) as tasks:
        for each in tasks[COSTLY_EACH:]:
            each.cancel()
    assert slow.done[org.org_id] == COSTLY_EACH
    # Every slot was released.
    assert [good(await search(org))["count"] for _ in range(2 * COSTLY_EACH)] == [0] * 4


async def test_refused_request_holds_no_slot(org: Tenant) -> None:
    for _ in range(2 * COSTLY_EACH):
        assert await org.refused("GET", "/v2/search") == "400 FIELD_VALIDATION_ERROR"
        assert await org.refused("POST", TRANSFERS, "{") == "400 FIELD_VALIDATION_ERROR"
    for _ in range(2 * concurrency.READS_EACH):
        assert (await org.get(SWAPS))["count"] == 0


async def test_pages_are_scheduled_fairly_too(org: Tenant, slow: Slow) -> None:
    interface = member_client(org, MemberRole.ANALYST)
    tasks = [asyncio.create_task(interface.get("/v2/search", q="a")) for _ in range(10)]
    await has_settled(org, slow)
    slow.may_end.set()
    assert [each["count"] for each in await asyncio.gather(*tasks)] == [0] * 10


async def test_large_bodies_are_checked_outside_the_event_loop(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked_by: list[threading.Thread] = []
    check = concurrency.check_json

    def noted(raw: bytes) -> Any:
        checked_by.append(threading.current_thread())
        return check(raw)

    monkeypatch.setattr(concurrency, "check_json", noted)
    payer, payee = await make_user(org, funds="10"), await make_user(org)
    small = transfer_body(payer, payee, 1)
    large: dict[str, Any] = transfer_body(payer, payee, 2) | {"unknown": [0] * LARGE_BYTES}
    assert good(await org.send("POST", TRANSFERS, small))["transferDetails"]["amount"] == 1
    assert not checked_by
    assert good(await org.send("POST", TRANSFERS, large))["transferDetails"]["amount"] == 2
    (thread,) = checked_by
    assert thread is not threading.main_thread()
    # Another spelling of its id is the same organisation.
    request_id = str(large.pop("requestId"))
    again = await org.client.post(
        TRANSFERS, json=large, headers={**org.headers, "Idempotency-Key": request_id}
    )
    assert again.headers["idempotent-replayed"] == "true"


@pytest.mark.parametrize("end", ['"a": 1, "a": 2}', '"a": NaN}', '"a": "\\u0000"}', "", '"a": 1'])
async def test_large_bodies_are_refused_like_small_ones(org: Tenant, end: str) -> None:
    for padding in ("", "x" * LARGE_BYTES):
        answer = await org.send("POST", TRANSFERS, f'{{"unknown": "{padding}", {end}')
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"


async def test_results_are_encoded_outside_the_event_loop(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    written_by: list[threading.Thread] = []
    write = metric_api.result_reply

    def noted(*args: Any) -> Any:
        written_by.append(threading.current_thread())
        return write(*args)

    monkeypatch.setattr(metric_api, "result_reply", noted)
    assert len((await org.post(PREVIEW, REPORT))["data"]) == 2
    assert threading.main_thread() not in written_by
    assert len(written_by) == 1
