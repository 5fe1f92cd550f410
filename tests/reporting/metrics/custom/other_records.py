"""Users, approvals, deliveries and balances as records of the brute-force calculation."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from math import ceil
from random import Random
from typing import Any
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.reporting.delivery_counts import DeliveryCount, DeliveryOutcome, count
from landbridge.reporting.metrics.model import MetricResult
from tests.reporting.metrics.builtin.history import History, rounded_ms
from tests.reporting.metrics.custom.brute_force import (
    ExpectedRecord,
    coins,
    matching,
    moment,
    value,
)
from tests.reporting.metrics.custom.random_history import DAYS, START
from tests.tenants import Tenant

_USERS = "select created_at, type from users where org_id = $1"
_APPROVALS = "select created_at, updated_at, status from approvals where org_id = $1"
_ENTRIES = """
select occurred_at, asset, coalesce(role, 'customers') as holder, available + held as units
from entries
where org_id = $1
"""
_DELIVERIES = 300
_ANSWERED = frozenset({DeliveryOutcome.DELIVERED, DeliveryOutcome.REFUSED, DeliveryOutcome.FAILED})
# Upper bounds of the durations of deliveries, in milliseconds.
_STEPS = (*range(10), *(
    step * 10**power for power in range(7) for step in (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
))  # fmt: skip
_DOLLARS = frozenset({"usdc", "usdt", "usd"})


async def users(history: History) -> list[ExpectedRecord]:
    """Return the users of a history."""
    return [
        _record(row["created_at"], {"userType": row["type"]}) for row in await history.rows(_USERS)
    ]


async def approvals(history: History) -> list[ExpectedRecord]:
    """Return the approvals of a history; a decided one took until its last change."""
    outcomes = {"APPROVED": "completed", "REJECTED": "failed"}
    found: list[ExpectedRecord] = []
    for row in await history.rows(_APPROVALS):
        outcome = outcomes.get(row["status"], "unfinished")
        waited = row["updated_at"] - row["created_at"]
        took = rounded_ms(max(ceil(waited / timedelta(milliseconds=1)), 0))
        dims = {"approvalStatus": row["status"], "outcome": outcome}
        found.append(
            _record(row["created_at"], dims, took_ms=None if outcome == "unfinished" else took)
        )
    return found


async def make_deliveries(
    org: Tenant, random: Random, endpoints: Sequence[UUID]
) -> list[ExpectedRecord]:
    """Count random deliveries and return their attempts."""
    found: list[ExpectedRecord] = []
    for endpoint in endpoints:
        counted = [
            DeliveryCount(
                START + timedelta(seconds=random.randrange(DAYS * 86_400)),
                random.choice(list(DeliveryOutcome)),
                random.randrange(3_000),
            )
            for _ in range(_DELIVERIES)
        ]

        async def work(
            tx: Tx, endpoint: UUID = endpoint, counted: Sequence[DeliveryCount] = counted
        ) -> None:
            await count(tx, org.org_id, endpoint, counted)

        await org.container.database.transact(work)
        found += [_attempt(each, endpoint) for each in counted if each.outcome != "given_up"]
    return found


def _attempt(each: DeliveryCount, endpoint: UUID) -> ExpectedRecord:
    took = next(step for step in _STEPS if step >= each.duration_ms)
    outcome = "completed" if each.outcome is DeliveryOutcome.DELIVERED else "failed"
    dims = {"endpointId": str(endpoint), "outcome": outcome}
    return _record(each.at, dims, took_ms=took if each.outcome in _ANSWERED else None)


async def balances(history: History) -> list[ExpectedRecord]:
    """Return what every entry of the ledger adds to a balance."""
    found: list[ExpectedRecord] = []
    for row in await history.rows(_ENTRIES):
        currency, chain = row["asset"].split(":")
        amount = coins(row["asset"], row["units"])
        dims = {"currency": currency, "chain": chain, "holder": row["holder"]}
        usd = amount if currency in _DOLLARS else Fraction()
        found.append(_record(row["occurred_at"], dims, amount=(currency, amount), usd=usd))
    return found


def expected_balances(
    found: Sequence[ExpectedRecord],
    definition: Mapping[str, Any],
    params: Mapping[str, Any],
    names: Mapping[str, str],
    result: MetricResult,
) -> dict[tuple[str, ...], Any]:
    """Return the balance of every row: the sum of all entries before the end of its period."""
    ours = [each for each in found if matching(each, definition, params, names)]
    measure = definition["measure"]
    if not definition.get("filters", {}).get("holders") and not params.get("holders"):
        measure = _of_customers(measure)
    periods = sorted({row.period for row in result.rows})
    zone = params["timeZone"]
    last = moment(params["createdBefore"], zone)
    ends = [*(moment(each.isoformat(), zone) for each in periods[1:]), last]
    end_of = dict(zip(periods, ends, strict=True))
    rows: dict[tuple[str, ...], Any] = {}
    for row in result.rows:
        entries = [
            each
            for each in ours
            if each.at < end_of[row.period]
            and all(each.dims[name] == wanted for name, wanted in row.dims.items())
        ]
        rows[row.period.isoformat(), *row.dims.values()] = value(entries, measure, names)
    return rows


def _of_customers(measure: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a measure whose numbers are of customers, unless they name holders themselves."""
    if "left" in measure:
        return {**measure, **{side: _of_customers(measure[side]) for side in ("left", "right")}}
    return {**measure, "filters": {"holders": ["customers"], **measure.get("filters", {})}}


def _record(
    at: datetime,
    dims: Mapping[str, str],
    *,
    took_ms: int | None = None,
    amount: tuple[str, Fraction] = ("none", Fraction()),
    usd: Fraction | None = None,
) -> ExpectedRecord:
    return ExpectedRecord(
        at=at, dims=dims, usd=usd or Fraction(), amount=amount, fees={}, took_ms=took_ms
    )
