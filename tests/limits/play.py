"""Rules for tests, and what is left of them."""

import json
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import httpx2

from landbridge.limits.document import checked, parse
from landbridge.limits.model import Rules
from tests.tenants import TRANSFERS, Tenant, transfer_body

LIMITS = "/v2/limits"
APPROVALS = "/v2/transfer-approvals"


def rule(name: str = "a-day", **changes: Any) -> dict[str, Any]:
    """A rule: 100 dollars a day for the organisation, unless said otherwise; None leaves out."""
    told = {"id": name, "window": "DAY", "maxUsd": "100", **changes}
    return {member: value for member, value in told.items() if value is not None}


def rules_of(org: Tenant, *rules: dict[str, Any], **lists: Any) -> Rules:
    """These rules, as the service knows them."""
    document = json.dumps({"rules": rules, **lists}).encode()
    return checked(parse(document), org.house.limits.kinds)


async def set_rules(org: Tenant, *rules: dict[str, Any], **lists: Any) -> None:
    """Let these rules hold from now on, and count what was before."""
    at = org.house.clock.stamp(await org.house.orgs.clock_offset(org.org_id))
    await org.house.limits.set_rules(
        org.org_id, rules_of(org, *rules, **lists), actor="test", at=at
    )
    await org.house.limit_upkeep.count(org.org_id)


async def keep(org: Tenant) -> None:
    """What the worker does for limits; for this organisation alone."""
    offset = await org.house.orgs.clock_offset(org.org_id)
    while await org.house.limit_upkeep.run_once({org.org_id: offset}):
        pass


async def left(org: Tenant, name: str = "a-day", user: str | None = None) -> Decimal:
    """What a rule leaves, in dollars."""
    query = {} if user is None else {"userId": user}
    told = await org.get(LIMITS, **query)
    (found,) = [each for each in told["left"] if each["rule"] == name]
    return Decimal(str(found["leftUsd"]))


Key = tuple[UUID, UUID, date]


async def used(org: Tenant) -> dict[Key, tuple[Decimal, int]]:
    """What stands in the counters, without those that are empty."""
    rows = await org.house.database.rows(
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
    """The same, summed up from what each payment uses."""
    rows = await org.house.database.rows(
        "select counter_id, subject_id, period, sum(usd) as usd, count(*) as payments "
        "from limit_uses where org_id = $1 group by counter_id, subject_id, period",
        org.org_id,
    )
    return {
        (row["counter_id"], row["subject_id"], row["period"]): (row["usd"], row["payments"])
        for row in rows
    }


async def pay(org: Tenant, user: str, to: Any, amount: Any = 10, **changes: Any) -> httpx2.Response:
    """Ask for a transfer; the answer, whatever it is."""
    return await org.send("POST", TRANSFERS, transfer_body(user, to, amount, **changes))


async def advance(org: Tenant, by: timedelta) -> None:
    """Let time pass for an organisation."""
    await org.post("/v2/sandbox/clock/advance", {"seconds": int(by.total_seconds())})


async def decide(org: Tenant, how: str) -> None:
    """Approve or reject the payment that was asked about last."""
    waiting = await org.get(APPROVALS)
    await org.post(f"{APPROVALS}/{waiting['approvals'][0]['id']}/{how}")
