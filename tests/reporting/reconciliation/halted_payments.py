"""Halts payments of an organisation, lifts halts, and looks at what waits."""

from dataclasses import replace

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.chains.records import ChainRecords, RecordedBlock
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation.connected_chains import ConnectedChain
from landbridge.reporting.reconciliation.service import LedgerReconciliation
from tests.reporting.reconciliation.compared import (
    HALTS,
    OUTSIDE,
    compared,
    halting,
    make_reviewers,
)
from tests.reporting.reconciliation.test_planted import WrappedRecords
from tests.tenants import BRIDGES, TRANSFERS, Tenant, bridge_body, make_transfer, run_due


class _SilentRecords(WrappedRecords):
    """A chain that does not answer."""

    async def final_block(self, org_id: object, chain: str, at: object) -> RecordedBlock:
        del org_id, chain, at
        raise Unavailable("no answer")


def silent_chain(org: Tenant) -> LedgerReconciliation:
    """Return a reconciliation with a POLYGON that does not answer."""
    found = halting(org)
    polygon = found.chains[Chain.POLYGON]
    records: ChainRecords = _SilentRecords(polygon.records)
    chains = {**found.chains, Chain.POLYGON: ConnectedChain(records, polygon.patience)}
    return replace(found, chains=chains)


async def halted_runs(org: Tenant) -> None:
    """Compare twice: a shortfall halts at the second run."""
    for _ in range(2):
        await compared(org, halting(org))


async def debits_due(org: Tenant) -> None:
    """Compare, and again once timing no longer explains a debit."""
    await compared(org, halting(org))
    await pass_time(org, 61)
    await compared(org, halting(org))


async def in_force(org: Tenant) -> list[tuple[str | None, str, str | None]]:
    """Return currency, cause and amount of each halt in force."""
    found = (await org.get(f"{HALTS}?status=HALTED&status=PROPOSED"))["halts"]
    return [(each["currency"], each["cause"], each["amount"]) for each in found]


async def lift(org: Tenant, halt: str) -> None:
    """Let two people lift a halt."""
    ada, bob = await make_reviewers(org)
    await ada.post(f"{HALTS}/{halt}/lift", {"reason": "explained by the auditor"})
    await bob.post(f"{HALTS}/{halt}/accept", {})


async def create_transfer(
    org: Tenant, user: str, currency: str = "usdc", chain: str = "POLYGON"
) -> str:
    """Create a transfer to outside; return its id."""
    label = {"address": OUTSIDE, "chain": chain, "name": "Bank", "referenceId": "r1"}
    await org.send("POST", f"/v2/users/{user}/wallets/external", label)
    changes = {"chain": chain, "currency": currency}
    created = await make_transfer(org, user, {"walletAddress": OUTSIDE}, 2, **changes)
    return str(created["id"])


async def transfer_status(org: Tenant, transfer: str) -> str:
    """Return the status of a transfer."""
    return str((await org.get(f"{TRANSFERS}/{transfer}"))["transferDetails"]["status"])


async def accepted_bridge(org: Tenant, user: str) -> str:
    """Create and accept a bridge from POLYGON to BASE; return its id."""
    await org.post(f"/v2/users/{user}/wallets/add", {"chains": ["BASE"]})
    created = (await org.post(BRIDGES, bridge_body(user)))["transferDetails"]
    await org.post(f"{BRIDGES}/{created['id']}/accept", {})
    return str(created["id"])


async def bridge_status(org: Tenant, bridge: str) -> str:
    """Return the status of a bridge."""
    return str((await org.get(f"{BRIDGES}/{bridge}"))["transferDetails"]["status"])


async def go_on(org: Tenant) -> None:
    """Let the longest pause of what waits pass, and run the worker."""
    await pass_time(org, 300)
    await run_due(org)


async def halt_events(org: Tenant) -> list[str]:
    """Return what happened to the halts of an organisation."""
    rows = await org.container.database.rows(
        "select change_type from changes where org_id = $1 and kind = 'RECONCILIATION.HALT'"
        " order by seq",
        org.org_id,
    )
    return [row["change_type"] for row in rows]


async def pass_time(org: Tenant, seconds: int) -> None:
    """Advance the organisation's clock."""
    await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})
