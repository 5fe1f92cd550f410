"""Payments with outcome plans, of every kind, and the actions that complete them."""

from dataclasses import dataclass
from typing import Any

import httpx2

from landbridge.providers.simulation.outcome_catalog import CATALOGUE, ScriptedOutcome
from tests.onramps import ONRAMPS, onramp_body, settle
from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body
from tests.properties.wallet_effects import accept_verb
from tests.tenants import (
    BATCHES,
    BRIDGES,
    SWAPS,
    TRANSFERS,
    Tenant,
    batch_body,
    bridge_body,
    good,
    make_user,
    swap_body,
    transfer_body,
)

HEADER = "Landbridge-Sandbox"
APPROVALS = "/v2/transfer-approvals"
ADVANCE = "/v2/sandbox/clock/advance"
PATHS = {
    "WALLET.SWAP": SWAPS,
    "WALLET.TRANSFER": TRANSFERS,
    "WALLET.TRANSFER.BATCH": BATCHES,
    "WALLET.BRIDGE": BRIDGES,
    "ONRAMP": ONRAMPS,
    "OFFRAMP": OFFRAMPS,
}
# Address outside of the platform.
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
# Initial balance of the payer.
FUNDS = "1000"


def pairs() -> list[tuple[str, ScriptedOutcome]]:
    """Return each outcome with each kind that supports it."""
    return [(kind, outcome) for outcome in CATALOGUE for kind in outcome.kinds]


def needs_chain(plan: str | None) -> bool:
    """Return whether a swap takes this plan only if its coins move on a chain."""
    return plan is not None and ("chain_send" in plan or "confirmation" in plan)


@dataclass(frozen=True, slots=True)
class Cast:
    """Participants: a payer with a bank account, and a recipient."""

    org: Tenant
    payer: str
    payee: str
    account: str

    def body(self, kind: str, plan: str = "") -> dict[str, Any]:
        """Return a valid body of this kind, for this plan."""
        match kind:
            case "WALLET.SWAP":
                to = {"walletAddress": OUTSIDE} if needs_chain(plan) else {}
                return swap_body(self.payer, "10", destination=to)
            case "WALLET.TRANSFER":
                return transfer_body(self.payer, self.payee, 10)
            case "WALLET.TRANSFER.BATCH":
                return batch_body(self.payer, {"userId": self.payee, "amount": "10"})
            case "WALLET.BRIDGE":
                return bridge_body(self.payer, 10, destination={"userId": self.payee})
            case "ONRAMP":
                return onramp_body(self.payer, 10)
            case _:
                return offramp_body(self.payer, self.account, 10)

    async def send(
        self, kind: str, plan: str, body: dict[str, Any] | None = None
    ) -> httpx2.Response:
        """Create a payment with this plan; return the response."""
        return await force(self.org, PATHS[kind], body or self.body(kind, plan), plan)

    async def make(self, kind: str, plan: str) -> dict[str, Any]:
        """Create a payment with this plan; return its details."""
        return good(await self.send(kind, plan))["transferDetails"]

    async def shown(self, kind: str, created: dict[str, Any]) -> dict[str, Any]:
        """Return the current details of a payment."""
        return (await self.org.get(f"{PATHS[kind]}/{created['id']}"))["transferDetails"]

    async def go_on(self, kind: str, created: dict[str, Any]) -> dict[str, Any]:
        """Do what a payment waits for as owner, admin and reviewer, and run the worker."""
        path = f"{PATHS[kind]}/{created['id']}"
        for _ in range(5):
            found = await self.shown(kind, created)
            match found["status"]:
                case "PENDING_APPROVAL":
                    (approval,) = (await self.org.get(APPROVALS))["approvals"]
                    await self.org.post(f"{APPROVALS}/{approval['id']}/approve")
                case "OPEN_QUOTE":
                    await self.org.post(path + accept_verb(path))
                case "AWAITING_FUNDS":
                    await self.org.post(f"/v2/sandbox/onramps/{created['id']}/deposit", {})
                case "IN_REVIEW":
                    rfi = f"/v2/sandbox/transfers/{created['id']}/rfi"
                    await self.org.post(rfi, {"action": "close"})
                case _:
                    pass
            await settle(self.org)
        return await self.shown(kind, created)

    async def pass_hours(self, hours: int) -> None:
        """Advance the clock and run due steps."""
        await self.org.post(ADVANCE, {"seconds": hours * 3600})
        await settle(self.org)


async def make_cast(org: Tenant) -> Cast:
    """Create a verified person with `FUNDS` of usdc, and another with a wallet on BASE."""
    payer = await make_payee(org, funds=FUNDS)
    payee = await make_user(org, email="grace@example.com")
    await org.post(f"/v2/users/{payee}/wallets/add", {"chains": ["BASE"]})
    return Cast(org, payer, payee, await make_account(org, payer))


async def force(
    org: Tenant, path: str, body: Any = None, plan: str = "", method: str = "POST"
) -> httpx2.Response:
    """Send a request with the header of an outcome plan."""
    headers = {**org.headers, HEADER: plan}
    content = {} if body is None else {"json": body}
    return await org.client.request(method, path, headers=headers, **content)
