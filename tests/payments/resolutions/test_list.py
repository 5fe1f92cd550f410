"""List of resolutions by status."""

from typing import Any

from tests.resolution_team import RESOLUTIONS, body, make_approver, make_stuck_transfer
from tests.tenants import Tenant, refusal


async def _request(org: Tenant) -> dict[str, Any]:
    return await org.post(RESOLUTIONS, body(await make_stuck_transfer(org), "FAIL"))


async def _listed(org: Tenant, **query: str) -> list[str]:
    return [each["id"] for each in (await org.get(RESOLUTIONS, **query))["resolutions"]]


async def test_resolutions_are_listed_by_status_newest_first(
    org: Tenant, other_org: Tenant
) -> None:
    first, second = await _request(org), await _request(org)
    approver = await make_approver(org)
    await approver.post(f"/v2/transfer-approvals/{first['approvalId']}/reject")
    assert await _listed(org) == [second["id"], first["id"]]
    assert await _listed(org, status="PENDING_APPROVAL") == [second["id"]]
    assert await _listed(org, status="REJECTED,EXPIRED") == [first["id"]]
    assert await _listed(org, status="VOID") == []
    page = await org.get(RESOLUTIONS, limit=1)
    assert await _listed(org, cursor=page["nextCursor"]) == [first["id"]]
    assert await _listed(other_org) == []
    unknown = await org.send("GET", f"{RESOLUTIONS}?status=MAYBE")
    assert refusal(unknown) == "400 FIELD_VALIDATION_ERROR"
