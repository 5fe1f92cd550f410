"""Lists of swaps: order, bounds, and paging that loses nothing while records move."""

import random
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.flows.swaps.model import Status
from tests.tenants import SWAPS, Tenant, make_swap, make_user, swap_of


def _ids(page: dict[str, Any]) -> list[str]:
    return [each["transferDetails"]["id"] for each in page["data"]]


async def test_newest_comes_first_ten_at_a_time(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    made = [(await make_swap(org, user))["id"] for _ in range(12)]
    page = await org.get(SWAPS)
    assert list(page) == ["count", "data", "nextCursor"]
    assert page["count"] == 10
    assert _ids(page) == made[:1:-1]
    assert page["data"][0] == await org.get(f"{SWAPS}/{made[-1]}")
    assert page["nextCursor"] == page["data"][-1]["transferDetails"]["updatedAt"]
    everything = await org.get(SWAPS, limit=100)
    assert (everything["count"], _ids(everything)) == (12, made[::-1])
    assert _ids(await org.get(SWAPS, limit=1)) == made[-1:]


async def test_an_empty_list_has_no_cursor(org: Tenant) -> None:
    assert await org.get(SWAPS) == {"count": 0, "data": [], "nextCursor": None}


async def test_a_user_filter_keeps_the_source_users_swaps(org: Tenant) -> None:
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
    made: list[dict[str, Any]] = []
    for _ in range(3):
        made.append(await make_swap(org, user))
        still_clock.at += timedelta(seconds=1)
    middle = made[1]["createdAt"]
    assert _ids(await org.get(SWAPS, createdAfter=middle)) == [made[2]["id"], made[1]["id"]]
    between = datetime.fromisoformat(middle) + timedelta(microseconds=1)
    assert _ids(await org.get(SWAPS, createdAfter=between.isoformat())) == [made[2]["id"]]
    before = datetime.fromisoformat(middle) - timedelta(microseconds=1)
    assert _ids(await org.get(SWAPS, createdBefore=before.isoformat())) == [made[0]["id"]]
    assert _ids(await org.get(SWAPS, createdBefore=middle)) == [made[0]["id"]]
    assert _ids(
        await org.get(SWAPS, createdAfter=made[0]["createdAt"], createdBefore=made[2]["createdAt"])
    ) == [made[1]["id"], made[0]["id"]]


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
    # An hour ahead of UTC, the same midnight is written otherwise.
    ahead = quote(f"{day}T01:00:00+01:00")
    page = await org.client.get(f"{SWAPS}?createdAfter={ahead}", headers=org.headers)
    assert _ids(page.json()) == [early]


@pytest.mark.parametrize("parameter", ["cursor", "createdBefore"])
async def test_paging_loses_nothing_while_swaps_move_on(org: Tenant, parameter: str) -> None:
    user = await make_user(org, funds="1000")
    made = [(await make_swap(org, user))["id"] for _ in range(23)]
    chance = random.Random(7)  # noqa: S311  no secret: the same moves in each run
    seen: list[str] = []
    query: dict[str, str | int] = {"limit": 4}
    while (page := await org.get(SWAPS, **query))["data"]:
        assert len(seen) < len(made), "a page came twice"
        assert page["nextCursor"] == page["data"][-1]["transferDetails"]["updatedAt"]
        seen += _ids(page)
        query[parameter] = page["nextCursor"]
        # The boundary itself, one seen and one to come move on; new ones arrive.
        for each in {seen[-1], chance.choice(seen), chance.choice(made)}:
            await _move_on(org, each, chance)
        await make_swap(org, user)
    assert seen == made[::-1]
    assert page["nextCursor"] is None


async def _move_on(org: Tenant, swap_id: str, chance: random.Random) -> None:
    swap = await swap_of(org, swap_id)
    if swap.status is not Status.OPEN_QUOTE:
        return
    if chance.random() < 0.5:
        await org.post(f"{SWAPS}/{swap_id}/accept")
    else:
        await org.house.swaps.expire(swap, "test", swap.details.quote_expires_at)


async def test_paging_goes_through_settled_swaps_of_one_user(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="100"), await make_user(org, funds="100")
    made: list[str] = []
    for place in range(9):
        status = [Status.COMPLETED, Status.QUOTE_FAILED, Status.OPEN_QUOTE][place % 3]
        made.append((await make_swap(org, ada, status=status))["id"])
        await make_swap(org, bob, status=status)
    seen: list[str] = []
    query: dict[str, str | int] = {"limit": 2, "userId": ada}
    while (page := await org.get(SWAPS, **query))["data"]:
        assert len(seen) < len(made), "a page came twice"
        seen += _ids(page)
        query["cursor"] = page["nextCursor"]
    assert seen == made[::-1]
