from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.pagination import parse_moment

zones = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(
    st.datetimes(datetime(1000, 1, 2), datetime(9999, 12, 30), timezones=zones)  # noqa: DTZ001
)
def test_a_moment_with_an_offset_is_read_back_in_utc(moment: datetime) -> None:
    parsed = parse_moment(moment.isoformat())
    assert (parsed, parsed.tzinfo) == (moment, UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-05", datetime(2026, 1, 5, tzinfo=UTC)),
        ("2026-01-05T01:02:03Z", datetime(2026, 1, 5, 1, 2, 3, tzinfo=UTC)),
        ("2026-01-05T01:02:03.000004Z", datetime(2026, 1, 5, 1, 2, 3, 4, tzinfo=UTC)),
        # A plus sign in a URL that was not percent-encoded.
        ("2026-01-05T01:00:00 02:00", datetime(2026, 1, 4, 23, tzinfo=UTC)),
    ],
)
def test_dates_and_timestamps_are_understood(text: str, expected: datetime) -> None:
    assert parse_moment(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "yesterday", "2026-13-01", "2026-02-30", "1767571200", "01/05/2026"),
        *("2026-01-05T01:02:03", "2026-01-05 01:02:03", "2026-W01-1", "20260105"),
        *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "\u0662026-01-05"),
    ],
)
def test_anything_else_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="neither a date"):
        parse_moment(text)
