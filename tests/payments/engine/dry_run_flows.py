"""Flows of the dry-run tests: how each payment is created and completed, and its journals."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.app.container import ASSETS
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from tests.onramps import ONRAMPS, make_payer, onramp_body, settle
from tests.onramps import deposit as pay_in
from tests.payouts import OFFRAMPS, OUTSIDE, make_account, make_payee, offramp_body
from tests.tenants import (
    BATCHES,
    BRIDGES,
    SWAPS,
    TRANSFERS,
    Tenant,
    batch_body,
    bridge_body,
    make_user,
    register,
    run_due,
    swap_body,
    transfer_body,
)


async def _swap(org: Tenant) -> dict[str, Any]:
    return swap_body(await make_user(org, funds="1000"))


async def _swap_to_outside(org: Tenant) -> Any:
    return swap_body(await make_user(org, funds="100"), "1", destination={"walletAddress": OUTSIDE})


async def _transfer(org: Tenant) -> dict[str, Any]:
    ada, bob = await make_user(org, funds="1000"), await make_user(org)
    return transfer_body(ada, bob, fee={"type": "PERCENT", "value": 0.015})


async def _batch(org: Tenant) -> dict[str, Any]:
    ada, bob, eve = await make_user(org, funds="1000"), await make_user(org), await make_user(org)
    items = [{"userId": user, "amount": amount} for user, amount in ((bob, "10"), (eve, "2.5"))]
    return batch_body(ada, *items)


async def _bridge(org: Tenant) -> dict[str, Any]:
    return bridge_body(await make_user(org, funds="1000", chains=["POLYGON", "BASE"]))


async def _onramp(org: Tenant) -> dict[str, Any]:
    return onramp_body(await make_payer(org), fee={"type": "FIX", "value": 1})


async def _offramp(org: Tenant) -> dict[str, Any]:
    user = await make_payee(org)
    fees = [{"type": "FLAT", "value": 1, "walletAddress": OUTSIDE}]
    account = await make_account(org, user)
    return offramp_body(user, account, developerFee={"fees": fees})


async def _offramp_from_outside(org: Tenant) -> dict[str, Any]:
    user = await make_payee(org)
    source = {"userId": None, "externalWalletId": await register(org, user, OUTSIDE)}
    return offramp_body(None, await make_account(org, user), source=source)


async def _accept(org: Tenant, flow: "Flow", details: Mapping[str, Any]) -> None:
    await org.post(f"{flow.path}/{details['id']}/{flow.accept}")
    await run_due(org)


async def _pay(org: Tenant, flow: "Flow", details: Mapping[str, Any]) -> None:
    await _accept(org, flow, details)
    await pay_in(org, details)
    await settle(org)


async def _send_coins(org: Tenant, flow: "Flow", details: Mapping[str, Any]) -> None:
    await _accept(org, flow, details)
    await org.post(f"/v2/sandbox/offramps/{details['id']}/deposit", {})
    await run_due(org)


async def _wait(org: Tenant, flow: "Flow", details: Mapping[str, Any]) -> None:
    del flow, details
    await run_due(org)


@dataclass(frozen=True)
class Flow:
    """Flow: its path, its body, and the actions that complete it."""

    path: str
    body: Callable[[Tenant], Awaitable[dict[str, Any]]]
    finish: Callable[[Tenant, "Flow", Mapping[str, Any]], Awaitable[None]]
    accept: str = "accept"
    supports_approvals: bool = True  # whether it supports approvals


FLOWS = {
    "swap": Flow(SWAPS, _swap, _accept, supports_approvals=False),
    "swap to outside": Flow(SWAPS, _swap_to_outside, _accept, supports_approvals=False),
    "transfer": Flow(TRANSFERS, _transfer, _wait),
    "batch": Flow(BATCHES, _batch, _wait),
    "bridge": Flow(BRIDGES, _bridge, _accept),
    "onramp": Flow(ONRAMPS, _onramp, _pay, accept="quote/accept", supports_approvals=False),
    "offramp": Flow(OFFRAMPS, _offramp, _accept, accept="quote/accept"),
    "offramp from outside": Flow(
        OFFRAMPS,
        _offramp_from_outside,
        _send_coins,
        accept="quote/accept",
        supports_approvals=False,
    ),
}
APPROVABLE = sorted(name for name, flow in FLOWS.items() if flow.supports_approvals)

_ENTRIES = """
select c.status_after, e.seq, e.account_id, e.role, e.asset, e.available, e.held, w.user_id,
    w.address
from entries e
join changes c on c.org_id = e.org_id and c.object_id = e.transfer_id and c.seq = e.seq
left join accounts a on a.org_id = e.org_id and a.id = e.account_id
left join wallets w on w.org_id = a.org_id and w.id = a.wallet_id
where e.org_id = $1 and e.transfer_id = $2
order by e.seq, e.line
"""


async def posted(org: Tenant, record: str) -> list[dict[str, Any]]:
    """Return the journals of a record, as a dry run shows them."""
    journals: dict[int, dict[str, Any]] = {}
    for row in await org.container.database.rows(_ENTRIES, org.org_id, UUID(record)):
        asset = ASSETS[row["asset"]]
        at = journals.setdefault(row["seq"], {"status": row["status_after"], "postings": []})
        at["postings"].append(
            {
                "account": "WALLET" if row["role"] is None else row["role"].upper(),
                "userId": None if row["user_id"] is None else str(row["user_id"]),
                "walletAddress": row["address"],
                "chain": asset.chain,
                "currency": asset.currency,
                "available": str(Money(int(row["available"]), asset)),
                "held": str(Money(int(row["held"]), asset)),
            }
        )
    return list(journals.values())


async def everything(database: Database) -> dict[str, list[str]]:
    """Return every row of every table, and every sequence.

    Omits what every request writes: the last use of its key, and its log line.
    """
    names = await database.rows(
        "select tablename from pg_tables where schemaname = 'public' "
        "and tablename <> 'request_log' order by tablename"
    )
    found: dict[str, list[str]] = {}
    for name in (row["tablename"] for row in names):
        sql = f"select (to_jsonb(t) - 'last_used_at')::text as row from {name} t"  # noqa: S608  names from the catalogue
        found[name] = sorted(row["row"] for row in await database.rows(sql))
    sequences = await database.rows("select sequencename, last_value from pg_sequences")
    found["sequences"] = sorted(f"{row['sequencename']} {row['last_value']}" for row in sequences)
    return found
