"""Resending: one delivery, failed ones, and everything since a time."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.developers.events.model import EventKey
from landbridge.developers.webhooks import deliveries as deliveries_module
from landbridge.developers.webhooks import resend_store
from landbridge.developers.webhooks.model import RETRY_WINDOW, DeliveryStatus, ResendSelection
from landbridge.platform.changes.model import LogPosition
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import MemberRole, SignedInMember
from landbridge.platform.http.responses import moment
from tests.change_log import placed
from tests.developers.webhooks.rows import SECOND, add, endpoint, make_endpoint, row, stored
from tests.tenants import Tenant, make_user, sentence

PENDING, DELIVERED = DeliveryStatus.PENDING, DeliveryStatus.DELIVERED
REFUSED, GIVEN_UP = DeliveryStatus.REFUSED, DeliveryStatus.GIVEN_UP
REPLACED = DeliveryStatus.REPLACED
MINUTE = timedelta(minutes=1)


async def last_change(org: Tenant, object_id: UUID) -> tuple[int, str, str, str]:
    """Return number, type, actor and facts of the last change of an object."""
    rows = await org.container.database.rows(
        "select seq, change_type, actor, facts::text as facts from changes"
        " where org_id = $1 and object_id = $2 order by seq desc limit 1",
        org.org_id,
        object_id,
    )
    return rows[0]["seq"], rows[0]["change_type"], rows[0]["actor"], rows[0]["facts"]


async def place_to(org: Tenant, hook: str, place: LogPosition) -> None:
    """Set a worker's read cursor in the log, and its lease."""

    async def work(tx: Tx) -> None:
        await tx.execute(
            "update webhook_endpoints set read_place = $3, read_object_id = $4,"
            " read_seq = $5, leased_by = $2, leased_until = $6 where org_id = $1 and id = $2",
            *(org.org_id, UUID(hook), place.place, place.object_id, place.seq),
            org.container.clock.now() + MINUTE,
        )

    await org.container.database.transact(work)


@pytest.mark.parametrize("status", [DELIVERED, REFUSED, GIVEN_UP, REPLACED, PENDING])
async def test_one_is_due_at_once_for_another_day(org: Tenant, status: DeliveryStatus) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    due = at + MINUTE if status is PENDING else None
    created = row(org, hook, status=status, due_at=due, created_at=at - MINUTE, attempt_count=5)
    await add(org, hook, [created])
    reply = await org.post(f"/v2/webhooks/{hook}/deliveries/{created.id}/resend")
    assert (reply["status"], reply["attemptCount"], reply["eventId"]) == (
        "PENDING",
        5,
        created.key.text,
    )
    now = await stored(org, created.id)
    assert reply["nextAttemptAt"] == moment(now["due_at"])
    assert at <= now["due_at"] <= org.container.clock.now()
    assert now["deadline_at"] == now["due_at"] + RETRY_WINDOW
    await org.post(f"/v2/webhooks/{hook}/deliveries/{created.id}/resend")
    change = await last_change(org, created.id)
    assert change == (2, "resend", org.caller.actor, f'{{"webhookId": "{hook}"}}')
    # The active worker continues.
    assert (await endpoint(org, hook))["version"] == 1


async def test_a_delivery_behind_an_earlier_one_keeps_waiting(org: Tenant) -> None:
    hook = await make_endpoint(org)
    created = row(org, hook, status=PENDING)
    await add(org, hook, [created])
    before = await stored(org, created.id)
    reply = await org.post(f"/v2/webhooks/{hook}/deliveries/{created.id}/resend")
    assert (reply["status"], reply["nextAttemptAt"]) == ("PENDING", None)
    after = await stored(org, created.id)
    assert all(before[name] == after[name] for name in ("due_at", "deadline_at", "round"))


async def test_deliveries_failed_since_a_time_are_due_again(org: Tenant) -> None:
    hook, other, at = await make_endpoint(org), await make_endpoint(org), org.container.clock.now()
    since = at - 5 * MINUTE
    expected = [
        row(org, hook, status=status, created_at=at - index * MINUTE)
        for index, status in enumerate((REFUSED, GIVEN_UP, REFUSED, GIVEN_UP))
    ]
    left = [
        row(org, hook, status=REFUSED, created_at=since - SECOND),
        # Redelivered late: the time of the event counts, not of the delivery.
        row(org, hook, status=REFUSED, event_at=since - SECOND),
        row(org, hook, status=DELIVERED),
        row(org, hook, status=REPLACED),
    ]
    await add(org, hook, [*expected, *left])
    elsewhere = row(org, other, status=REFUSED)
    await add(org, other, [elsewhere])
    body = {"since": moment(since), "only": "failed"}
    reply = await org.post(f"/v2/webhooks/{hook}/resend", body)
    assert reply == {**body, "count": 4, "hasMore": False}
    for each in expected:
        now = await stored(org, each.id)
        assert (now["status"], now["deadline_at"]) == (PENDING, now["due_at"] + RETRY_WINDOW)
    for each in (*left, elsewhere):
        now = await stored(org, each.id)
        assert (now["status"], now["due_at"]) == (each.status, None)
    assert (await org.post(f"/v2/webhooks/{hook}/resend", body))["count"] == 0
    seq, change_type, actor, facts = await last_change(org, UUID(hook))
    assert (seq, change_type, actor) == (3, "resend", org.caller.actor)
    assert '"only": "failed"' in facts


async def test_of_very_many_that_failed_some_at_a_time_go_the_oldest_first(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    rows = [row(org, hook, status=GIVEN_UP, created_at=at - index * SECOND) for index in range(7)]
    await add(org, hook, rows)

    async def some(tx: Tx) -> int:
        return await resend_store.resend_failed(
            *(tx, org.org_id, UUID(hook)),
            since=at - MINUTE,
            limit=4,
            at=at,
            deadline_at=at + RETRY_WINDOW,
        )

    assert await org.container.database.transact(some) == 4
    assert [(await stored(org, each.id))["status"] for each in rows] == [
        *[GIVEN_UP] * 3,
        *[PENDING] * 4,
    ]
    assert await org.container.database.transact(some) == 3
    assert deliveries_module.RESENT_MAX == 10_000


async def test_everything_since_a_time_is_read_again(org: Tenant) -> None:
    hook = await make_endpoint(org)
    await make_user(org)
    since = org.container.clock.now()
    user = await make_user(org)
    await placed(org.container.database)
    end = await org.container.events.end(org.org_id)
    await place_to(org, hook, end)
    index = await org.container.events.position_at(org.org_id, since)
    assert index < end
    before = EventKey(new_id(), 1, 0)
    at = since + SECOND
    delivery = row(org, hook, status=PENDING, due_at=at, place=index.place - 1, key=before)
    behind = row(org, hook, status=PENDING, due_at=None, place=index.place - 1, key=before)
    again = row(org, hook, status=PENDING, due_at=at, place=index.place + 1)
    done = row(org, hook, place=index.place + 1)
    await add(org, hook, [delivery, behind, again, done])
    body = {"since": moment(since), "only": "all"}
    reply = await org.post(f"/v2/webhooks/{hook}/resend", body)
    assert reply == {**body, "count": None, "hasMore": False}

    now = await endpoint(org, hook)
    assert LogPosition(now["read_place"], now["read_object_id"], now["read_seq"]) == index
    assert (now["round"], now["leased_by"]) == (2, None)
    # No other worker starts while the former lease holder may not have noticed.
    assert now["leased_until"] is not None
    reading = await org.container.events.read(org.org_id, index, limit=100)
    assert UUID(user) in {each.change.object_id for each in reading.events}
    # Pending deliveries that are not read again are still delivered.
    for each, status, due_at, round_ in (
        (delivery, PENDING, at, 2),
        (behind, PENDING, None, 2),
        (again, REPLACED, None, 1),
        (done, DELIVERED, None, 1),
    ):
        found = await stored(org, each.id)
        assert (found["status"], found["due_at"], found["round"]) == (status, due_at, round_)
    seq, change_type, _, facts = await last_change(org, UUID(hook))
    assert (seq, change_type, now["version"]) == (2, "resend", 2)
    assert '"only": "all"' in facts


async def test_unread_events_are_not_skipped(org: Tenant) -> None:
    hook = await make_endpoint(org)
    before = await endpoint(org, hook)
    waiting = row(org, hook, status=PENDING, due_at=org.container.clock.now())
    await add(org, hook, [waiting])
    await make_user(org)
    since = org.container.clock.now()
    await org.post(f"/v2/webhooks/{hook}/resend", {"since": moment(since), "only": "all"})
    now = await endpoint(org, hook)
    for name in ("read_place", "read_object_id", "read_seq", "starts_at"):
        assert now[name] == before[name], name
    assert (await stored(org, waiting.id))["status"] == PENDING


async def test_events_before_the_endpoint_can_be_resent(org: Tenant) -> None:
    since = org.container.clock.now()
    user = await make_user(org)
    hook = await make_endpoint(org)
    await org.post(f"/v2/webhooks/{hook}/resend", {"since": moment(since), "only": "all"})
    now = await endpoint(org, hook)
    assert now["starts_at"] <= since
    index = LogPosition(now["read_place"], now["read_object_id"], now["read_seq"])
    await placed(org.container.database)
    reading = await org.container.events.read(org.org_id, index, limit=100)
    assert UUID(user) in {each.change.object_id for each in reading.events}


async def test_deleted_events_are_not_resent(org: Tenant) -> None:
    hook, at = await make_endpoint(org), org.container.clock.now()
    reply = await org.post(f"/v2/webhooks/{hook}/resend", {"since": "2020-01-01", "only": "all"})
    delivery = org.container.events.retention
    assert moment(at - delivery) <= reply["since"] <= moment(org.container.clock.now() - delivery)


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
async def test_contradictory_parameters_are_refused(
    org: Tenant, body: dict[str, str], named: str
) -> None:
    hook = await make_endpoint(org)
    answer = await org.send("POST", f"/v2/webhooks/{hook}/resend", body)
    assert answer.status_code == 400
    assert named in sentence(answer)


async def test_foreign_and_deleted_endpoints_cannot_resend(org: Tenant, other_org: Tenant) -> None:
    hook = await make_endpoint(org)
    body = {"since": "2026-01-01", "only": "failed"}
    path = f"/v2/webhooks/{hook}/resend"
    assert await other_org.refused("POST", path, body) == "404 RESOURCE_NOT_FOUND"
    assert (await org.send("DELETE", f"/v2/webhooks/{hook}")).is_success
    for only in ResendSelection:
        params = {**body, "only": only.value}
        assert await org.refused("POST", path, params) == "404 RESOURCE_NOT_FOUND"


async def test_an_analyst_reads_and_cannot_resend(org: Tenant) -> None:
    hook = await make_endpoint(org)
    created = row(org, hook)
    await add(org, hook, [created])
    analyst = replace(org.caller, key_id=None, member=SignedInMember(new_id(), MemberRole.ANALYST))
    deliveries, since = org.container.deliveries, org.container.clock.now()
    assert await deliveries.get(analyst, UUID(hook), created.id) is not None
    with pytest.raises(RoleNotAllowed):
        await deliveries.resend(analyst, UUID(hook), created.id)
    with pytest.raises(RoleNotAllowed):
        await deliveries.resend_since(analyst, UUID(hook), since, ResendSelection.ALL)
