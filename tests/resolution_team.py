"""Two people who resolve stuck payments: a reviewer who requests, and an approver."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2

from landbridge.payments.resolutions.model import QUIET_PERIOD
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.http.caller import KeyScope
from tests.tenants import TRANSFERS, Tenant, good, make_user, run_due, transfer_body

RESOLUTIONS = "/v2/reviews/resolutions"
EVIDENCE = "Ticket 4711: their support desk confirmed it in writing"


@dataclass(frozen=True)
class ResolutionTeam:
    """Reviewer and approver of one organisation, on its clock."""

    reviewer: Tenant
    approver: Tenant
    clock: FrozenClock
    run_due: Callable[[], Awaitable[None]]

    async def actions(self, transfer_id: UUID | str) -> list[str]:
        """Return the possible actions on a payment."""
        found = await self.reviewer.get(f"{RESOLUTIONS}/actions/{transfer_id}")
        return [each["action"] for each in found["actions"]]

    async def send(self, transfer_id: UUID | str, action: str, **changes: Any) -> httpx2.Response:
        """Request a resolution; return the response."""
        return await self.reviewer.send("POST", RESOLUTIONS, body(transfer_id, action, **changes))

    async def request(self, transfer_id: UUID | str, action: str, **changes: Any) -> dict[str, Any]:
        """Request a resolution pending approval."""
        return good(await self.send(transfer_id, action, **changes))

    async def approve(self, resolution: Mapping[str, Any]) -> None:
        """Approve a resolution."""
        await self.approver.post(f"/v2/transfer-approvals/{resolution['approvalId']}/approve", {})

    async def carry_out(self, resolution: Mapping[str, Any]) -> dict[str, Any]:
        """Return the resolution after the worker has executed it."""
        await self.run_due()
        self.clock.at += QUIET_PERIOD + timedelta(seconds=1)
        await self.run_due()
        return await self.reviewer.get(f"{RESOLUTIONS}/{resolution['id']}")

    async def resolve(self, transfer_id: UUID | str, action: str, **changes: Any) -> dict[str, Any]:
        """Request, approve and execute a resolution."""
        created = await self.request(transfer_id, action, **changes)
        await self.approve(created)
        return await self.carry_out(created)


async def make_resolution_team(
    org: Tenant, clock: FrozenClock, run_due: Callable[[], Awaitable[None]]
) -> ResolutionTeam:
    """Two keys of an organisation, for two people."""
    reviewer = await make_person(org, "reviewer", [KeyScope.REVIEW])
    return ResolutionTeam(reviewer, await make_approver(org), clock, run_due)


async def make_approver(org: Tenant) -> Tenant:
    """Create a key of an organisation that may only approve."""
    return await make_person(org, "approver", [KeyScope.APPROVE])


async def make_person(
    org: Tenant, name: str, scopes: Sequence[KeyScope] = (KeyScope.ADMIN,)
) -> Tenant:
    """Create a key of an organisation with these rights."""
    key, secret = await org.container.orgs.create_key(
        org.org_id, name, expires_at=None, scopes=scopes
    )
    return replace(org, caller=replace(org.caller, key_id=key.id), key=secret)


async def resolve_by_clock(org: Tenant, transfer_id: str, action: str) -> dict[str, Any]:
    """Request, approve and execute a resolution; the sandbox's clock makes it due."""
    return await carry_out_by_clock(org, await org.post(RESOLUTIONS, body(transfer_id, action)))


async def carry_out_by_clock(org: Tenant, resolution: Mapping[str, Any]) -> dict[str, Any]:
    """Have a second person approve a resolution, and the worker execute it."""
    approver = await make_approver(org)
    await approver.post(f"/v2/transfer-approvals/{resolution['approvalId']}/approve", {})
    for seconds in (5, 125, 60):
        await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})
    return await org.get(f"{RESOLUTIONS}/{resolution['id']}")


async def make_stuck_transfer(org: Tenant) -> str:
    """Create a transfer whose chain never answers; return its id."""
    user = await make_user(org, funds="1")
    sent = transfer_body(user, {"userId": await make_user(org)}, 1)
    headers = {**org.headers, "Landbridge-Sandbox": "chain_send=late:20d"}
    created = good(await org.client.post(TRANSFERS, headers=headers, json=sent))["transferDetails"]
    await run_due(org)
    return created["id"]


async def make_resolution(org: Tenant) -> dict[str, str]:
    """Create a stuck transfer and a resolution pending approval; return their ids."""
    transfer_id = await make_stuck_transfer(org)
    request = body(transfer_id, "FAIL")
    resolution = await org.post(RESOLUTIONS, request)
    return {
        "stuck transfer": transfer_id,
        "stuck transfer request": request["requestId"],
        "resolution": resolution["id"],
    }


def body(transfer_id: UUID | str, action: str, **changes: Any) -> dict[str, Any]:
    """Build the body that requests a resolution."""
    return {
        "requestId": str(uuid4()),
        "transferId": str(transfer_id),
        "action": action,
        "evidence": EVIDENCE,
        **changes,
    }
