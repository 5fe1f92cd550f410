"""Bounds of a template's cost: records, groups and time, each refused with what to narrow."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.session_settings import STATEMENT_TIMEOUT_MS
from landbridge.reporting.metrics.custom import bounds, record_store
from tests.reporting.metrics.custom.templates import COUNT, refusal
from tests.reporting.metrics.saved_metrics import METRICS
from tests.tenants import Tenant, fund, make_transfer, make_user

PREVIEW = f"{METRICS}/preview"
NARROWER = "shorten the range, name fewer transactionTypes, or use fewer breakdowns"


async def _today(org: Tenant, **definition: Any) -> dict[str, Any]:
    """Return the body of a preview of today."""
    today = (await org.container.orgs.now(org.org_id)).date().isoformat()
    params = {
        "createdAfter": today,
        "createdBefore": f"{today}T23:59:59Z",
        "calculationInterval": "day",
    }
    return {"definition": {**COUNT, **definition}, "params": params}


async def _transfers(org: Tenant, count: int) -> None:
    for _ in range(count):
        payer, payee = await make_user(org), await make_user(org)
        await fund(org, payer, "100")
        await make_transfer(org, payer, payee)


async def _values(org: Tenant, body: Mapping[str, Any]) -> list[Any]:
    return [row["value"] for row in (await org.post(PREVIEW, body))["data"]]


async def test_too_many_records_are_refused_with_what_to_narrow(
    still_org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _transfers(still_org, 3)
    body = await _today(still_org, filters={"chains": ["POLYGON"]})
    monkeypatch.setattr(bounds, "RECORDS_MAX", 3)
    assert await _values(still_org, body) == [3]
    monkeypatch.setattr(bounds, "RECORDS_MAX", 2)
    error = await refusal(still_org, "POST", PREVIEW, body)
    assert "range of 3 transactions" in error["details"]["createdAfter"]


async def test_too_many_users_are_refused(
    still_org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        await make_user(still_org)
    filters = {"userTypes": ["individual"]}
    body = await _today(still_org, subject="users", filters=filters)
    assert await _values(still_org, body) == [2]
    monkeypatch.setattr(bounds, "RECORDS_MAX", 1)
    error = await refusal(still_org, "POST", PREVIEW, body)
    assert error["details"]["createdAfter"].endswith("at most 1: shorten the range")


async def test_too_many_groups_are_refused(
    still_org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _transfers(still_org, 3)
    body = await _today(still_org, measure={"function": "distinctUsers"})
    monkeypatch.setattr(bounds, "GROUPS_MAX", 3)
    assert await _values(still_org, body) == [3]
    monkeypatch.setattr(bounds, "GROUPS_MAX", 2)
    error = await refusal(still_org, "POST", PREVIEW, body)
    assert error["details"]["createdAfter"].endswith(f"2 groups of transactions: {NARROWER}")


async def test_users_as_a_breakdown_are_bounded_by_the_rows(still_org: Tenant) -> None:
    await _transfers(still_org, 1)
    body = await _today(still_org, breakdowns=["userId"], filters={"rails": ["none"]})
    days = {"createdAfter": "2000-01-01", "breakdowns": ["userId"]}
    body["params"] |= days
    error = await refusal(still_org, "POST", PREVIEW, body)
    assert "of at most 10,000" in error["details"]["breakdowns"]


async def test_a_read_that_takes_too_long_is_refused(
    still_org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock on a table that only this template reads stands for a slow statement."""
    await _transfers(still_org, 1)
    body = await _today(still_org, filters={"userTypes": ["individual"]})
    is_locked, may_end = asyncio.Event(), asyncio.Event()

    async def block(tx: Tx) -> None:
        await tx.execute("lock table users in access exclusive mode")
        is_locked.set()
        await may_end.wait()

    monkeypatch.setattr(bounds, "TIMEOUT_MS", 250)
    blocker = asyncio.create_task(still_org.container.database.transact_once(block))
    try:
        await is_locked.wait()
        error = await refusal(still_org, "POST", PREVIEW, body)
    finally:
        may_end.set()
        await blocker
    sentence = f"takes longer than 0.25 seconds to read: {NARROWER}"
    assert error["details"]["createdAfter"].endswith(sentence)
    # The timeout ends with its transaction.
    assert await _values(still_org, body) == [1]
    (row,) = await still_org.container.database.rows("show statement_timeout")
    assert row["statement_timeout"] == f"{STATEMENT_TIMEOUT_MS // 1000}s"


async def test_fees_are_read_by_the_id_of_their_record(still_org: Tenant) -> None:
    """A scan of all entries for each record costs seconds in a large organisation."""
    statement: str = getattr(record_store, "_TRANSACTIONS")  # noqa: B009 - it is private
    span: list[Any] = [
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2026, 1, 2, tzinfo=UTC),
        "UTC",
        "day",
    ]
    reads: list[Any] = [[], False, True, False, None, None, None, 10]

    async def plan(tx: Tx) -> list[str]:
        # The table is small in tests.
        await tx.execute("set local enable_seqscan = off")
        values = (still_org.org_id, ["ONRAMP"], *span, *reads)
        return [row["QUERY PLAN"] for row in await tx.fetch(f"explain {statement}", *values)]

    lines = await still_org.container.database.transact(plan)
    assert any("Index Cond" in line and "transfer_id = ANY" in line for line in lines), lines
