"""Limit rules for tests, and their usage."""

import json
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import httpx2

from landbridge.payments.limits.document import parse, validated
from landbridge.payments.limits.model import LimitRules
from tests.tenants import TRANSFERS, Tenant, transfer_body

LIMITS = "/v2/limits"
APPROVALS = "/v2/transfer-approvals"


def rule(name: str = "a-day", **changes: Any) -> dict[str, Any]:
    """Build a rule: 100 dollars a day for the organisation by default; None omits a member."""
    fields = {"id": name, "window": "DAY", "maxUsd": "100", **changes}
    return {member: value for member, value in fields.items() if value is not None}


def rules_of(org: Tenant, *rules: dict[str, Any], **lists: Any) -> LimitRules:
    """Parse these rules into the service's type."""
    document = json.dumps({"rules": rules, **lists}).encode()
    return validated(parse(document), org.container.limits.kinds)


async def set_rules(org: Tenant, *rules: dict[str, Any], **lists: Any) -> None:
    """Set these rules, and count earlier payments."""
    at = org.container.clock.stamp(await org.container.orgs.clock_offset(org.org_id))
    await org.container.limits.set_rules(
        org.org_id, rules_of(org, *rules, **lists), actor="test", at=at
    )
    await org.container.limit_maintenance.count(org.org_id)


async def keep(org: Tenant) -> None:
    """Run the worker's limit maintenance for this organisation."""
    offset = await org.container.orgs.clock_offset(org.org_id)
    while await org.container.limit_maintenance.run_once({org.org_id: offset}):
        pass


async def left(org: Tenant, name: str = "a-day", user: str | None = None) -> Decimal:
    """Return the remaining amount of a rule, in dollars."""
    query = {} if user is None else {"userId": user}
    reply = await org.get(LIMITS, **query)
    (found,) = [each for each in reply["left"] if each["rule"] == name]
    return Decimal(str(found["leftUsd"]))


Key = tuple[UUID, UUID, date]


async def used(org: Tenant) -> dict[Key, tuple[Decimal, int]]:
    """Return the counters that are not empty."""
    rows = await org.container.database.rows(
        "select counter_id, subject_id, period, usd, payment_count from limit_counters "
        "where org_id = $1",
        org.org_id,
    )
    return {
        (row["counter_id"], row["subject_id"], row["period"]): (row["usd"], row["payment_count"])
        for row in rows
        if row["payment_count"]
    }


async def in_use(org: Tenant) -> dict[Key, tuple[Decimal, int]]:
    """Return the same sums, computed from the usage of each payment."""
    rows = await org.container.database.rows(
        "select counter_id, subject_id, period, sum(usd) as usd, count(*) as payments "
        "from limit_usage where org_id = $1 group by counter_id, subject_id, period",
        org.org_id,
    )
    return {
        (row["counter_id"], row["subject_id"], row["period"]): (row["usd"], row["payments"])
        for row in rows
    }


async def pay(org: Tenant, user: str, to: Any, amount: Any = 10, **changes: Any) -> httpx2.Response:
    """Request a transfer; return the response of any status."""
    return await org.send("POST", TRANSFERS, transfer_body(user, to, amount, **changes))


async def advance(org: Tenant, by: timedelta) -> None:
    """Let time pass for an organisation."""
    await org.post("/v2/sandbox/clock/advance", {"seconds": int(by.total_seconds())})


async def decide(org: Tenant, how: str) -> None:
    """Approve or reject the payment that was requested last."""
    waiting = await org.get(APPROVALS)
    await org.post(f"{APPROVALS}/{waiting['approvals'][0]['id']}/{how}")
