"""Delivering again: one, what failed, and everything since a time."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.changes.model import Place
from landbridge.core.errors import RoleNotAllowed
from landbridge.core.ids import new_id
from landbridge.db.pool import Tx
from landbridge.events.model import EventKey
from landbridge.web.caller import Member, Role
from landbridge.web.reply import moment
from landbridge.webhooks import deliveries as deliveries_module
from landbridge.webhooks import resend_store
from landbridge.webhooks.model import PATIENCE, DeliveryStatus, Resending
from tests.settled import settled
from tests.tenants import Tenant, make_user, sentence

from .rows import SECOND, add, endpoint, make_endpoint, row, stored

PENDING, DELIVERED = DeliveryStatus.PENDING, DeliveryStatus.DELIVERED
REFUSED, GIVEN_UP = DeliveryStatus.REFUSED, DeliveryStatus.GIVEN_UP
REPLACED = DeliveryStatus.REPLACED
MINUTE = timedelta(minutes=1)


async def last_change(org: Tenant, object_id: UUID) -> tuple[int, str, str, str]:
    """Number, what, who and facts of the last change of an object."""
    rows = await org.house.database.rows(
        "select seq, what, actor, facts::text as facts from changes"
        " where org_id = $1 and object_id = $2 order by seq desc limit 1",
        org.org_id,
        object_id,
    )
    return rows[0]["seq"], rows[0]["what"], rows[0]["actor"], rows[0]["facts"]


async def place_to(org: Tenant, hook: str, place: Place) -> None:
    """Let a courier have read the log up to there, and have its turn."""

    async def work(tx: Tx) -> None:
        await tx.execute(
            "update webhook_endpoints set read_tx = $3::text::xid8, read_object_id = $4,"
            " read_seq = $5, leased_by = $2, leased_until = $6 where org_id = $1 and id = $2",
            *(org.org_id, UUID(hook), str(place.tx), place.object_id, place.seq),
            org.house.clock.now() + MINUTE,
        )

    await org.house.database.transact(work)


@pytest.mark.parametrize("status", [DELIVERED, REFUSED, GIVEN_UP, REPLACED, PENDING])
async def test_one_is_due_at_once_for_another_day(org: Tenant, status: DeliveryStatus) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    due = at + MINUTE if status is PENDING else None
    made = row(org, hook, status=status, due_at=due, created_at=at - MINUTE, attempt_count=5)
    await add(org, hook, [made])
    told = await org.post(f"/v2/webhooks/{hook}/deliveries/{made.id}/resend")
    assert (told["status"], told["attemptCount"], told["eventId"]) == ("PENDING", 5, made.key.text)
    now = await stored(org, made.id)
    assert told["nextAttemptAt"] == moment(now["due_at"])
    assert at <= now["due_at"] <= org.house.clock.now()
    assert now["gives_up_at"] == now["due_at"] + PATIENCE
    await org.post(f"/v2/webhooks/{hook}/deliveries/{made.id}/resend")
    told_of = await last_change(org, made.id)
    assert told_of == (2, "resend", org.caller.actor, f'{{"webhookId": "{hook}"}}')
    # Whoever delivers there goes on.
    assert (await endpoint(org, hook))["version"] == 1


async def test_one_that_waits_for_an_earlier_one_goes_on_waiting(org: Tenant) -> None:
    hook = await make_endpoint(org)
    made = row(org, hook, status=PENDING)
    await add(org, hook, [made])
    before = await stored(org, made.id)
    told = await org.post(f"/v2/webhooks/{hook}/deliveries/{made.id}/resend")
    assert (told["status"], told["nextAttemptAt"]) == ("PENDING", None)
    after = await stored(org, made.id)
    assert all(before[name] == after[name] for name in ("due_at", "gives_up_at", "round"))


async def test_what_failed_since_a_time_is_due_again(org: Tenant) -> None:
    hook, other, at = await make_endpoint(org), await make_endpoint(org), org.house.clock.now()
    since = at - 5 * MINUTE
    wanted = [
        row(org, hook, status=status, created_at=at - place * MINUTE)
        for place, status in enumerate((REFUSED, GIVEN_UP, REFUSED, GIVEN_UP))
    ]
    left = [
        row(org, hook, status=REFUSED, created_at=since - SECOND),
        # Delivered again late: what happened counts, not when it was delivered.
        row(org, hook, status=REFUSED, event_at=since - SECOND),
        row(org, hook, status=DELIVERED),
        row(org, hook, status=REPLACED),
    ]
    await add(org, hook, [*wanted, *left])
    elsewhere = row(org, other, status=REFUSED)
    await add(org, other, [elsewhere])
    body = {"since": moment(since), "only": "failed"}
    told = await org.post(f"/v2/webhooks/{hook}/resend", body)
    assert told == {**body, "count": 4, "hasMore": False}
    for each in wanted:
        now = await stored(org, each.id)
        assert (now["status"], now["gives_up_at"]) == (PENDING, now["due_at"] + PATIENCE)
    for each in (*left, elsewhere):
        now = await stored(org, each.id)
        assert (now["status"], now["due_at"]) == (each.status, None)
    assert (await org.post(f"/v2/webhooks/{hook}/resend", body))["count"] == 0
    seq, what, actor, facts = await last_change(org, UUID(hook))
    assert (seq, what, actor) == (3, "resend", org.caller.actor)
    assert '"only": "failed"' in facts


async def test_of_very_many_that_failed_some_at_a_time_go_the_oldest_first(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    rows = [row(org, hook, status=GIVEN_UP, created_at=at - place * SECOND) for place in range(7)]
    await add(org, hook, rows)

    async def some(tx: Tx) -> int:
        return await resend_store.resend_failed(
            *(tx, org.org_id, UUID(hook)),
            since=at - MINUTE,
            limit=4,
            at=at,
            gives_up_at=at + PATIENCE,
        )

    assert await org.house.database.transact(some) == 4
    assert [(await stored(org, each.id))["status"] for each in rows] == [
        *[GIVEN_UP] * 3,
        *[PENDING] * 4,
    ]
    assert await org.house.database.transact(some) == 3
    assert deliveries_module.RESENT_MAX == 10_000


async def test_everything_since_a_time_is_read_again(org: Tenant) -> None:
    hook = await make_endpoint(org)
    await make_user(org)
    since = org.house.clock.now()
    user = await make_user(org)
    await settled(org.house.database)
    end = await org.house.events.end()
    await place_to(org, hook, end)
    place = await org.house.events.place_of(org.org_id, since)
    assert place < end
    before = EventKey(new_id(), 1, 0)
    at = since + SECOND
    kept = row(org, hook, status=PENDING, due_at=at, tx=place.tx - 1, key=before)
    behind = row(org, hook, status=PENDING, due_at=None, tx=place.tx - 1, key=before)
    again = row(org, hook, status=PENDING, due_at=at, tx=place.tx + 1)
    done = row(org, hook, tx=place.tx + 1)
    await add(org, hook, [kept, behind, again, done])
    body = {"since": moment(since), "only": "all"}
    told = await org.post(f"/v2/webhooks/{hook}/resend", body)
    assert told == {**body, "count": None, "hasMore": False}

    now = await endpoint(org, hook)
    assert Place(int(now["read_tx"]), now["read_object_id"], now["read_seq"]) == place
    assert (now["round"], now["leased_by"]) == (2, None)
    # Nobody else begins while who had the turn may not have noticed.
    assert now["leased_until"] is not None
    reading = await org.house.events.read(org.org_id, place, limit=100)
    assert UUID(user) in {each.change.object_id for each in reading.events}
    # What waits and is not read again is still to be delivered.
    for each, status, due_at, round_ in (
        (kept, PENDING, at, 2),
        (behind, PENDING, None, 2),
        (again, REPLACED, None, 1),
        (done, DELIVERED, None, 1),
    ):
        found = await stored(org, each.id)
        assert (found["status"], found["due_at"], found["round"]) == (status, due_at, round_)
    seq, what, _, facts = await last_change(org, UUID(hook))
    assert (seq, what, now["version"]) == (2, "resend", 2)
    assert '"only": "all"' in facts


async def test_what_was_not_read_yet_is_not_skipped(org: Tenant) -> None:
    hook = await make_endpoint(org)
    before = await endpoint(org, hook)
    waiting = row(org, hook, status=PENDING, due_at=org.house.clock.now())
    await add(org, hook, [waiting])
    await make_user(org)
    since = org.house.clock.now()
    await org.post(f"/v2/webhooks/{hook}/resend", {"since": moment(since), "only": "all"})
    now = await endpoint(org, hook)
    for name in ("read_tx", "read_object_id", "read_seq", "begins_at"):
        assert now[name] == before[name], name
    assert (await stored(org, waiting.id))["status"] == PENDING


async def test_also_what_happened_before_the_endpoint_was_there(org: Tenant) -> None:
    since = org.house.clock.now()
    user = await make_user(org)
    hook = await make_endpoint(org)
    await org.post(f"/v2/webhooks/{hook}/resend", {"since": moment(since), "only": "all"})
    now = await endpoint(org, hook)
    assert now["begins_at"] <= since
    place = Place(int(now["read_tx"]), now["read_object_id"], now["read_seq"])
    await settled(org.house.database)
    reading = await org.house.events.read(org.org_id, place, limit=100)
    assert UUID(user) in {each.change.object_id for each in reading.events}


async def test_of_what_is_not_kept_nothing_is_sent_again(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.house.clock.now()
    told = await org.post(f"/v2/webhooks/{hook}/resend", {"since": "2020-01-01", "only": "all"})
    kept = org.house.events.kept
    assert moment(at - kept) <= told["since"] <= moment(org.house.clock.now() - kept)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"since": "2999-01-01", "only": "all"}, "since"),
        ({"since": "soon", "only": "all"}, "since"),
        ({"since": "2026-01-01"}, "only"),
        ({"since": "2026-01-01", "only": "some"}, "only"),
        ({"only": "all"}, "since"),
    ],
)
async def test_what_makes_no_sense_is_refused(
    org: Tenant, body: dict[str, str], named: str
) -> None:
    hook = await make_endpoint(org)
    answer = await org.send("POST", f"/v2/webhooks/{hook}/resend", body)
    assert answer.status_code == 400
    assert named in sentence(answer)


async def test_nobody_sends_again_what_is_anothers_or_gone(org: Tenant, other_org: Tenant) -> None:
    hook = await make_endpoint(org)
    body = {"since": "2026-01-01", "only": "failed"}
    path = f"/v2/webhooks/{hook}/resend"
    assert await other_org.refused("POST", path, body) == "404 RESOURCE_NOT_FOUND"
    assert (await org.send("DELETE", f"/v2/webhooks/{hook}")).is_success
    for only in Resending:
        told = {**body, "only": only.value}
        assert await org.refused("POST", path, told) == "404 RESOURCE_NOT_FOUND"


async def test_an_analyst_looks_and_sends_nothing_again(org: Tenant) -> None:
    hook = await make_endpoint(org)
    made = row(org, hook)
    await add(org, hook, [made])
    analyst = replace(org.caller, key_id=None, member=Member(new_id(), Role.ANALYST))
    deliveries, since = org.house.deliveries, org.house.clock.now()
    assert await deliveries.get(analyst, UUID(hook), made.id) is not None
    with pytest.raises(RoleNotAllowed):
        await deliveries.resend(analyst, UUID(hook), made.id)
    with pytest.raises(RoleNotAllowed):
        await deliveries.resend_since(analyst, UUID(hook), since, Resending.ALL)
