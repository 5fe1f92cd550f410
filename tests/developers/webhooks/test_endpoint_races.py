"""Endpoints under races, and with lost commit answers."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.app.container import wire
from landbridge.developers.webhooks.model import WebhookStatus
from landbridge.developers.webhooks.schemas import NewWebhook, WebhookChange
from landbridge.developers.webhooks.service import Endpoints
from landbridge.platform.changes.service import history
from landbridge.platform.core.clock import Clock
from landbridge.platform.orgs.clock_nodes import take_node
from tests.developers.webhooks.endpoints import URL, WEBHOOKS, make_webhook
from tests.platform.db.test_lost_commits import Forgetful
from tests.tenants import SETTINGS, Tenant

HOUR = timedelta(hours=1)


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[Endpoints]:
    """Endpoint service on a database that runs every transaction twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    yield wire(SETTINGS, database, Clock(await take_node(org.container.database))).endpoints
    await database.close()


async def test_repeated_transactions_have_one_effect(doubtful: Endpoints, org: Tenant) -> None:
    created = await doubtful.create(org.caller, NewWebhook(url=URL, standard_webhooks=True))
    webhook = created.endpoint.id
    assert created.secret is not None
    assert len(await doubtful.page(org.org_id)) == 1

    rotated = await doubtful.rotate(org.caller, webhook, overlap=HOUR)
    assert rotated.secret not in {None, created.secret}
    assert len(rotated.keys.keys) == 2
    off = await doubtful.update(org.caller, webhook, WebhookChange(standard_webhooks=False))
    assert off.secret is None
    on = await doubtful.update(org.caller, webhook, WebhookChange(standard_webhooks=True))
    assert on.secret not in {None, created.secret, rotated.secret}
    paused = await doubtful.update(org.caller, webhook, WebhookChange(status=WebhookStatus.PAUSED))
    assert paused.endpoint.status is WebhookStatus.PAUSED
    resumption = WebhookChange(status=WebhookStatus.ACTIVE, skip_missed=True)
    resumed = await doubtful.update(org.caller, webhook, resumption)
    assert resumed.endpoint.version == 6
    await doubtful.delete(org.caller, webhook)
    assert await list_changes(org, webhook) == [
        *(("create", 1), ("rotate", 2), ("update", 3), ("update", 4), ("pause", 5)),
        *(("resume", 6), ("delete", 7)),
    ]


async def test_concurrent_changes_are_logged_in_order(org: Tenant) -> None:
    created = await make_webhook(org, standardWebhooks=True)
    path = f"{WEBHOOKS}/{created['id']}"
    answers = await asyncio.gather(
        *(org.send("POST", f"{path}/rotate", {"overlapSeconds": 60}) for _ in range(3)),
        *(org.send("POST", f"{path}/test") for _ in range(3)),
        *(org.send("PATCH", path, {"description": name}) for name in ("one", "two", "three")),
    )
    assert {each.status_code for each in answers} == {200}
    numbers = [number for _, number in await list_changes(org, UUID(created["id"]))]
    assert numbers == list(range(1, 11))
    # The endpoint shows its signing key, and of its successors only the latest.
    assert len((await org.get(path))["publicKeys"]) == 2


@pytest.mark.one_commit(reason="one whose first attempt was undone answers 200 as well")
async def test_one_that_is_deleted_at_once_by_two_is_deleted_once(org: Tenant) -> None:
    created = await make_webhook(org)
    path = f"{WEBHOOKS}/{created['id']}"
    answers = await asyncio.gather(
        org.send("DELETE", path), org.send("DELETE", path), org.send("POST", f"{path}/rotate")
    )
    assert sorted(each.status_code for each in answers[:2]) == [200, 404]
    key_ids = "select id from webhook_keys where org_id = $1"
    assert await org.container.database.rows(key_ids, org.org_id) == []


async def list_changes(org: Tenant, webhook: UUID) -> list[tuple[str, int]]:
    """Return the recorded changes of an endpoint with their numbers."""
    found = await org.container.database.single(lambda tx: history(tx, org.org_id, [webhook]))
    return [(each.change_type, each.seq) for each in found[webhook]]
