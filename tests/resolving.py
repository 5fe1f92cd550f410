"""Two people who resolve stuck payments: a reviewer who requests, and an approver."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2

from landbridge.core.clock import FrozenClock
from landbridge.flows.resolutions.model import QUIET_PERIOD
from tests.tenants import TRANSFERS, Tenant, good, make_user, run_due, transfer_body

RESOLUTIONS = "/v2/reviews/resolutions"
EVIDENCE = "Ticket 4711: their support desk confirmed it in writing"


@dataclass(frozen=True)
class Desk:
    """A reviewer and an approver of one organisation, on its clock."""

    reviewer: Tenant
    approver: Tenant
    clock: FrozenClock
    run_due: Callable[[], Awaitable[None]]

    async def actions(self, transfer_id: UUID | str) -> list[str]:
        """What can be decided on a payment now."""
        found = await self.reviewer.get(f"{RESOLUTIONS}/actions/{transfer_id}")
        return [each["action"] for each in found["actions"]]

    async def send(self, transfer_id: UUID | str, action: str, **changes: Any) -> httpx2.Response:
        """The answer to a request for a resolution, whatever it is."""
        return await self.reviewer.send("POST", RESOLUTIONS, body(transfer_id, action, **changes))

    async def request(self, transfer_id: UUID | str, action: str, **changes: Any) -> dict[str, Any]:
        """A resolution that waits for its approval."""
        return good(await self.send(transfer_id, action, **changes))

    async def approve(self, resolution: Mapping[str, Any]) -> None:
        """A second person agrees."""
        await self.approver.post(f"/v2/transfer-approvals/{resolution['approvalId']}/approve", {})

    async def carry_out(self, resolution: Mapping[str, Any]) -> dict[str, Any]:
        """The resolution after the worker has had the time that it needs."""
        await self.run_due()
        self.clock.at += QUIET_PERIOD + timedelta(seconds=1)
        await self.run_due()
        return await self.reviewer.get(f"{RESOLUTIONS}/{resolution['id']}")

    async def resolve(self, transfer_id: UUID | str, action: str, **changes: Any) -> dict[str, Any]:
        """A resolution from its request to its end."""
        made = await self.request(transfer_id, action, **changes)
        await self.approve(made)
        return await self.carry_out(made)


async def make_desk(
    org: Tenant, clock: FrozenClock, run_due: Callable[[], Awaitable[None]]
) -> Desk:
    """Two keys of an organisation, for two people."""
    reviewer = await make_person(org, "reviewer", can_review=True)
    return Desk(reviewer, await make_approver(org), clock, run_due)


async def make_approver(org: Tenant) -> Tenant:
    """A key of an organisation that may approve, and nothing else that takes a right."""
    return await make_person(org, "approver", can_approve=True)


async def make_person(
    org: Tenant, name: str, *, can_review: bool = False, can_approve: bool = False
) -> Tenant:
    """A key of an organisation with these rights."""
    key, secret = await org.house.orgs.create_key(
        org.org_id, name, expires_at=None, can_review=can_review, can_approve=can_approve
    )
    return replace(org, caller=replace(org.caller, key_id=key.id), key=secret)


async def make_stuck_transfer(org: Tenant) -> str:
    """The id of a transfer that its chain does not answer about."""
    user = await make_user(org, funds="1")
    sent = transfer_body(user, {"userId": await make_user(org)}, 1)
    headers = {**org.headers, "Landbridge-Sandbox": "chain_send=late:20d"}
    made = good(await org.client.post(TRANSFERS, headers=headers, json=sent))["transferDetails"]
    await run_due(org)
    return made["id"]


async def make_resolution(org: Tenant) -> dict[str, str]:
    """A stuck transfer, a resolution of it that waits for its approval, and its request: ids."""
    transfer_id = await make_stuck_transfer(org)
    wanted = body(transfer_id, "FAIL")
    resolution = await org.post(RESOLUTIONS, wanted)
    return {
        "stuck transfer": transfer_id,
        "stuck transfer request": wanted["requestId"],
        "resolution": resolution["id"],
    }


def body(transfer_id: UUID | str, action: str, **changes: Any) -> dict[str, Any]:
    """The body that requests a resolution."""
    return {
        "requestId": str(uuid4()),
        "transferId": str(transfer_id),
        "action": action,
        "evidence": EVIDENCE,
        **changes,
    }
