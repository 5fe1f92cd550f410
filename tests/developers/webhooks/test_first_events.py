"""First event of an endpoint, and changes that start no delivery."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.developers.events.model import Event
from landbridge.developers.webhooks import keys
from landbridge.developers.webhooks.delivery.serialization import is_for
from landbridge.developers.webhooks.model import ENDPOINTS_MAX, KEYS_MAX, Endpoint
from landbridge.platform.core.ids import new_id
from tests.change_log import placed
from tests.developers.webhooks.endpoints import URL, WEBHOOKS, make_webhook
from tests.tenants import Tenant, make_user


async def _read(org: Tenant, endpoint: Endpoint) -> list[Event]:
    await placed(org.container.database)
    reading = await org.container.events.read(org.org_id, endpoint.read_to, limit=100)
    return list(reading.events)


async def test_events_of_a_slow_clock_are_not_lost(org: Tenant) -> None:
    created = await make_webhook(org, eventTypes=["USER.CREATE"])
    endpoint = await org.container.endpoints.get(org.org_id, UUID(created["id"]))
    await make_user(org)
    (event,) = [each for each in await _read(org, endpoint) if each.type == "USER.CREATE"]
    behind = endpoint.created_at - timedelta(milliseconds=50)
    assert is_for(endpoint, replace(event, change=replace(event.change, occurred_at=behind)))


async def test_events_from_before_the_endpoint_are_not_read(org: Tenant) -> None:
    await make_user(org)
    await placed(org.container.database)
    created = await make_webhook(org, eventTypes=["USER.CREATE"])
    endpoint = await org.container.endpoints.get(org.org_id, UUID(created["id"]))
    assert await _read(org, endpoint) == []


async def test_no_key_is_generated_for_a_refused_request(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = [await make_webhook(org) for _ in range(ENDPOINTS_MAX)]
    rotate = f"{WEBHOOKS}/{created[0]['id']}/rotate"
    for _ in range(KEYS_MAX - 1):
        await org.post(rotate, {"overlapSeconds": 0})
    count = 0

    def new_pair() -> None:
        nonlocal count
        count += 1

    monkeypatch.setattr(keys, "new_pair", new_pair)
    assert await org.refused("POST", WEBHOOKS, {"url": URL}) == "409 RESOURCE_CONFLICT"
    assert await org.refused("POST", rotate, {"overlapSeconds": 0}) == "409 RESOURCE_CONFLICT"
    unknown = f"{WEBHOOKS}/{new_id()}/rotate"
    assert await org.refused("POST", unknown, {}) == "404 RESOURCE_NOT_FOUND"
    assert count == 0
