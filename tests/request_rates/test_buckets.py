from hypothesis import given
from hypothesis import strategies as st

from landbridge.request_rates.buckets import WINDOW_S, Buckets

RATES = st.integers(1, 5_000)


@given(RATES)
def test_a_full_bucket_has_ten_seconds_of_its_rate(rate: int) -> None:
    buckets = Buckets(rate)
    assert buckets.capacity == rate * WINDOW_S
    levels = [buckets.take("a", 100.0) for _ in range(min(buckets.capacity, 500))]
    assert all(each.is_taken for each in levels)
    assert [each.left for each in levels] == [
        buckets.capacity - 1 - place for place in range(len(levels))
    ]


def test_one_beyond_waits_until_a_token_is_there_and_takes_nothing() -> None:
    buckets = Buckets(2)
    for _ in range(buckets.capacity):
        assert buckets.take("a", 100.0).is_taken
    for _ in range(3):
        level = buckets.take("a", 100.0)
        assert (level.is_taken, level.left, level.wait_s) == (False, 0, 0.5)
    assert buckets.take("b", 100.0).is_taken
    assert not buckets.take("a", 100.49).is_taken
    assert buckets.take("a", 100.5).is_taken
    assert not buckets.take("a", 100.5).is_taken


@given(RATES, st.lists(st.floats(0, 3), max_size=60), st.integers(1, 20))
def test_nobody_gets_more_than_a_bucket_and_its_rate(
    rate: int, pauses_s: list[float], each_time: int
) -> None:
    buckets, now_s, taken = Buckets(rate), 100.0, 0
    for pause_s in pauses_s:
        now_s += pause_s
        for _ in range(each_time):
            level = buckets.take("a", now_s)
            taken += level.is_taken
            assert level.is_taken or buckets.take("a", now_s + level.wait_s + 1e-6).is_taken
            taken += not level.is_taken
            now_s += 0.0 if level.is_taken else level.wait_s + 1e-6
    assert taken <= buckets.capacity + (now_s - 100.0) * rate + 1


def test_only_what_is_not_full_is_kept() -> None:
    buckets = Buckets(1)
    buckets.take("a", 100.0)
    buckets.take("b", 101.0)
    buckets.sweep(101.5)
    assert (buckets.empty_s("a", 101.5), buckets.empty_s("b", 101.5)) == (0, 0.5)


def test_what_others_know_counts_up_to_a_whole_bucket() -> None:
    buckets = Buckets(1)
    buckets.set_empty_s("a", 60.0, 100.0)
    level = buckets.take("a", 100.0)
    assert (level.is_taken, level.full_in_s, level.wait_s) == (False, WINDOW_S, 1.0)
