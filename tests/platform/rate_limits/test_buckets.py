from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.rate_limits.buckets import WINDOW_S, TokenBuckets

RATES = st.integers(1, 5_000)


@given(RATES)
def test_full_bucket_has_ten_seconds_of_its_rate(rate: int) -> None:
    buckets = TokenBuckets(rate)
    assert buckets.capacity == rate * WINDOW_S
    levels = [buckets.take("a", 100.0) for _ in range(min(buckets.capacity, 500))]
    assert all(each.is_allowed for each in levels)
    assert [each.remaining for each in levels] == [
        buckets.capacity - 1 - index for index in range(len(levels))
    ]


def test_request_beyond_the_bucket_waits_and_takes_no_token() -> None:
    buckets = TokenBuckets(2)
    for _ in range(buckets.capacity):
        assert buckets.take("a", 100.0).is_allowed
    for _ in range(3):
        level = buckets.take("a", 100.0)
        assert (level.is_allowed, level.remaining, level.wait_s) == (False, 0, 0.5)
    assert buckets.take("b", 100.0).is_allowed
    assert not buckets.take("a", 100.49).is_allowed
    assert buckets.take("a", 100.5).is_allowed
    assert not buckets.take("a", 100.5).is_allowed


@given(RATES, st.lists(st.floats(0, 3), max_size=60), st.integers(1, 20))
def test_use_never_exceeds_a_bucket_and_its_rate(
    rate: int, pauses_s: list[float], each_time: int
) -> None:
    buckets, now_s, count = TokenBuckets(rate), 100.0, 0
    for pause_s in pauses_s:
        now_s += pause_s
        for _ in range(each_time):
            level = buckets.take("a", now_s)
            count += level.is_allowed
            assert level.is_allowed or buckets.take("a", now_s + level.wait_s + 1e-6).is_allowed
            count += not level.is_allowed
            now_s += 0.0 if level.is_allowed else level.wait_s + 1e-6
    assert count <= buckets.capacity + (now_s - 100.0) * rate + 1


def test_only_buckets_that_are_not_full_are_kept() -> None:
    buckets = TokenBuckets(1)
    buckets.take("a", 100.0)
    buckets.take("b", 101.0)
    buckets.sweep(101.5)
    assert (buckets.empty_s("a", 101.5), buckets.empty_s("b", 101.5)) == (0, 0.5)


def test_reported_use_counts_up_to_a_whole_bucket() -> None:
    buckets = TokenBuckets(1)
    buckets.set_empty_s("a", 60.0, 100.0)
    level = buckets.take("a", 100.0)
    assert (level.is_allowed, level.full_in_s, level.wait_s) == (False, WINDOW_S, 1.0)
