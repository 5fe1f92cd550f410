"""Where an endpoint begins, and what is not begun at all."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.core.ids import new_id
from landbridge.events.model import Event
from landbridge.webhooks import service
from landbridge.webhooks.delivering.packing import is_for
from landbridge.webhooks.model import ENDPOINTS_MAX, KEYS_MAX, Endpoint
from tests.settled import settled
from tests.tenants import Tenant, make_user

from .endpoints import URL, WEBHOOKS, make_webhook


async def _read(org: Tenant, endpoint: Endpoint) -> list[Event]:
    await settled(org.house.database)
    reading = await org.house.events.read(org.org_id, endpoint.read_to, limit=100)
    return list(reading.events)


async def test_what_happens_by_a_clock_that_is_behind_is_not_lost(org: Tenant) -> None:
    made = await make_webhook(org, eventTypes=["USER.CREATE"])
    endpoint = await org.house.endpoints.get(org.org_id, UUID(made["id"]))
    await make_user(org)
    (event,) = [each for each in await _read(org, endpoint) if each.type == "USER.CREATE"]
    behind = endpoint.created_at - timedelta(milliseconds=50)
    assert is_for(endpoint, replace(event, change=replace(event.change, at=behind)))


async def test_what_happened_right_before_is_not_read(org: Tenant) -> None:
    await make_user(org)
    await settled(org.house.database)
    made = await make_webhook(org, eventTypes=["USER.CREATE"])
    endpoint = await org.house.endpoints.get(org.org_id, UUID(made["id"]))
    assert await _read(org, endpoint) == []


async def test_no_key_is_made_for_who_is_refused(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [await make_webhook(org) for _ in range(ENDPOINTS_MAX)]
    rotate = f"{WEBHOOKS}/{made[0]['id']}/rotate"
    for _ in range(KEYS_MAX - 1):
        await org.post(rotate, {"overlapSeconds": 0})
    count = 0

    def new_pair() -> None:
        nonlocal count
        count += 1

    monkeypatch.setattr(service, "new_pair", new_pair)
    assert await org.refused("POST", WEBHOOKS, {"url": URL}) == "409 RESOURCE_CONFLICT"
    assert await org.refused("POST", rotate, {"overlapSeconds": 0}) == "409 RESOURCE_CONFLICT"
    unknown = f"{WEBHOOKS}/{new_id()}/rotate"
    assert await org.refused("POST", unknown, {}) == "404 RESOURCE_NOT_FOUND"
    assert count == 0
