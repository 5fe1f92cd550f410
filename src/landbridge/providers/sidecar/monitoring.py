"""Metrics of connected providers."""

from collections.abc import Collection

from prometheus_client import Gauge

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar import call_store, credit_store, waiting_store
from landbridge.providers.sidecar.calls import RETENTION

_KINDS = ("application", "credit", "order", "screening")

POLL_AGE = Gauge(
    "landbridge_provider_poll_age_seconds",
    "Seconds since a provider last answered a poll for credits.",
    ["provider"],
    multiprocess_mode="mostrecent",
)
PROBLEMS = Gauge(
    "landbridge_provider_problems",
    "Orders, credits, screenings and applications at a provider that need a person.",
    ["provider", "kind"],
    multiprocess_mode="mostrecent",
)
WAITING = Gauge(
    "landbridge_provider_waiting_orders",
    "Payouts at a provider that are not final.",
    ["provider"],
    multiprocess_mode="mostrecent",
)
OLDEST_S = Gauge(
    "landbridge_provider_oldest_order_seconds",
    "Age of the oldest payout at a provider that is not final; 0 without one.",
    ["provider"],
    multiprocess_mode="mostrecent",
)


async def watch_providers(database: Database, clock: Clock, providers: Collection[str]) -> None:
    """Set the metrics of these and all ever polled providers; delete old counts of calls."""
    answered_at = await database.single(credit_store.answered_at)
    problems = await database.single(waiting_store.count_problems)
    waiting = await database.single(waiting_store.count)
    now = clock.now()
    await database.single(lambda tx: call_store.sweep(tx, now - RETENTION))
    for name, at in answered_at.items():
        POLL_AGE.labels(name).set(max((now - at).total_seconds(), 0))
    for name in {*providers, *answered_at}:
        count, oldest = waiting.get(name, (0, now))
        WAITING.labels(name).set(count)
        OLDEST_S.labels(name).set(max((now - oldest).total_seconds(), 0))
        for kind in _KINDS:
            PROBLEMS.labels(name, kind).set(problems.get((kind, name), 0))
