"""Durations in tallies: how many there were of each, from which percentiles are read.

A percentile is one of the durations, by nearest rank: the shortest that at least so many of all do
not exceed. That is PostgreSQL's `percentile_disc`.
"""

from collections.abc import Mapping
from decimal import Decimal

from landbridge.core.money import units_as_decimal
from landbridge.reporting.metrics.model import Tally

# Millionths of a second are kept by no template.
_MS_DECIMALS = 3
# As migration 0036 does; for descriptions.
ROUNDING = (
    "to one of 1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8 or 8.2 times a power of ten"
    " (below 10 milliseconds, to a whole one)"
)


def percentile_seconds(tally: Tally) -> Mapping[str, Decimal | None]:
    """`p50Seconds` and `p95Seconds`, to the millisecond; None without any durations."""
    counts = sorted((ms, count) for ms, count in tally.items() if isinstance(ms, int) and count)
    total = sum(count for _, count in counts)
    return {
        "p50Seconds": _percentile_s(counts, total, 50),
        "p95Seconds": _percentile_s(counts, total, 95),
    }


def _percentile_s(counts: list[tuple[int, int]], total: int, percent: int) -> Decimal | None:
    rank = -(-percent * total // 100)
    for ms, count in counts:
        rank -= count
        if rank <= 0:
            return units_as_decimal(ms, _MS_DECIMALS)
    return None
