"""Endpoints under races, and with commits that nobody heard of."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.changes.service import history
from landbridge.core.clock import Clock
from landbridge.orgs.service import take_lane
from landbridge.webhooks.model import Status
from landbridge.webhooks.service import Endpoints
from landbridge.webhooks.shapes import NewWebhook, WebhookChange
from landbridge.wiring import wire
from tests.db.test_lost_commits import Forgetful
from tests.tenants import SETTINGS, Tenant
from tests.webhooks.endpoints import URL, WEBHOOKS, make_webhook

HOUR = timedelta(hours=1)


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[Endpoints]:
    """The endpoints of a house that does everything twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    yield wire(SETTINGS, database, Clock(await take_lane(org.house.database))).endpoints
    await database.close()


async def test_what_is_done_twice_is_done_once(doubtful: Endpoints, org: Tenant) -> None:
    made = await doubtful.create(org.caller, NewWebhook(url=URL, standard_webhooks=True))
    webhook = made.endpoint.id
    assert made.secret is not None
    assert len(await doubtful.page(org.org_id)) == 1

    rotated = await doubtful.rotate(org.caller, webhook, overlap=HOUR)
    assert rotated.secret not in {None, made.secret}
    assert len(rotated.keys.keys) == 2
    off = await doubtful.update(org.caller, webhook, WebhookChange(standard_webhooks=False))
    assert off.secret is None
    on = await doubtful.update(org.caller, webhook, WebhookChange(standard_webhooks=True))
    assert on.secret not in {None, made.secret, rotated.secret}
    paused = await doubtful.update(org.caller, webhook, WebhookChange(status=Status.PAUSED))
    assert paused.endpoint.status is Status.PAUSED
    resumption = WebhookChange(status=Status.ACTIVE, skip_missed=True)
    resumed = await doubtful.update(org.caller, webhook, resumption)
    assert resumed.endpoint.version == 6
    await doubtful.delete(org.caller, webhook)
    assert await told(org, webhook) == [
        *(("create", 1), ("rotate", 2), ("update", 3), ("update", 4), ("pause", 5)),
        *(("resume", 6), ("delete", 7)),
    ]


async def test_whatever_comes_at_once_is_told_in_an_order(org: Tenant) -> None:
    made = await make_webhook(org, standardWebhooks=True)
    path = f"{WEBHOOKS}/{made['id']}"
    answers = await asyncio.gather(
        *(org.send("POST", f"{path}/rotate", {"overlapSeconds": 60}) for _ in range(3)),
        *(org.send("POST", f"{path}/test") for _ in range(3)),
        *(org.send("PATCH", path, {"description": name}) for name in ("one", "two", "three")),
    )
    assert {each.status_code for each in answers} == {200}
    numbers = [number for _, number in await told(org, UUID(made["id"]))]
    assert numbers == list(range(1, 11))
    # The one that signs, and the last that was made to follow it.
    assert len((await org.get(path))["publicKeys"]) == 2


@pytest.mark.one_commit(reason="one whose first attempt was undone answers 200 as well")
async def test_one_that_is_deleted_at_once_by_two_is_deleted_once(org: Tenant) -> None:
    made = await make_webhook(org)
    path = f"{WEBHOOKS}/{made['id']}"
    answers = await asyncio.gather(
        org.send("DELETE", path), org.send("DELETE", path), org.send("POST", f"{path}/rotate")
    )
    assert sorted(each.status_code for each in answers[:2]) == [200, 404]
    kept = "select id from webhook_keys where org_id = $1"
    assert await org.house.database.rows(kept, org.org_id) == []


async def told(org: Tenant, webhook: UUID) -> list[tuple[str, int]]:
    """What was told of an endpoint, and under which number."""
    found = await org.house.database.single(lambda tx: history(tx, org.org_id, [webhook]))
    return [(each.what, each.seq) for each in found[webhook]]
