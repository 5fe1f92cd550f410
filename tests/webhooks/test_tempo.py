"""An endpoint at which nothing gets through is tried seldom, until something does."""

import pytest

from landbridge.webhooks.delivering.tempo import Tempo


def fail(tempo: Tempo, times: int, status: int | None = None) -> None:
    for _ in range(times):
        tempo.heard(status, 100.0)


def test_a_few_failures_change_nothing() -> None:
    tempo = Tempo()
    fail(tempo, 19)
    tempo.tried(100.0)
    assert tempo.allow(16, 100.0) == 16
    assert tempo.wait_s(100.0, 1.0) == 1.0
    assert tempo.room(100.0) == 400


def test_after_twenty_one_is_tried_every_fifth_of_a_second() -> None:
    tempo = Tempo()
    fail(tempo, 20)
    assert tempo.allow(16, 100.0) == 1
    tempo.tried(100.0)
    assert tempo.allow(16, 100.19) == 0
    assert 0 < tempo.wait_s(100.1, 1.0) <= 0.1001
    assert tempo.allow(16, 100.21) == 1
    assert tempo.room(100.21) == 16
    # Who may go on waits for something to send, not for the time.
    assert tempo.wait_s(100.21, 1.0) == 1.0


@pytest.mark.parametrize("status", [None, 500])
def test_pauses_grow_to_half_a_minute_for_which_nobody_stays(status: int | None) -> None:
    tempo = Tempo()
    fail(tempo, 20, status)
    tempo.tried(100.0)
    assert tempo.rests(100.1)
    assert not tempo.rests_long(100.1)
    fail(tempo, 100_000, status)
    tempo.tried(100.0)
    assert tempo.allow(16, 129.9) == 0
    assert tempo.rests_long(100.0)
    assert tempo.allow(16, 130.0) > 0
    assert not tempo.rests(130.0)


def test_one_that_answers_is_looked_at_more_often() -> None:
    away, failing = Tempo(), Tempo()
    fail(away, 120)
    fail(failing, 120, 503)
    for each in (away, failing):
        each.tried(100.0)
    assert (away.allow(16, 101.0), failing.allow(16, 101.0)) == (0, 8)


@pytest.mark.parametrize("status", [200, 204, 404])
def test_one_answer_is_enough_to_go_on(status: int) -> None:
    tempo = Tempo()
    fail(tempo, 1000)
    tempo.tried(100.0)
    tempo.heard(status, 100.0)
    assert tempo.allow(16, 100.0) == 16


def test_what_fails_beside_what_gets_through_slows_nothing() -> None:
    tempo = Tempo()
    tempo.heard(200, 100.0)
    fail(tempo, 1000, 500)
    tempo.tried(100.0)
    assert tempo.allow(16, 104.9) == 16
    # And then it does not stop at once.
    assert tempo.allow(16, 105.0) == 8
