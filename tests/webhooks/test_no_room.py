"""What could not be sent for want of something of ours: no attempt, and sent soon."""

import asyncio
from datetime import timedelta

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.web import outbound as module
from landbridge.web.outbound import Outbound
from tests.tenants import Tenant

from .carrying import hook, posting, receiving, rows_of, until, until_rows
from .test_courier import CREATE, DELIVERED, PENDING, swaps


async def test_without_room_an_event_waits_untried_and_goes_soon(
    still_org: Tenant, still_clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PLACE_S", 0.2)
    org = still_org
    # One connection of them for each organisation.
    outbound = Outbound(allows_loopback=True, connections=2)
    async with receiving() as good, posting(org, outbound=outbound):
        async with receiving() as slow:
            slow.answers = lambda _: None
            await hook(org, slow, CREATE)
            await swaps(org)
            await until(lambda: bool(slow.came))
            made = await hook(org, good, CREATE)
            await swaps(org)
            await until_rows(org, made, [PENDING])
            (row,) = await rows_of(org, made)
            assert (row["attempt_count"], row["attempts"]) == (0, "[]")
            assert row["due_at"] == still_clock.at + timedelta(seconds=5)
        await asyncio.sleep(0.3)
        assert good.came == []
        still_clock.at += timedelta(seconds=6)
        await until_rows(org, made, [DELIVERED])
    assert [each.headers["landbridge-attempt"] for each in good.came] == ["1"]
