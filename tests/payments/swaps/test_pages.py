"""Lists of swaps: order, bounds, and paging that loses nothing while records change."""

import random
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest

from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import FrozenClock
from tests.tenants import SWAPS, Tenant, make_swap, make_user, swap_of


def _ids(page: dict[str, Any]) -> list[str]:
    return [each["transferDetails"]["id"] for each in page["data"]]


async def test_list_starts_with_the_newest_ten_per_page(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    created = [(await make_swap(org, user))["id"] for _ in range(12)]
    page = await org.get(SWAPS)
    assert list(page) == ["count", "data", "nextCursor"]
    assert page["count"] == 10
    assert _ids(page) == created[:1:-1]
    assert page["data"][0] == await org.get(f"{SWAPS}/{created[-1]}")
    assert page["nextCursor"] == page["data"][-1]["transferDetails"]["updatedAt"]
    everything = await org.get(SWAPS, limit=100)
    assert (everything["count"], _ids(everything)) == (12, created[::-1])
    assert _ids(await org.get(SWAPS, limit=1)) == created[-1:]


async def test_empty_list_has_no_cursor(org: Tenant) -> None:
    assert await org.get(SWAPS) == {"count": 0, "data": []}


async def test_user_filter_keeps_the_source_users_swaps(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org, funds="10")
    of_ada, of_bob = await make_swap(org, ada), await make_swap(org, bob)
    assert _ids(await org.get(SWAPS, userId=ada)) == [of_ada["id"]]
    assert _ids(await org.get(SWAPS, userId=bob)) == [of_bob["id"]]
    assert _ids(await org.get(SWAPS)) == [of_bob["id"], of_ada["id"]]
    missing = "8d3a7cfe-0000-4000-8000-000000000000"
    assert (await org.get(SWAPS, userId=missing))["count"] == 0


async def test_after_is_inclusive_and_before_exclusive(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org, user = still_org, await make_user(still_org, funds="10")
    created: list[dict[str, Any]] = []
    for _ in range(3):
        created.append(await make_swap(org, user))
        still_clock.at += timedelta(seconds=1)
    middle = created[1]["createdAt"]
    assert _ids(await org.get(SWAPS, createdAfter=middle)) == [created[2]["id"], created[1]["id"]]
    between = datetime.fromisoformat(middle) + timedelta(microseconds=1)
    assert _ids(await org.get(SWAPS, createdAfter=between.isoformat())) == [created[2]["id"]]
    before = datetime.fromisoformat(middle) - timedelta(microseconds=1)
    assert _ids(await org.get(SWAPS, createdBefore=before.isoformat())) == [created[0]["id"]]
    assert _ids(await org.get(SWAPS, createdBefore=middle)) == [created[0]["id"]]
    assert _ids(
        await org.get(
            SWAPS, createdAfter=created[0]["createdAt"], createdBefore=created[2]["createdAt"]
        )
    ) == [created[1]["id"], created[0]["id"]]


async def test_a_bare_date_is_midnight_utc(still_org: Tenant, still_clock: FrozenClock) -> None:
    org, user = still_org, await make_user(still_org, funds="10")
    tomorrow = still_clock.at + timedelta(days=1)
    midnight = tomorrow.replace(hour=0, minute=0, second=0, microsecond=0)
    still_clock.at = midnight - timedelta(seconds=1)
    late = (await make_swap(org, user))["id"]
    still_clock.at = midnight
    early = (await make_swap(org, user))["id"]
    day = midnight.date().isoformat()
    assert _ids(await org.get(SWAPS, createdAfter=day)) == [early]
    assert _ids(await org.get(SWAPS, createdBefore=day)) == [late]
    # One hour ahead of UTC, the same midnight has another spelling.
    ahead = quote(f"{day}T01:00:00+01:00")
    page = await org.client.get(f"{SWAPS}?createdAfter={ahead}", headers=org.headers)
    assert _ids(page.json()) == [early]


@pytest.mark.parametrize("parameter", ["cursor", "createdBefore"])
async def test_paging_loses_nothing_while_swaps_advance(org: Tenant, parameter: str) -> None:
    user = await make_user(org, funds="1000")
    created = [(await make_swap(org, user))["id"] for _ in range(23)]
    chance = random.Random(7)  # noqa: S311  no secret: the same moves in each run
    ids: list[str] = []
    query: dict[str, str | int] = {"limit": 4}
    while (page := await org.get(SWAPS, **query))["data"]:
        assert len(ids) < len(created), "a page came twice"
        assert page["nextCursor"] == page["data"][-1]["transferDetails"]["updatedAt"]
        ids += _ids(page)
        query[parameter] = page["nextCursor"]
        # The record at the boundary, one before it and one after it advance; new ones arrive.
        for each in {ids[-1], chance.choice(ids), chance.choice(created)}:
            await _move_on(org, each, chance)
        await make_swap(org, user)
    assert ids == created[::-1]
    assert page.get("nextCursor") is None


async def _move_on(org: Tenant, swap_id: str, chance: random.Random) -> None:
    swap = await swap_of(org, swap_id)
    if swap.status is not SwapStatus.OPEN_QUOTE:
        return
    if chance.random() < 0.5:
        await org.post(f"{SWAPS}/{swap_id}/accept")
    else:
        await org.container.swaps.expire(swap, "test", swap.details.quote_expires_at)


async def test_paging_goes_through_settled_swaps_of_one_user(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="100"), await make_user(org, funds="100")
    created: list[str] = []
    for index in range(9):
        status = [SwapStatus.COMPLETED, SwapStatus.QUOTE_FAILED, SwapStatus.OPEN_QUOTE][index % 3]
        created.append((await make_swap(org, ada, status=status))["id"])
        await make_swap(org, bob, status=status)
    ids: list[str] = []
    query: dict[str, str | int] = {"limit": 2, "userId": ada}
    while (page := await org.get(SWAPS, **query))["data"]:
        assert len(ids) < len(created), "a page came twice"
        ids += _ids(page)
        query["cursor"] = page["nextCursor"]
    assert ids == created[::-1]
