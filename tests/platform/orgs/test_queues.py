"""Queues: the worker looks only at organisations in which rows wait."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from landbridge.app.worker_schedules import SCHEDULES
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs import queues
from landbridge.platform.orgs.queues import OrgQueue, restrict_to_queues
from tests.payments.limits.limit_setup import rule, set_rules
from tests.tenants import Tenant, make_user, swap_body

# The table of each queue, its waiting rows, and the index that has no others.
QUEUES = {
    OrgQueue.PAYMENTS: ("transfers", "due_at is not null", "transfers_due_at_idx"),
    OrgQueue.INCOMING_PAYMENTS: (
        "incoming_payments",
        "due_at is not null",
        "incoming_payments_due_at_idx",
    ),
    OrgQueue.VERIFICATIONS: ("kyc_cases", "due_at is not null", "kyc_cases_due_at_idx"),
    OrgQueue.EXCHANGES: (
        "travel_rule_exchanges",
        "next_attempt_at is not null",
        "travel_rule_exchanges_next_attempt_at_idx",
    ),
    OrgQueue.EMAILS: ("outbound_emails", "true", "outbound_emails_due_at_idx"),
    OrgQueue.ENDPOINTS: ("webhook_endpoints", "true", "webhook_endpoints_pkey"),
    OrgQueue.OPEN_LIMIT_USAGE: ("limit_usage", "not is_final", "limit_usage_next_check_at_idx"),
    OrgQueue.ENDED_LIMIT_USAGE: ("limit_usage", "is_final", "limit_usage_occurred_at_idx"),
    OrgQueue.UNCOUNTED_LIMIT_RULES: ("limit_rules", "not is_counted", "limit_rules_uncounted_idx"),
    OrgQueue.LIMIT_COUNTERS: ("limit_counters", "true", "limit_counters_updated_at_idx"),
    OrgQueue.SNAPSHOTS: ("changes", "sealed_snapshot is not null", "changes_snapshots_idx"),
    OrgQueue.REPORT_SCHEDULES: (
        "report_schedules",
        "true",
        "report_schedules_next_attempt_at_idx",
    ),
}


@pytest.fixture
def always_restricted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "LOOKS_MAX", 0)


@pytest.mark.parametrize("queue", OrgQueue, ids=lambda each: each.name)
async def test_organisations_with_rows_are_found(database: Database, queue: OrgQueue) -> None:
    table, waiting, _ = QUEUES[queue]
    rows = await database.rows(f"select distinct org_id from {table} where {waiting}")  # noqa: S608
    found = await database.rows(queues.ORGS, len(rows) + 1, queue)
    assert [row["org_id"] for row in found] == sorted(row["org_id"] for row in rows)


@pytest.mark.parametrize("queue", OrgQueue, ids=lambda each: each.name)
async def test_only_waiting_rows_are_read(own_database: Database, queue: OrgQueue) -> None:
    # On empty tables all indexes look equally good, and the plan made then is kept.
    # Only a plan that was executed shows the select within the select.
    (row,) = await own_database.rows(f"explain (analyze, format json) {queues.ORGS}", 10, queue)
    (plan,) = msgspec.json.decode(row["QUERY PLAN"])
    assert set(_indexes(plan["Plan"])) == {QUEUES[queue][2]}


def _indexes(plan: dict[str, Any]) -> Iterable[str]:
    if "Index Name" in plan or plan["Node Type"] in ("Seq Scan", "Sort"):
        yield plan.get("Index Name", plan["Node Type"])
    for each in plan.get("Plans", ()):
        yield from _indexes(each)


@pytest.mark.usefixtures("always_restricted")
async def test_the_worker_looks_at_organisations_with_something_due(
    org: Tenant, other_org: Tenant
) -> None:
    database, offsets = (
        org.container.database,
        {org.org_id: timedelta(), other_org.org_id: timedelta()},
    )
    found = await restrict_to_queues(database, [OrgQueue.PAYMENTS], offsets)
    assert other_org.org_id not in found
    await org.post("/v2/wallets/swaps", swap_body(await make_user(org, funds="10")))
    found = await restrict_to_queues(database, [OrgQueue.PAYMENTS], offsets)
    assert found == {org.org_id: timedelta()}


async def test_few_organisations_are_not_restricted(other_org: Tenant) -> None:
    offsets = {other_org.org_id: timedelta()}
    found = await restrict_to_queues(other_org.container.database, [OrgQueue.PAYMENTS], offsets)
    assert found is offsets


@pytest.mark.usefixtures("always_restricted")
async def test_very_many_organisations_with_rows_are_not_restricted(
    org: Tenant, other_org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    await org.post("/v2/wallets/swaps", swap_body(await make_user(org, funds="10")))
    monkeypatch.setattr(queues, "STEPS_MAX", 1)
    offsets = {org.org_id: timedelta(), other_org.org_id: timedelta()}
    found = await restrict_to_queues(org.container.database, [OrgQueue.PAYMENTS], offsets)
    assert found is offsets


@pytest.mark.usefixtures("always_restricted")
async def test_new_limit_rules_are_counted_without_any_usage(
    org: Tenant, other_org: Tenant
) -> None:
    (limits,) = [each for each in SCHEDULES if each.name == "limits"]
    await set_rules(org, rule())
    offsets = {org.org_id: timedelta(), other_org.org_id: timedelta()}
    found = await restrict_to_queues(org.container.database, limits.queues, offsets)
    assert found == {org.org_id: timedelta()}
