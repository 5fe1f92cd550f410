"""Days of a test that end, are signed and are confirmed."""

from collections.abc import Mapping
from datetime import UTC, date, tzinfo
from typing import Any
from uuid import UUID

from landbridge.app.container import TRANSITIONS
from landbridge.ledger.corrections import correct
from landbridge.providers.chains.tokens import ASSETS
from tests.reporting.reconciliation.compared import (
    compared,
    opened_user,
)
from tests.tenants import Tenant

CLOSES = "/v2/reconciliation/closes"
DAY_S = 86_400


DECIDED = ("decidedBy", "decidedAt")


async def close_day(org: Tenant, first: Tenant, second: Tenant) -> dict[str, Any]:
    """Close the current day with 100 usdc on POLYGON; return what was signed."""
    if not (await org.get(CLOSES))["count"]:
        await opened_user(org)
    signed = await first.post(CLOSES, {"day": await end_day(org)})
    await confirm(second, signed)
    return signed


async def confirm(by: Tenant, signed: Mapping[str, Any]) -> None:
    close = signed["close"]
    await by.post(f"{CLOSES}/{close['id']}/confirm", {"digest": close["digest"]})


async def end_day(org: Tenant) -> str:
    """Let the organisation's day end, and compare; return the day."""
    day = await org_today(org)
    await advance(org, DAY_S)
    await compared(org)
    return str(day)


async def org_today(org: Tenant, zone: tzinfo = UTC) -> date:
    offset = await org.container.orgs.clock_offset(org.org_id)
    return org.container.clock.now(offset).astimezone(zone).date()


async def advance(org: Tenant, seconds: int) -> None:
    await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})


async def correct_swap(org: Tenant, transfer_id: str) -> str:
    """Reverse the journal of a swap's completion, as `landbridge ledger correct` does."""
    container = org.container
    rows = await container.database.rows(
        "select distinct seq from entries where org_id = $1 and transfer_id = $2",
        *(org.org_id, UUID(transfer_id)),
    )
    corrected = await correct(
        container.database,
        container.ledger,
        ASSETS,
        TRANSITIONS,
        org_id=org.org_id,
        transfer_id=UUID(transfer_id),
        seqs=[row["seq"] for row in rows],
        reason="booked twice",
        actor="cli",
        at=container.clock.stamp(await container.orgs.clock_offset(org.org_id)),
    )
    return str(corrected.transfer.id)


def amounts(signed: Mapping[str, Any], name: str) -> dict[str, str]:
    return {
        f"{each['source']} {each['currency']}": each[name]
        for each in signed["positions"]
        if each[name] != "0"
    }
