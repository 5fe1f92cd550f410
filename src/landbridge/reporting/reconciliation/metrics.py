"""Metrics of reconciliation, over all organisations."""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from prometheus_client import Gauge

from landbridge.platform.db.pool import Tx
from landbridge.reporting.reconciliation import halt_store, store
from landbridge.reporting.reconciliation.sources import ReconSourceName

SINCE_GOOD_RUN = Gauge(
    "landbridge_reconciliation_seconds_since_good_run",
    "Seconds since a source was last compared to its end, in the organisation that waits longest.",
    ["source"],
    multiprocess_mode="mostrecent",
)
OPEN_UNITS = Gauge(
    "landbridge_reconciliation_open_units",
    "Smallest units of open differences, without their sign.",
    ["asset"],
    multiprocess_mode="mostrecent",
)
OLDEST_DIFFERENCE = Gauge(
    "landbridge_reconciliation_oldest_difference_seconds",
    "Age of the oldest open difference of a source, in any organisation; 0 without one.",
    ["source"],
    multiprocess_mode="mostrecent",
)
OPEN_DIFFERENCES = Gauge(
    "landbridge_reconciliation_open_differences",
    "Differences that timing does not explain; without an asset, of a whole source.",
    ["asset"],
    multiprocess_mode="mostrecent",
)
HALTED = Gauge(
    "landbridge_reconciliation_halted",
    "Halts of payments in force on a chain, over all organisations.",
    ["source"],
    multiprocess_mode="mostrecent",
)


async def measure(
    tx: Tx, clocks: Mapping[UUID, datetime], sources: Collection[str], assets: Collection[str]
) -> None:
    """Set all metrics; `clocks` are the organisations' times, and `sources` chains."""
    since_good = await store.seconds_since_good(tx, clocks)
    for source, seconds in since_good.items():
        SINCE_GOOD_RUN.labels(source).set(seconds)
    # Only banks that are compared, because there may be many possible accounts.
    banks = [each for each in map(ReconSourceName, since_good) if each.is_bank]
    oldest = await store.oldest_seconds(tx, clocks)
    halted = await halt_store.count_in_force(tx, clocks)
    for source in sources:
        HALTED.labels(source).set(halted.get(source, 0))
    for source in (*sources, *banks):
        OLDEST_DIFFERENCE.labels(source).set(oldest.get(source, 0))
    units = await store.open_units(tx, clocks)
    for asset in ("", *assets, *(each.bank_asset.code for each in banks)):
        open_units, count = units.get(asset, (0, 0))
        OPEN_UNITS.labels(asset).set(open_units)
        OPEN_DIFFERENCES.labels(asset).set(count)
