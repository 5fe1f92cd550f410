"""Durations in tallies: counts per duration, from which percentiles are read.

A percentile is one of the durations, by nearest rank: the shortest that at least that share of all
do not exceed. It equals PostgreSQL's `percentile_disc`.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import accumulate

from landbridge.platform.core.money import units_as_decimal
from landbridge.reporting.metrics.model import Tally

# No template reports microseconds.
_MS_DECIMALS = 3
# As in the view report_deltas; used in descriptions.
ROUNDING = (
    "to one of 1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8 or 8.2 times a power of ten"
    " (below 10 milliseconds, to a whole one)"
)


def percentile_seconds(tally: Tally) -> Mapping[str, Decimal | None]:
    """Return `p50Seconds` and `p95Seconds`, to the millisecond; None without durations."""
    # Lists are faster than generators for thousands of periods.
    durations = sorted([each for each in tally if isinstance(each, int)])
    so_far = list(accumulate([tally[each] for each in durations]))
    return {f"p{percent}Seconds": _percentile_s(durations, so_far, percent) for percent in (50, 95)}


def _percentile_s(durations: Sequence[int], so_far: Sequence[int], percent: int) -> Decimal | None:
    if not so_far or not so_far[-1]:
        return None
    rank = -(-percent * so_far[-1] // 100)
    return units_as_decimal(durations[bisect_left(so_far, rank)], _MS_DECIMALS)
