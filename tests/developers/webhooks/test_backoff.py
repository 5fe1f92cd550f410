"""A failing endpoint is tried rarely until a delivery succeeds."""

from uuid import UUID

import pytest

from landbridge.developers.webhooks.delivery.backoff import EndpointBackoff
from landbridge.developers.webhooks.delivery.dispatcher import ENDPOINTS_MAX, put


def fail(backoff: EndpointBackoff, times: int, status: int | None = None) -> None:
    for _ in range(times):
        backoff.record_attempt(status, 100.0)


def test_a_few_failures_change_nothing() -> None:
    backoff = EndpointBackoff()
    fail(backoff, 19)
    backoff.schedule_next(100.0)
    assert backoff.allow(16, 100.0) == 16
    assert backoff.wait_s(100.0, 1.0) == 1.0
    assert backoff.capacity(100.0) == 400


def test_after_twenty_one_is_tried_every_fifth_of_a_second() -> None:
    backoff = EndpointBackoff()
    fail(backoff, 20)
    assert backoff.allow(16, 100.0) == 1
    backoff.schedule_next(100.0)
    assert backoff.allow(16, 100.19) == 0
    assert 0 < backoff.wait_s(100.1, 1.0) <= 0.1001
    assert backoff.allow(16, 100.21) == 1
    assert backoff.capacity(100.21) == 16
    # A worker without backoff waits for events, not for time.
    assert backoff.wait_s(100.21, 1.0) == 1.0


@pytest.mark.parametrize("status", [None, 500])
def test_pauses_grow_to_half_a_minute_for_which_nobody_stays(status: int | None) -> None:
    backoff = EndpointBackoff()
    fail(backoff, 20, status)
    backoff.schedule_next(100.0)
    assert backoff.is_paused(100.1)
    assert not backoff.is_paused_long(100.1)
    fail(backoff, 100_000, status)
    backoff.schedule_next(100.0)
    assert backoff.allow(16, 129.9) == 0
    assert backoff.is_paused_long(100.0)
    assert backoff.allow(16, 130.0) > 0
    assert not backoff.is_paused(130.0)


def test_a_responding_endpoint_is_tried_more_often() -> None:
    unreachable, failing = EndpointBackoff(), EndpointBackoff()
    fail(unreachable, 120)
    fail(failing, 120, 503)
    for each in (unreachable, failing):
        each.schedule_next(100.0)
    assert (unreachable.allow(16, 101.0), failing.allow(16, 101.0)) == (0, 8)


@pytest.mark.parametrize("status", [200, 204, 404])
def test_one_answer_is_enough_to_go_on(status: int) -> None:
    backoff = EndpointBackoff()
    fail(backoff, 1000)
    backoff.schedule_next(100.0)
    backoff.record_attempt(status, 100.0)
    assert backoff.allow(16, 100.0) == 16


def test_failures_between_successes_cause_no_backoff() -> None:
    backoff = EndpointBackoff()
    backoff.record_attempt(200, 100.0)
    fail(backoff, 1000, 500)
    backoff.schedule_next(100.0)
    assert backoff.allow(16, 104.9) == 16
    # And then it does not stop at once.
    assert backoff.allow(16, 105.0) == 8


def test_endpoints_that_were_deleted_take_no_more_memory() -> None:
    remembered: dict[UUID, int] = {}
    for number in range(ENDPOINTS_MAX):
        put(remembered, UUID(int=number), 0)
    # The oldest becomes the newest, and the next one makes room.
    put(remembered, UUID(int=0), 1)
    put(remembered, UUID(int=ENDPOINTS_MAX), 2)
    assert len(remembered) == ENDPOINTS_MAX
    assert UUID(int=1) not in remembered
    assert list(remembered.items())[-2:] == [(UUID(int=0), 1), (UUID(int=ENDPOINTS_MAX), 2)]
