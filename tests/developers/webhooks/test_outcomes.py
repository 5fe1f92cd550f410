"""Results of attempts: which are final, when the next attempt is due, and the deadline."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from landbridge.developers.events.model import EventKey
from landbridge.developers.events.names import events_of
from landbridge.developers.webhooks.delivery.outcomes import after, attempt, new_row, pause
from landbridge.developers.webhooks.model import (
    ATTEMPTS_STORED,
    PAUSE_MAX,
    RETRY_WINDOW,
    Delivery,
    DeliveryStatus,
    Endpoint,
    EventNameSpelling,
    WebhookStatus,
)
from landbridge.platform.changes.model import START
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.egress import EgressResponse
from tests.developers.events.changes import change

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
        place=1,
        key=EventKey(new_id(), 1, 0),
        event_type="USER.CREATE",
        event_at=AT,
        status=DeliveryStatus.PENDING,
        due_at=None,
        deadline_at=AT + RETRY_WINDOW,
        attempt_count=0,
        attempts=(),
        created_at=AT,
        updated_at=AT,
    )


def tried(row: Delivery, status: int | None, now: datetime) -> Delivery:
    error = None if status else "no answer"
    return after(row, (attempt(EgressResponse(status, error, None, 5), at=now),), now=now)


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
    expected = [30 * 2**each for each in range(8)] + [PAUSE_MAX.total_seconds()] * 20
    for found, each in zip(pauses[:-1], expected, strict=False):
        assert each * 0.9 <= found <= each * 1.1
    assert row.status is DeliveryStatus.GIVEN_UP
    # The last attempt is made at the deadline, not earlier.
    assert now == row.deadline_at
    assert 17 <= row.attempt_count <= 22


def test_pauses_differ_between_deliveries() -> None:
    found = {pause(new_id(), 1) for _ in range(200)}
    assert len(found) > 50
    assert min(found) >= timedelta(seconds=27)
    assert max(found) <= timedelta(seconds=33)


def test_an_overdue_delivery_has_one_more_attempt() -> None:
    late = AT + RETRY_WINDOW + SECOND
    assert tried(fresh(), 500, late).status is DeliveryStatus.GIVEN_UP
    assert tried(fresh(), 200, late).status is DeliveryStatus.DELIVERED


@pytest.mark.parametrize(
    ("waited", "retry_window_starts_at", "starts_at"),
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
    waited: timedelta, retry_window_starts_at: timedelta | None, starts_at: timedelta
) -> None:
    recorded = change(kind="USER", change_type="create", seq=1)
    (event,) = events_of(replace(recorded, occurred_at=AT))
    at = None if retry_window_starts_at is None else AT + retry_window_starts_at
    created = new_row(an_endpoint(at), event, FrozenClock(AT + waited), at=AT + waited)
    assert created.deadline_at == AT + starts_at + RETRY_WINDOW
    assert (created.created_at, created.updated_at) == (AT + waited, AT + waited)


def an_endpoint(retry_window_starts_at: datetime | None) -> Endpoint:
    return Endpoint(
        org_id=new_id(),
        id=new_id(),
        url="https://hooks.example.com",
        description=None,
        event_types=("*",),
        status=WebhookStatus.ACTIVE,
        event_name_spelling=EventNameSpelling.CREATE,
        has_standard_headers=False,
        version=1,
        created_at=AT,
        updated_at=AT,
        flagged_at=None,
        flagged_reason=None,
        starts_at=AT,
        read_to=START,
        round=1,
        retry_window_starts_at=retry_window_starts_at,
    )


def test_a_resent_delivery_starts_with_short_delays() -> None:
    row = fresh()
    for _ in range(10):
        row = tried(row, 500, AT)
    later = AT + 2 * RETRY_WINDOW
    row = tried(replace(row, deadline_at=later + RETRY_WINDOW, due_at=later), 500, later)
    assert row.due_at is not None
    assert row.due_at <= later + 33 * SECOND
    assert row.attempt_count == 11


def test_only_the_last_attempts_are_kept() -> None:
    row = fresh()
    for each in range(ATTEMPTS_STORED + 5):
        row = tried(row, 500, AT + each * SECOND)
    assert (row.attempt_count, len(row.attempts)) == (ATTEMPTS_STORED + 5, ATTEMPTS_STORED)
    assert row.attempts[0].at == AT + 5 * SECOND


def test_a_send_that_fails_locally_is_no_attempt() -> None:
    late = AT + RETRY_WINDOW + SECOND
    row = after(fresh(), (), now=late)
    assert (row.status, row.attempt_count, row.attempts) == (DeliveryStatus.PENDING, 0, ())
    assert row.due_at == late + 5 * SECOND
    # A delivery without attempts is sent once, however late it is.
    assert tried(row, 500, late).status is DeliveryStatus.GIVEN_UP
