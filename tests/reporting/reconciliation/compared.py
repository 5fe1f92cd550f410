"""Runs reconciliation of an organisation, and plants what it has to find."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from landbridge.platform.http.caller import KeyScope, MemberRole
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation.model import ComparedPosition, ReconPerson
from landbridge.reporting.reconciliation.service import LedgerReconciliation, ReconStatus
from tests.change_log import placed
from tests.customers.team.people import store_member
from tests.platform.http.member_clients import person
from tests.resolution_team import make_person
from tests.tenants import TRANSFERS, Tenant, make_transfer, make_user, run_due

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"

_ADD_MOVEMENT = """
insert into sandbox_movements
    (org_id, chain, transaction_hash, log_index, asset, units, source, destination, settles_at)
values ($1, 'POLYGON', $2, $3, $4, $5, $6, $7, '2020-01-01T00:00:00Z')
"""

_SET_BALANCE = """
update sandbox_balances set units = units + $3
where org_id = $1 and chain = 'POLYGON' and address = $2 and asset = 'usdc:POLYGON'
"""
_SHIFT_LEDGER = """
insert into recon_positions as p (org_id, source, asset, ledger_units)
values ($1, $4, $3, $2)
on conflict (org_id, source, asset) do update
set ledger_units = p.ledger_units + excluded.ledger_units
"""
DIFFERENCES = "/v2/reconciliation/differences"
HALTS = "/v2/reconciliation/halts"
BODIES: dict[str, Any] = {
    "POST /v2/reconciliation/differences/{differenceId}/assign": {},
    "POST /v2/reconciliation/differences/{differenceId}/resolve": {"reason": "a"},
    "POST /v2/reconciliation/differences/{differenceId}/accept": {},
    "POST /v2/reconciliation/differences/{differenceId}/reject": {"reason": "a"},
    "POST /v2/reconciliation/closes": {"day": "2026-01-31", "reason": "a"},
    "POST /v2/reconciliation/closes/{closeId}/confirm": {"digest": "0" * 64},
    "POST /v2/reconciliation/closes/{closeId}/reject": {"reason": "a"},
    "POST /v2/reconciliation/halts/{haltId}/lift": {"reason": "a"},
    "POST /v2/reconciliation/halts/{haltId}/accept": {},
    "POST /v2/reconciliation/halts/{haltId}/reject": {"reason": "a"},
}


async def make_difference(org: Tenant, units: int = 5_000_000) -> str:
    """Let the ledger claim more than the chain has; return the id of the open difference."""
    await compared(org)
    await org.container.database.rows(_SHIFT_LEDGER, org.org_id, units, "usdc:POLYGON", "POLYGON")
    return str((await compared(org)).differences[0].id)


async def make_reconciled(org: Tenant) -> dict[str, str]:
    """Return an open difference, and the close of a day that carries it and waits."""
    difference, database = await make_difference(org), org.container.database
    day = org.container.clock.now(await org.container.orgs.clock_offset(org.org_id)).date()
    # As if compared since the day before, so that the organisation's clock need not move.
    await database.rows(
        "update recon_sources set opened_at = opened_at - interval '3 days' where org_id = $1",
        org.org_id,
    )
    await compared(org)
    person = ReconPerson(org_id=org.org_id, id=org.caller.id, actor="cli", offset=timedelta())
    offset = await org.container.orgs.clock_offset(org.org_id)
    close = await org.container.reconciliation.closes.sign(
        replace(person, offset=offset), day - timedelta(days=1), "still investigated"
    )
    return {"difference": difference, "close": str(close.id)}


async def make_halt(org: Tenant, *, asset: str = "usdc:POLYGON", coins: int = 5) -> str:
    """Let two runs miss coins of an asset; return the halt of its payments.

    An asset of which fewer coins are missing is not halted.
    """
    await compared(org)
    chain = asset.partition(":")[2]
    await org.container.database.rows(_SHIFT_LEDGER, org.org_id, coins * 10**6, asset, chain)
    for _ in range(2):
        await compared(org, halting(org, str(coins - 1)))
    in_force = await org.get(f"{HALTS}?status=HALTED&status=PROPOSED")
    return str(in_force["halts"][0]["id"])


def halting(org: Tenant, above: str = "1") -> LedgerReconciliation:
    """Return the reconciliation of an organisation, with halts above this many coins."""
    return replace(org.container.reconciliation, halt_above=Decimal(above))


async def make_reviewers(org: Tenant) -> tuple[Tenant, Tenant]:
    """Return two keys of an organisation that may decide."""
    first, second = [await make_person(org, name, [KeyScope.REVIEW]) for name in ("Ada", "Bob")]
    return first, second


async def make_member(org: Tenant) -> UUID:
    """Store an analyst of an organisation's team; return the id."""
    member = person(org, MemberRole.ANALYST)
    await store_member(org, member)
    return member.id


async def shift_balance(org: Tenant, user: str, units: int) -> None:
    """Change what the chain holds, without a movement; the first run stores the balance."""
    await compared(org)
    await org.container.database.rows(_SET_BALANCE, org.org_id, await address_of(org, user), units)


async def compared(org: Tenant, reconciliation: LedgerReconciliation | None = None) -> ReconStatus:
    """Compare an organisation once everything committed is settled; return what was found."""
    container = org.container
    await placed(container.database)
    offset = await container.orgs.clock_offset(org.org_id)
    return await (reconciliation or container.reconciliation).run(org.org_id, offset)


def position(status: ReconStatus, asset: str) -> ComparedPosition:
    """Return the position of an asset."""
    return next(each for _, each in status.positions if each.asset == asset)


async def opened_user(org: Tenant, funds: str = "100") -> str:
    """Open the organisation's sources, and return a user with funds of usdc on POLYGON."""
    await compared(org)
    return await make_user(org, funds=funds)


async def open_from_the_start(org: Tenant) -> None:
    """Open the sources before everything, so that all payments are compared one by one."""
    database = org.container.database
    await database.rows(
        "insert into recon_cursors (org_id, opened_place, read_place) values ($1, 0, 0)", org.org_id
    )
    await database.rows(
        "insert into recon_sources (org_id, source, block_number, block_hash, opened_at,"
        " last_run_at, last_good_at)"
        " select $1, chain, 0, '0x' || repeat('0', 64), now(), now(), now()"
        " from unnest($2::text[]) as c (chain)",
        *(org.org_id, list(Chain)),
    )


async def address_of(org: Tenant, user: str) -> str:
    """Return the user's address on POLYGON."""
    (row,) = await org.container.database.rows(
        "select address from wallets where org_id = $1 and user_id = $2 and chain = 'POLYGON'",
        org.org_id,
        UUID(user),
    )
    address: str = row["address"]
    return address


async def send_out(org: Tenant, user: str, amount: int = 10) -> tuple[UUID, str]:
    """Send usdc out of the platform; return the transfer and its transaction."""
    label = {"address": OUTSIDE, "chain": "POLYGON", "name": "Bank", "referenceId": "r1"}
    # Refused if it is registered already.
    await org.send("POST", f"/v2/users/{user}/wallets/external", label)
    sent = await make_transfer(org, user, {"walletAddress": OUTSIDE}, amount)
    await run_due(org)
    done = (await org.get(f"{TRANSFERS}/{sent['id']}"))["transferDetails"]
    assert done["status"] == "COMPLETED"
    return UUID(sent["id"]), done["receipt"]["transactionHash"]


async def plant(
    org: Tenant,
    units: int,
    *,
    source: str | None = None,
    destination: str | None = None,
    transaction_hash: str | None = None,
    log_index: int = 0,
    asset: str = "usdc:POLYGON",
) -> str:
    """Let the chain record a movement that nobody ordered; return its transaction."""
    found = transaction_hash or f"0x{uuid4().hex * 2}"
    await org.container.database.rows(
        _ADD_MOVEMENT, org.org_id, found, log_index, asset, units, source, destination
    )
    return found
