"""Outcomes, durations and approvals equal plain statements on the records."""

import re
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import landbridge.platform.db
from landbridge.reporting.metrics.builtin.kinds import OUTCOME_OF
from tests.reporting.metrics.builtin.history import History, check, fold, rounded_ms, values_by_key

every_interval = pytest.mark.parametrize("interval", ["day", "week", "month"])
_TYPES = {
    "ONRAMP": "onramp",
    "OFFRAMP": "offramp",
    "WALLET.TRANSFER": "transfer",
    "WALLET.TRANSFER.BATCH": "transfer",
    "WALLET.SWAP": "swap",
    "WALLET.BRIDGE": "bridge",
}
_FAILED = {each for each, outcome in OUTCOME_OF.items() if outcome == "failed"}
_ENDS = """
select date_trunc($2, created_at at time zone 'UTC')::date::text as period, kind, status,
    coalesce(facts ->> 'failed_reason', facts ->> 'error') as reason
from transfers
where org_id = $1 and kind = any($3::text[])
"""
NO_OUTCOME: Mapping[str, Any] = {
    "transactionCount": 0,
    "completedCount": 0,
    "failedCount": 0,
    "unfinishedCount": 0,
    "successRate": None,
    "failureRate": None,
}


def _outcomes(counts: Counter[str]) -> dict[str, Any]:
    completed, failed = counts["completed"], counts["failed"]
    finished = completed + counts["any"]
    return {
        "transactionCount": finished + counts["unfinished"],
        "completedCount": completed,
        "failedCount": failed,
        "unfinishedCount": counts["unfinished"],
        "successRate": _share(completed, finished),
        "failureRate": _share(failed, finished),
    }


def _share(part: int, whole: int) -> Decimal | None:
    """Round in whole numbers, half up."""
    return Decimal((part * 20_000 + whole) // (2 * whole)) / 10_000 if whole else None


async def _ends(history: History, interval: str) -> list[tuple[str, str, str, str]]:
    rows = await history.rows(_ENDS, interval, list(_TYPES))
    return [
        (
            row["period"],
            _TYPES[row["kind"]],
            "completed"
            if row["status"] == "COMPLETED"
            else "failed"
            if (row["kind"], row["status"]) in _FAILED
            else "unfinished",
            row["reason"] or row["status"],
        )
        for row in rows
    ]


@every_interval
async def test_outcomes_by_type(history: History, interval: str) -> None:
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for period, type_, end, _ in await _ends(history, interval):
        found = counts.setdefault((period, type_), Counter())
        found.update([end, "any"] if end == "failed" else [end])
    expected = {key: _outcomes(each) for key, each in counts.items()}
    assert any(each["unfinishedCount"] for each in expected.values())
    assert {key[1] for key, each in expected.items() if each["failedCount"]} == {*_TYPES.values()}
    for _ in range(2):
        result = await history.calculate("OUTCOMES", interval, breakdowns=["transactionType"])
        check(result, expected, NO_OUTCOME)
        await fold(history.org)


@every_interval
@pytest.mark.parametrize("types", [None, ["swap"], ["offramp", "onramp"]])
async def test_outcomes_of_all_together(
    history: History, interval: str, types: list[str] | None
) -> None:
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for period, type_, end, _ in await _ends(history, interval):
        if types is None or type_ in types:
            found = counts.setdefault((period,), Counter())
            found.update([end, "any"] if end == "failed" else [end])
    expected = {key: _outcomes(each) for key, each in counts.items()}
    more = {} if types is None else {"transactionTypes": types}
    for _ in range(2):
        check(await history.calculate("OUTCOMES", interval, **more), expected, NO_OUTCOME)
        await fold(history.org)


@every_interval
@pytest.mark.parametrize("types", [None, ["swap"], ["offramp", "onramp"]])
async def test_failures_by_reason_beside_all(
    history: History, interval: str, types: list[str] | None
) -> None:
    ends = await _ends(history, interval)
    ours = [each for each in ends if types is None or each[1] in types]
    reasons = {reason for _, _, end, reason in ours if end == "failed"}
    assert len(reasons) > (types is None)
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for period, _, end, reason in ours:
        for each in reasons:
            found = counts.setdefault((period, each), Counter())
            found["any" if end == "failed" else end] += 1
            found["failed"] += end == "failed" and reason == each
    expected = {key: _outcomes(each) for key, each in counts.items()}
    more = {} if types is None else {"transactionTypes": types}
    result = await history.calculate("OUTCOMES", interval, breakdowns=["reason"], **more)
    check(result, expected, NO_OUTCOME)


async def test_failures_for_some_reasons_together(history: History) -> None:
    ends = await _ends(history, "year")
    reasons = sorted({reason for _, _, end, reason in ends if end == "failed"})[:2]
    assert len(reasons) == 2
    expected: dict[tuple[str, ...], Any] = {}
    for period in {each[0] for each in ends}:
        ours = [each for each in ends if each[0] == period]
        counts = Counter("any" if end == "failed" else end for _, _, end, _ in ours)
        counts["failed"] = sum(end == "failed" and each in reasons for _, _, end, each in ours)
        expected[period,] = _outcomes(counts)
    check(await history.calculate("OUTCOMES", "year", reasons=reasons), expected, NO_OUTCOME)
    by_type = values_by_key(
        await history.calculate("OUTCOMES", "year", reasons=reasons, breakdowns=["transactionType"])
    )
    for period in expected:
        rows = [each for key, each in by_type.items() if key[0] == period[0]]
        for name in ("transactionCount", "failedCount", "completedCount"):
            assert sum(each[name] for each in rows) == expected[period][name]


def test_failures_have_reasons_in_the_log() -> None:
    migrations = Path(landbridge.platform.db.__file__).parent / "migrations"
    text = (migrations / "0021_reporting.sql").read_text()
    pairs = {
        (kind, status)
        for kind, statuses in re.findall(r"when '([A-Z.]+)' then array\[([^\]]*)\]", text)
        for status in re.findall(r"'([A-Z_]+)'", statuses)
    }
    assert sorted(pairs) == sorted(_FAILED)


def test_types_cover_every_kind_with_a_duration() -> None:
    migrations = Path(landbridge.platform.db.__file__).parent / "migrations"
    text = (migrations / "0021_reporting.sql").read_text()
    completed, reopened = re.findall(r"and r\.kind in \(([^)]*)\)", text)
    assert completed == reopened
    assert sorted(re.findall(r"'([A-Z.]+)'", completed)) == sorted(_TYPES)


_TIMES = """
select date_trunc($2, t.created_at at time zone 'UTC')::date::text as period, t.kind,
    ceil(extract(epoch from c.occurred_at - t.created_at) * 1000)::bigint as ms
from transfers t
join changes c on c.org_id = t.org_id and c.object_id = t.id and c.status_after = 'COMPLETED'
where t.org_id = $1 and t.kind = any($3::text[])
"""
_PERCENTILES = """
select percentile_disc(0.5) within group (order by ms) as half,
    percentile_disc(0.95) within group (order by ms) as most
from unnest($2::bigint[]) as ms
where $1::uuid is not null
"""


async def _percentiles(history: History, ms: list[int]) -> dict[str, Decimal | None]:
    (row,) = await history.rows(_PERCENTILES, ms)
    return {
        "p50Seconds": None if row["half"] is None else Decimal(rounded_ms(row["half"])) / 1000,
        "p95Seconds": None if row["most"] is None else Decimal(rounded_ms(row["most"])) / 1000,
    }


NO_TIME = {"transactionCount": 0, "p50Seconds": None, "p95Seconds": None}


@every_interval
@pytest.mark.parametrize("has_types", [False, True])
async def test_time_to_completion(history: History, interval: str, *, has_types: bool) -> None:
    times: dict[tuple[str, ...], list[int]] = {}
    for row in await history.rows(_TIMES, interval, list(_TYPES)):
        key = (row["period"], _TYPES[row["kind"]])[: 1 + has_types]
        times.setdefault(key, []).append(row["ms"])
    expected = {
        key: {"transactionCount": len(ms), **await _percentiles(history, ms)}
        for key, ms in times.items()
    }
    more = {"breakdowns": ["transactionType"]} if has_types else {}
    for _ in range(2):
        check(await history.calculate("COMPLETION_TIME", interval, **more), expected, NO_TIME)
        await fold(history.org)


async def test_time_to_completion_of_some_types(history: History) -> None:
    rows = await history.rows(_TIMES, "year", ["WALLET.SWAP", "ONRAMP"])
    times: dict[tuple[str, ...], list[int]] = {}
    for row in rows:
        times.setdefault((row["period"],), []).append(row["ms"])
    expected = {
        key: {"transactionCount": len(ms), **await _percentiles(history, ms)}
        for key, ms in times.items()
    }
    types = ["swap", "onramp"]
    check(
        await history.calculate("COMPLETION_TIME", "year", transactionTypes=types),
        expected,
        NO_TIME,
    )


_APPROVALS = """
select date_trunc($2, created_at at time zone 'UTC')::date::text as period, status,
    ceil(extract(epoch from updated_at - created_at) * 1000)::bigint as ms
from approvals
where org_id = $1
"""
NO_APPROVAL = {"approvalCount": 0, "decidedCount": 0, "p50Seconds": None, "p95Seconds": None}


@every_interval
@pytest.mark.parametrize("has_statuses", [False, True])
async def test_turnaround_of_approvals(
    history: History, interval: str, *, has_statuses: bool
) -> None:
    rows = await history.rows(_APPROVALS, interval)
    assert {row["status"] for row in rows} == {"PENDING", "APPROVED", "REJECTED", "EXPIRED"}
    expected: dict[tuple[str, ...], dict[str, Any]] = {}
    for key in {(row["period"], row["status"])[: 1 + has_statuses] for row in rows}:
        ours = [row for row in rows if (row["period"], row["status"])[: 1 + has_statuses] == key]
        decided = [row["ms"] for row in ours if row["status"] in {"APPROVED", "REJECTED"}]
        expected[key] = {
            "approvalCount": len(ours),
            "decidedCount": len(decided),
            **await _percentiles(history, decided),
        }
    more = {"breakdowns": ["approvalStatus"]} if has_statuses else {}
    for _ in range(2):
        check(
            await history.calculate("APPROVAL_TURNAROUND", interval, **more), expected, NO_APPROVAL
        )
        await fold(history.org)
