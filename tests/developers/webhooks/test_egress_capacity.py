"""Sends that failed for lack of our own resources: no attempt, and sent again soon."""

import asyncio
from datetime import timedelta

import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.http import egress as module
from landbridge.platform.http.egress import Egress
from tests.developers.webhooks.test_endpoint_worker import CREATE, DELIVERED, PENDING, swaps
from tests.developers.webhooks.worker_steps import (
    hook,
    receiving,
    rows_of,
    running_dispatcher,
    until,
    until_rows,
)
from tests.tenants import Tenant


async def test_without_capacity_an_event_waits_without_an_attempt(
    still_org: Tenant, still_clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SLOT_WAIT_S", 0.2)
    org = still_org
    # One connection per organisation.
    egress = Egress(allows_loopback=True, connections=2)
    async with receiving() as good, running_dispatcher(org, egress=egress):
        async with receiving() as slow:
            slow.answers = lambda _: None
            await hook(org, slow, CREATE)
            await swaps(org)
            await until(lambda: bool(slow.received))
            created = await hook(org, good, CREATE)
            await swaps(org)
            await until_rows(org, created, [PENDING])
            (row,) = await rows_of(org, created)
            assert (row["attempt_count"], row["attempts"]) == (0, "[]")
            assert row["due_at"] == still_clock.at + timedelta(seconds=5)
        await asyncio.sleep(0.3)
        assert good.received == []
        still_clock.at += timedelta(seconds=6)
        await until_rows(org, created, [DELIVERED])
    assert [each.headers["landbridge-attempt"] for each in good.received] == ["1"]
