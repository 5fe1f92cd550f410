"""Durations in tallies: counts per duration, from which percentiles are read.

A percentile is one of the durations, by nearest rank: the shortest duration that at least this
share of all durations does not exceed. It equals PostgreSQL's `percentile_disc`.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import accumulate
from typing import cast

from landbridge.platform.core.money import units_as_decimal
from landbridge.reporting.metrics.model import Tally

# Decimals of seconds in results, which have milliseconds.
_MS_DECIMALS = 3
# Text for descriptions: how the view report_deltas rounds durations.
ROUNDING = (
    "to one of 1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8 or 8.2 times a power of ten"
    " (below 10 milliseconds, to a whole one)"
)


def percentile_seconds(tally: Tally) -> Mapping[str, Decimal | None]:
    """Return `p50Seconds` and `p95Seconds`, to the millisecond; None without durations.

    The tally may contain only durations. There may be fifty in each of thousands of rows.
    """
    durations = sorted(cast("Mapping[int, int]", tally))
    so_far = list(accumulate(map(tally.__getitem__, durations)))
    return {
        "p50Seconds": _percentile_s(durations, so_far, 50),
        "p95Seconds": _percentile_s(durations, so_far, 95),
    }


def _percentile_s(durations: Sequence[int], so_far: Sequence[int], percent: int) -> Decimal | None:
    if not so_far or not so_far[-1]:
        return None
    rank = -(-percent * so_far[-1] // 100)
    return _seconds(durations[bisect_left(so_far, rank)])


@lru_cache(maxsize=1_000)
def _seconds(duration_ms: int) -> Decimal:
    return units_as_decimal(duration_ms, _MS_DECIMALS)
