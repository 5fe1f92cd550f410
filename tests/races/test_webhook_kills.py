"""Workers that die with -9 while receivers answer slowly, wrongly and twice.

Nothing is lost, each object's events come in order, and what comes twice is the same event.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from uuid import UUID

import jwt
import pytest

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.events.model import Event
from landbridge.events.names import is_wanted
from landbridge.orgs.service import take_lane
from landbridge.webhooks.model import Endpoint
from landbridge.wiring import House, wire
from tests.races import carriers, clerk
from tests.races.receivers import HOSTILE, KIND, REFUSING, Receiver
from tests.settled import settled
from tests.tenants import SETTINGS, Tenant, make_tenant, make_user, served

pytestmark = pytest.mark.slow

Hire = Callable[[], clerk.Clerk]

ROUNDS = 12
USERS = 12
AT_WORK_IN_S = 5
DRAINED_IN_S = 120


async def test_killed_again_and_again_nothing_is_lost_and_order_is_kept(
    own_dsn: str, own_database: Database
) -> None:
    house = wire(SETTINGS, own_database, Clock(await take_lane(own_database)))
    dice = random.Random(0)  # noqa: S311  a repeatable story
    hostile, refusing, kind = (Receiver(each, dice) for each in (HOSTILE, REFUSING, KIND))
    async with (
        served(house) as client,
        hostile.listening(),
        refusing.listening(),
        kind.listening(),
    ):
        org = await make_tenant(house, client)
        users = [await make_user(org) for _ in range(USERS)]
        hooks = [
            (await make_hook(org, hostile, "*"), hostile),
            (await make_hook(org, refusing, "USER.*"), refusing),
            (await make_hook(org, kind, "*"), kind),
        ]
        began_ns = time.time_ns()
        worker = partial(clerk.hire, carriers.deliver, own_dsn, began_ns)
        seen = await kill_again_and_again(org, users, worker, dice, hooks)
        # They were killed at work: nearly all had got on a bit.
        assert len(set(seen)) > 2 * ROUNDS * 3 // 4, seen

        hostile.manners, refusing.manners = KIND, KIND
        # Else what another process holds up is in no reading of the log yet, and later in one.
        await settled(own_database)
        await drain(org, worker, [hook for hook, _ in hooks])
        for hook, receiver in hooks:
            await check(org, house, hook, receiver)
        assert all(each.is_refused is False for each in (*hostile.arrivals, *kind.arrivals))
        assert any(each.is_refused for each in refusing.arrivals)


async def make_hook(org: Tenant, receiver: Receiver, pattern: str) -> Endpoint:
    body = {"url": receiver.url, "eventTypes": [pattern], "standardWebhooks": True}
    made = await org.post("/v2/webhooks", body)
    return await org.house.endpoints.get(org.org_id, UUID(made["id"]))


async def kill_again_and_again(
    org: Tenant,
    users: list[str],
    hire: Hire,
    dice: random.Random,
    hooks: list[tuple[Endpoint, Receiver]],
) -> list[int]:
    """How many requests had come in at each kill."""
    over = asyncio.Event()
    happening = asyncio.create_task(go_on_happening(org, users, over))
    seen = [0]
    for _ in range(ROUNDS):
        # Two at a time: the turn of one that dies is taken by the other, or by who comes next.
        workers = [hire() for _ in range(2)]
        for each in workers:
            await asyncio.to_thread(each.wait_until_started)
        for each in workers:
            await come_in(hooks, seen[-1] + dice.randrange(1, 40))
            await asyncio.sleep(dice.uniform(0, 0.1))
            each.kill()
            seen.append(arrived(hooks))
    over.set()
    await happening
    return seen


def arrived(hooks: list[tuple[Endpoint, Receiver]]) -> int:
    return sum(len(receiver.arrivals) for _, receiver in hooks)


async def come_in(hooks: list[tuple[Endpoint, Receiver]], count: int) -> None:
    """Wait until so many requests have come in, but not for ever."""
    until_s = time.monotonic() + AT_WORK_IN_S
    while True:
        if arrived(hooks) >= count or time.monotonic() >= until_s:
            return
        await asyncio.sleep(0.005)


async def go_on_happening(org: Tenant, users: list[str], over: asyncio.Event) -> None:
    """Each user's events follow each other; some at the same time as others'."""

    async def one(place: int, user: str) -> None:
        verbs, count = ("freeze", "unfreeze"), place
        while not over.is_set():
            verb = verbs[(count - place) % 2]
            await org.post(f"/v2/users/{user}/{verb}", {} if verb == "freeze" else None)
            count += 1
            await asyncio.sleep(0.2)

    await asyncio.gather(*(one(place, user) for place, user in enumerate(users)))


async def drain(org: Tenant, hire: Hire, hooks: list[Endpoint]) -> None:
    """Let one worker finish what is left."""
    worker = hire()
    try:
        await asyncio.to_thread(worker.wait_until_started)
        until_s = time.monotonic() + DRAINED_IN_S
        while left := await left_over(org, hooks):
            assert time.monotonic() < until_s, left
            await asyncio.sleep(0.2)
    finally:
        worker.kill()


async def left_over(org: Tenant, hooks: list[Endpoint]) -> list[tuple[UUID, int, int, int]]:
    """Endpoints with something to do: how many deliveries wait, are there, and should be."""
    rows = await org.house.database.rows(
        "select endpoint_id, count(*) as all, count(*) filter (where status = 'PENDING') as pending"
        " from webhook_deliveries where org_id = $1 group by 1",
        org.org_id,
    )
    made = {row["endpoint_id"]: (row["pending"], row["all"]) for row in rows}
    counts = [
        (hook.id, *made.get(hook.id, (0, 0)), len(await expected(org.house, hook)))
        for hook in hooks
    ]
    return [each for each in counts if each[1] or each[2] < each[3]]


async def expected(house: House, hook: Endpoint) -> list[Event]:
    """Every event of the log that is for an endpoint, in order."""
    found: list[Event] = []
    place = hook.read_to
    while True:
        reading = await house.events.read(hook.org_id, place, limit=500)
        found += [
            each
            for each in reading.events
            # The place of a new endpoint may be before what happened a moment before it.
            if each.change.at >= hook.begins_at and is_wanted(hook.event_types, each.type)
        ]
        if reading.is_end:
            return found
        place = reading.end


async def check(org: Tenant, house: House, hook: Endpoint, receiver: Receiver) -> None:
    wanted = await expected(house, hook)
    assert len(wanted) > USERS * ROUNDS // 2
    by_id = {each.key.text: each for each in wanted}

    # Nothing is lost, and nothing comes that did not happen.
    answered = {each.event_id for each in receiver.arrivals if each.answered is not None}
    assert answered == set(by_id)
    assert {each.event_id for each in receiver.arrivals} == set(by_id)
    rows = await house.database.rows(
        "select object_id, seq, part, status from webhook_deliveries"
        " where org_id = $1 and endpoint_id = $2",
        org.org_id,
        hook.id,
    )
    keys = Counter((row["object_id"], row["seq"], row["part"]) for row in rows)
    assert keys == Counter(tuple(each.key) for each in wanted)
    assert {row["status"] for row in rows} <= {"DELIVERED", "REFUSED"}

    # What comes twice is the same event under the same id.
    for each in receiver.arrivals:
        event = by_id[each.event_id]
        told = (str(event.change.object_id), event.sequence, event.type)
        assert (each.object_id, each.sequence, each.type) == told

    check_order(receiver, wanted)
    await check_signatures(org, hook, receiver)


def check_order(receiver: Receiver, wanted: list[Event]) -> None:
    """Before an event of an object arrives, all before it were answered for good."""
    sequences: dict[str, list[int]] = {}
    for event in wanted:
        sequences.setdefault(str(event.change.object_id), []).append(event.sequence)
    for object_id, arrivals in receiver.of_object().items():
        answered: dict[int, int] = {}
        for each in arrivals:
            if each.answered is not None:
                first = answered.get(each.sequence, each.answered)
                answered[each.sequence] = min(first, each.answered)
        for each in arrivals:
            for earlier in sequences[object_id]:
                if earlier < each.sequence:
                    assert answered[earlier] < each.moment, (object_id, earlier, each)


async def check_signatures(org: Tenant, hook: Endpoint, receiver: Receiver) -> None:
    """By a library that is not ours; when they were good is a matter of the fast clock."""
    pem = (await org.get(f"/v2/webhooks/{hook.id}"))["publicKey"]
    for each in receiver.arrivals:
        claims = jwt.decode(
            each.token,
            pem,
            algorithms=["RS256"],
            audience=str(hook.id),
            options={"verify_exp": False, "verify_iat": False},
        )
        assert claims["eventId"] == each.event_id
