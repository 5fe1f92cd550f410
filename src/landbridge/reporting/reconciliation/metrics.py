"""Metrics of reconciliation, over all organisations."""

from prometheus_client import Gauge

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
