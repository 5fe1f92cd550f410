"""Workers killed while receivers respond slowly, wrongly and twice.

Nothing is lost, each object's events arrive in order, and duplicates are identical.
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

from landbridge.app.container import Container, wire
from landbridge.developers.events.model import Event
from landbridge.developers.events.names import matches_any
from landbridge.developers.webhooks.model import Endpoint
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.change_log import placed
from tests.races import delivery_worker, racing_processes
from tests.races.webhook_receivers import HOSTILE, KIND, REFUSING, Receiver
from tests.tenants import SETTINGS, Tenant, make_tenant, make_user, served

pytestmark = pytest.mark.long

Hire = Callable[[], racing_processes.RacingProcess]

ROUNDS = 12
USERS = 12
AT_WORK_IN_S = 5
DRAINED_IN_S = 120


@pytest.mark.long
async def test_killed_workers_lose_no_event_and_keep_the_order(
    own_dsn: str, own_database: Database
) -> None:
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    dice = random.Random(0)  # noqa: S311  a repeatable story
    hostile, refusing, kind = (Receiver(each, dice) for each in (HOSTILE, REFUSING, KIND))
    async with (
        served(container) as client,
        hostile.listening(),
        refusing.listening(),
        kind.listening(),
    ):
        org = await make_tenant(container, client)
        users = [await make_user(org) for _ in range(USERS)]
        hooks = [
            (await make_hook(org, hostile, "*"), hostile),
            (await make_hook(org, refusing, "USER.*"), refusing),
            (await make_hook(org, kind, "*"), kind),
        ]
        began_ns = time.time_ns()
        worker = partial(racing_processes.start_process, delivery_worker.deliver, own_dsn, began_ns)
        received = await kill_again_and_again(org, users, worker, dice, hooks)
        # The workers were killed at work: nearly all rounds made progress.
        assert len(set(received)) > 2 * ROUNDS * 3 // 4, received

        hostile.manners, refusing.manners = KIND, KIND
        # What the killed workers have not placed would be missing now, and appear later.
        await placed(own_database)
        await drain(org, worker, [hook for hook, _ in hooks])
        for hook, receiver in hooks:
            await check(org, container, hook, receiver)
        assert all(each.is_refused is False for each in (*hostile.arrivals, *kind.arrivals))
        assert any(each.is_refused for each in refusing.arrivals)


async def make_hook(org: Tenant, receiver: Receiver, pattern: str) -> Endpoint:
    body = {"url": receiver.url, "eventTypes": [pattern], "standardWebhooks": True}
    created = await org.post("/v2/webhooks", body)
    return await org.container.endpoints.get(org.org_id, UUID(created["id"]))


async def kill_again_and_again(
    org: Tenant,
    users: list[str],
    start_process: Hire,
    dice: random.Random,
    hooks: list[tuple[Endpoint, Receiver]],
) -> list[int]:
    """Kill workers repeatedly; return the number of received requests at each kill."""
    over = asyncio.Event()
    happening = asyncio.create_task(go_on_happening(org, users, over))
    received = [0]
    for _ in range(ROUNDS):
        # Two at a time: the lease of a killed one passes to the other, or to its successor.
        workers = [start_process() for _ in range(2)]
        for each in workers:
            await asyncio.to_thread(each.wait_until_started)
        for each in workers:
            await come_in(hooks, received[-1] + dice.randrange(1, 40))
            await asyncio.sleep(dice.uniform(0, 0.1))
            each.kill()
            received.append(arrived(hooks))
    over.set()
    await happening
    return received


def arrived(hooks: list[tuple[Endpoint, Receiver]]) -> int:
    return sum(len(receiver.arrivals) for _, receiver in hooks)


async def come_in(hooks: list[tuple[Endpoint, Receiver]], count: int) -> None:
    """Wait with a timeout until this many requests have arrived."""
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


async def drain(org: Tenant, start_process: Hire, hooks: list[Endpoint]) -> None:
    """Let one worker finish the rest."""
    worker = start_process()
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
    rows = await org.container.database.rows(
        "select endpoint_id, count(*) as all, count(*) filter (where status = 'PENDING') as pending"
        " from webhook_deliveries where org_id = $1 group by 1",
        org.org_id,
    )
    created = {row["endpoint_id"]: (row["pending"], row["all"]) for row in rows}
    counts = [
        (hook.id, *created.get(hook.id, (0, 0)), len(await expected(org.container, hook)))
        for hook in hooks
    ]
    return [each for each in counts if each[1] or each[2] < each[3]]


async def expected(container: Container, hook: Endpoint) -> list[Event]:
    """Return every event of the log for an endpoint, in order."""
    found: list[Event] = []
    index = hook.read_to
    while True:
        reading = await container.events.read(hook.org_id, index, limit=500)
        found += [
            each
            for each in reading.events
            # The cursor of a new endpoint may be before changes of a moment earlier.
            if each.change.occurred_at >= hook.starts_at
            and matches_any(hook.event_types, each.type)
        ]
        if reading.is_end:
            return found
        index = reading.end


async def check(org: Tenant, container: Container, hook: Endpoint, receiver: Receiver) -> None:
    requested = await expected(container, hook)
    assert len(requested) > USERS * ROUNDS // 2
    by_id = {each.key.text: each for each in requested}

    # Nothing is lost, and nothing is invented.
    answered = {each.event_id for each in receiver.arrivals if each.answered is not None}
    assert answered == set(by_id)
    assert {each.event_id for each in receiver.arrivals} == set(by_id)
    rows = await container.database.rows(
        "select object_id, seq, part, status from webhook_deliveries"
        " where org_id = $1 and endpoint_id = $2",
        org.org_id,
        hook.id,
    )
    keys = Counter((row["object_id"], row["seq"], row["part"]) for row in rows)
    assert keys == Counter(tuple(each.key) for each in requested)
    assert {row["status"] for row in rows} <= {"DELIVERED", "REFUSED"}

    # Duplicates are the same event under the same id.
    for each in receiver.arrivals:
        event = by_id[each.event_id]
        received = (str(event.change.object_id), event.sequence, event.type)
        assert (each.object_id, each.sequence, each.type) == received

    check_order(receiver, requested)
    await check_signatures(org, hook, receiver)


def check_order(receiver: Receiver, expected: list[Event]) -> None:
    """Check that all earlier events of an object have a final response before the next arrives."""
    sequences: dict[str, list[int]] = {}
    for event in expected:
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
    """Verify with a third-party library; validity times follow the accelerated clock."""
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
