"""What comes of attempts: which are final, when the next one is, when it is over."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from landbridge.changes.model import START
from landbridge.core.clock import FrozenClock
from landbridge.core.ids import new_id
from landbridge.events.model import EventKey
from landbridge.events.names import events_of
from landbridge.web.outbound import Answer
from landbridge.webhooks.delivering.outcomes import after, attempt, new_row, pause
from landbridge.webhooks.model import (
    ATTEMPTS_KEPT,
    PATIENCE,
    PAUSE_MAX,
    Delivery,
    DeliveryStatus,
    Endpoint,
    Spelling,
    Status,
)
from tests.events.changes import change

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
REFUSED = (400, 401, 404, 408, 410, 429, 499)
FINAL: dict[int, DeliveryStatus] = {
    **dict.fromkeys((200, 204, 299), DeliveryStatus.DELIVERED),
    **dict.fromkeys(REFUSED, DeliveryStatus.REFUSED),
}


def fresh() -> Delivery:
    return Delivery(
        org_id=new_id(),
        id=new_id(),
        day=AT.date(),
        endpoint_id=new_id(),
        round=1,
        tx=1,
        key=EventKey(new_id(), 1, 0),
        event_type="USER.CREATE",
        event_at=AT,
        status=DeliveryStatus.PENDING,
        due_at=None,
        gives_up_at=AT + PATIENCE,
        attempt_count=0,
        attempts=(),
        created_at=AT,
        updated_at=AT,
    )


def tried(row: Delivery, status: int | None, now: datetime) -> Delivery:
    error = None if status else "no answer"
    return after(row, (attempt(Answer(status, error, None, 5), at=now),), now=now)


@pytest.mark.parametrize("status", [None, 101, *FINAL, 301, 304, 500, 503, 599, 999])
def test_2xx_is_success_4xx_is_final_and_all_else_is_tried_again(status: int | None) -> None:
    row = tried(fresh(), status, AT)
    assert row.status is FINAL.get(status or 0, DeliveryStatus.PENDING)
    assert (row.due_at is None) is (row.status is not DeliveryStatus.PENDING)
    assert row.attempt_count == len(row.attempts) == 1


def test_pauses_double_from_30_seconds_to_two_hours() -> None:
    row, now, pauses = fresh(), AT, list[float]()
    while row.status is DeliveryStatus.PENDING:
        row = tried(row, None, now)
        if row.due_at is not None:
            pauses.append((row.due_at - now).total_seconds())
            now = row.due_at
    wanted = [30 * 2**each for each in range(8)] + [PAUSE_MAX.total_seconds()] * 20
    for found, each in zip(pauses[:-1], wanted, strict=False):
        assert each * 0.9 <= found <= each * 1.1
    assert row.status is DeliveryStatus.GIVEN_UP
    # The last attempt is made when the time is over, not before.
    assert now == row.gives_up_at
    assert 17 <= row.attempt_count <= 22


def test_pauses_differ_between_deliveries() -> None:
    found = {pause(new_id(), 1) for _ in range(200)}
    assert len(found) > 50
    assert min(found) >= timedelta(seconds=27)
    assert max(found) <= timedelta(seconds=33)


def test_what_is_overdue_has_one_more_attempt() -> None:
    late = AT + PATIENCE + SECOND
    assert tried(fresh(), 500, late).status is DeliveryStatus.GIVEN_UP
    assert tried(fresh(), 200, late).status is DeliveryStatus.DELIVERED


@pytest.mark.parametrize(
    ("waited", "tried_from", "begun"),
    [
        (timedelta(0), None, timedelta(0)),
        (timedelta(minutes=59), None, timedelta(0)),
        (timedelta(hours=30), None, timedelta(hours=30)),
        (timedelta(days=365), None, timedelta(days=365)),
        (timedelta(hours=3), timedelta(hours=2.5), timedelta(hours=2.5)),
        (timedelta(hours=9), timedelta(hours=2), timedelta(hours=9)),
    ],
)
def test_24_hours_begin_with_the_event_unless_it_waited_for_long(
    waited: timedelta, tried_from: timedelta | None, begun: timedelta
) -> None:
    told = change(kind="USER", what="create", seq=1)
    (event,) = events_of(replace(told, at=AT))
    at = None if tried_from is None else AT + tried_from
    made = new_row(an_endpoint(at), event, FrozenClock(AT + waited), at=AT + waited)
    assert made.gives_up_at == AT + begun + PATIENCE
    assert (made.created_at, made.updated_at) == (AT + waited, AT + waited)


def an_endpoint(tried_from: datetime | None) -> Endpoint:
    return Endpoint(
        org_id=new_id(),
        id=new_id(),
        url="https://hooks.example.com",
        description=None,
        event_types=("*",),
        status=Status.ACTIVE,
        spelling=Spelling.CREATE,
        has_standard_headers=False,
        version=1,
        created_at=AT,
        updated_at=AT,
        flagged_at=None,
        flagged_reason=None,
        begins_at=AT,
        read_to=START,
        round=1,
        tried_from=tried_from,
    )


def test_what_is_sent_again_begins_with_short_pauses() -> None:
    row = fresh()
    for _ in range(10):
        row = tried(row, 500, AT)
    later = AT + 2 * PATIENCE
    row = tried(replace(row, gives_up_at=later + PATIENCE, due_at=later), 500, later)
    assert row.due_at is not None
    assert row.due_at <= later + 33 * SECOND
    assert row.attempt_count == 11


def test_only_the_last_attempts_are_kept() -> None:
    row = fresh()
    for each in range(ATTEMPTS_KEPT + 5):
        row = tried(row, 500, AT + each * SECOND)
    assert (row.attempt_count, len(row.attempts)) == (ATTEMPTS_KEPT + 5, ATTEMPTS_KEPT)
    assert row.attempts[0].at == AT + 5 * SECOND


def test_what_could_not_be_sent_from_here_was_not_tried() -> None:
    late = AT + PATIENCE + SECOND
    row = after(fresh(), (), now=late)
    assert (row.status, row.attempt_count, row.attempts) == (DeliveryStatus.PENDING, 0, ())
    assert row.due_at == late + 5 * SECOND
    # It is tried once, whatever the hour.
    assert tried(row, 500, late).status is DeliveryStatus.GIVEN_UP
