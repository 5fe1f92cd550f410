"""Brute-force sums from transactions and log, in Python with an independent calendar.

Neither roll-ups nor the views behind them are read.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime, timedelta
from decimal import ROUND_DOWN, Decimal
from itertools import count
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.app.container import TRANSITIONS
from landbridge.platform.db.pool import Row, Tx
from landbridge.reporting.rollups.model import (
    TIMED,
    Durations,
    Interval,
    RollupMeasure,
    RollupSum,
    Span,
)
from landbridge.reporting.rollups.service import Rollups

Key = tuple[date, UUID | None, str, str, str]
Amounts = tuple[int, int, int, int]
# Time, user, and values of (a, b, c).
Line = tuple[datetime, UUID | None, str, str, str, Amounts]

_ONE: Amounts = (1, 0, 0, 0)
# Kinds that are completed at creation.
_AT_ONCE = frozenset({"WALLET.DEPOSIT", "LEDGER.CORRECTION", "ACCOUNT.MICRO_DEPOSIT"})
_RECORDS = """
select kind, user_id, status, created_at as occurred_at, source_asset, source_units,
    destination_asset,
    destination_units, details ->> 'worth_usd' as worth_usd, facts ->> 'worth_usd' as later_worth,
    facts ? 'worth_usd' as is_refreshed,
    details ->> 'amount_units' as amount_units, facts ->> 'amount_units' as later_amount,
    facts ->> 'failed_reason' as failed_reason, facts ->> 'error' as error,
    (
        select c.occurred_at from changes c
        where c.org_id = t.org_id and c.object_id = t.id and c.status_after = 'COMPLETED'
            and t.status = 'COMPLETED'
    ) as completed_at
from transfers t
where org_id = $1
"""
_ENTRIES = """
select e.asset, e.role, e.available, e.held, e.occurred_at, t.kind
from entries e
join transfers t on t.org_id = e.org_id and t.id = e.transfer_id
where e.org_id = $1
"""
_USERS = "select created_at as occurred_at from users where org_id = $1"
_APPROVALS = """
select status, created_at as occurred_at, updated_at from approvals where org_id = $1
"""


def comparable(sums: Iterable[RollupSum]) -> dict[Key, Amounts]:
    """Sums as they are compared."""
    found = {
        (each.period, each.user_id, each.a, each.b, each.c): (
            *(each.count, each.units, each.other_units, each.usd_cents),
        )
        for each in sums
    }
    assert len(found) == len(list(sums))
    return found


def comparable_durations(durations: Iterable[Durations]) -> dict[Key, Amounts]:
    """Durations as they are compared: as if they were sums, `b` the milliseconds."""
    rows = list(durations)
    assert len({(each.period, each.a) for each in rows}) == len(rows)
    return {
        (each.period, None, each.a, str(ms), ""): (count, 0, 0, 0)
        for each in rows
        for ms, count in each.counts.items()
    }


async def query_sums(
    rollups: Rollups, org_id: UUID, measure: RollupMeasure, kinds: Collection[str], span: Span
) -> dict[Key, Amounts]:
    """Return the sums of the roll-ups in comparable form."""
    if measure in TIMED:
        return comparable_durations(await rollups.durations(org_id, measure, span, kinds))
    return comparable(await rollups.sums(org_id, measure, kinds, span))


async def sums(
    tx: Tx, org_id: UUID, measure: RollupMeasure, kinds: Collection[str], span: Span
) -> Any:
    """Return the expected answer of `Rollups.sums`."""
    return summed(await _lines(tx, org_id, measure, kinds), span)


async def sums_of_users(
    tx: Tx, org_id: UUID, user_ids: Collection[UUID], kinds: Collection[str], span: Span
) -> Any:
    """Return the expected answer of `Rollups.sums_of_users`."""
    lines = [
        (record["occurred_at"], record["user_id"], record["kind"], record["status"], "", amounts)
        for record in await tx.fetch(_RECORDS, org_id)
        if record["kind"] in kinds and record["user_id"] in user_ids
        for amounts in [(1, 0, 0, _cents(record))]
    ]
    return summed(lines, span)


def summed(lines: Sequence[Line], span: Span) -> dict[Key, Amounts]:
    zone = ZoneInfo(span.zone)
    found: defaultdict[Key, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for at, user_id, a, b, c, amounts in lines:
        if span.after <= at < span.before:
            key = (_period(at.astimezone(zone).date(), span.interval), user_id, a, b, c)
            found[key] = [x + y for x, y in zip(found[key], amounts, strict=True)]
    return {
        key: (amounts[0], amounts[1], amounts[2], amounts[3])
        for key, amounts in found.items()
        if amounts[0] or amounts[1]
    }


async def _lines(
    tx: Tx, org_id: UUID, measure: RollupMeasure, kinds: Collection[str]
) -> list[Line]:
    table = {
        **dict.fromkeys((RollupMeasure.STATE, RollupMeasure.TIME, RollupMeasure.SWAP), _RECORDS),
        **dict.fromkeys((RollupMeasure.FEE, RollupMeasure.BALANCE), _ENTRIES),
        RollupMeasure.USER: _USERS,
        RollupMeasure.APPROVAL: _APPROVALS,
    }[measure]
    rows = await tx.fetch(table, org_id)
    lines = [line for row in rows if (line := _line(measure, row)) is not None]
    by_kind = measure in {RollupMeasure.STATE, RollupMeasure.TIME}
    return [each for each in lines if not by_kind or each[2] in kinds]


def _line(measure: RollupMeasure, row: Row) -> Line | None:
    at = row["occurred_at"]
    found: tuple[str, str, str, Amounts]
    match measure:
        case RollupMeasure.STATE:
            found = (row["kind"], row["status"], reason(row), (1, 0, 0, _cents(row)))
        case RollupMeasure.TIME if row["completed_at"] is not None:
            if row["kind"] in _AT_ONCE:
                return None
            found = (row["kind"], str(rounded(row["completed_at"] - at)), "", _ONE)
        case RollupMeasure.SWAP if row["kind"] == "WALLET.SWAP" and row["status"] == "COMPLETED":
            amounts = (1, int(row["source_units"]), int(row["destination_units"]), _cents(row))
            found = (row["source_asset"], row["destination_asset"], "", amounts)
        case RollupMeasure.FEE if row["role"] == "fees":
            count = 1 if row["available"] > 0 else -1
            found = (row["kind"], row["asset"], "", (count, int(row["available"]), 0, 0))
        case RollupMeasure.BALANCE:
            moved = int(row["available"] + row["held"])
            found = (row["asset"], row["role"] or "customers", "", (0, moved, 0, 0))
        case RollupMeasure.USER:
            found = ("", "", "", _ONE)
        case RollupMeasure.APPROVAL:
            took = timedelta() if row["status"] == "PENDING" else row["updated_at"] - at
            found = (row["status"], str(rounded(took)), "", _ONE)
        case _:
            return None
    a, b, c, amounts = found
    return at, None, a, b, c, amounts


def reason(record: Row) -> str:
    """Return the failure reason of a record that ended without completing."""
    moves = TRANSITIONS.get(record["kind"])
    has_ended = moves is not None and not moves.table[record["status"]]
    if not has_ended or record["status"] == "COMPLETED":
        return ""
    comparable = str(record["failed_reason"] or record["error"] or "")
    return re.sub(r"\b[0-9]+([.,][0-9]+)*\b", "#", comparable)[:100]


def rounded(took: timedelta) -> int:
    """Milliseconds, rounded up to the next of E12; as they are below ten."""
    ms = max(-(-took // timedelta(milliseconds=1)), 0)
    if ms < 10:
        return ms
    return next(
        each * 10**power
        for power in count()
        for each in (10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82)
        if each * 10**power >= ms
    )


def _cents(record: Row) -> int:
    if record["status"] != "COMPLETED":
        return 0
    units = Decimal(record["source_units"])
    match record["kind"]:
        case "ONRAMP":
            worth = record["later_worth"] if record["is_refreshed"] else record["worth_usd"]
            if worth is not None:
                dollars = Decimal(worth)
            elif record["source_asset"] == "usd:BANK":
                dollars = units / 100
            else:
                dollars = Decimal(record["destination_units"]) / 1_000_000
        case "OFFRAMP":
            dollars = Decimal(record["later_amount"] or record["amount_units"]) / 1_000_000
        case _:
            dollars = units / 1_000_000
    return int((dollars * 100).to_integral_value(ROUND_DOWN))


def _period(day: date, interval: Interval) -> date:
    match interval:
        case Interval.DAY:
            return day
        case Interval.WEEK:
            return day - timedelta(days=day.weekday())
        case Interval.MONTH:
            return day.replace(day=1)
        case Interval.QUARTER:
            return day.replace(day=1, month=(day.month - 1) // 3 * 3 + 1)
        case Interval.YEAR:
            return day.replace(day=1, month=1)
