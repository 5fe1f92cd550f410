"""Organisation whose payments are completed by the routes and the worker."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.app.container import ASSETS, AUDIT_RULES, TRANSITIONS, Container, wire
from landbridge.ledger.audit import LedgerAudit, audit, table
from landbridge.ledger.corrections import correct
from landbridge.ledger.record_audit import EFFECT, JOURNALS, OPENED
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Rate
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rates.port import Price
from tests.ledger.corruptions import CORRECTED, ENDED
from tests.onramps import ONRAMPS, settle
from tests.payments.virtual_accounts import virtual_account_setup as virtual_accounts
from tests.payouts import OUTSIDE, make_account, make_payee
from tests.scripted import force
from tests.tenants import (
    BRIDGES,
    SETTINGS,
    SWAPS,
    TRANSFERS,
    Tenant,
    fund,
    make_tenant,
    make_user,
    register,
    served,
    transfer_body,
)

# Checks of payments against their records; all others check the ledger's consistency.
PAYMENT_CHECKS = {OPENED, JOURNALS, EFFECT, ENDED, CORRECTED}

APPROVALS = "/v2/transfer-approvals"
# Enough for every payment, and for the amounts lost by faults.
_FUNDS = "100000"
# Amount held by two unapproved transfers, so that no fault fails for lack of held money.
_HELD = "40000"
_ACCEPTED = {SWAPS: "/accept", BRIDGES: "/accept", ONRAMPS: "/quote/accept"}

_NEWEST = """
select id from transfers where org_id = $1 and kind = $2 order by created_at desc limit 1
"""
_ACCOUNTS = """
select a.id, a.asset
from accounts a
join wallets w on w.org_id = a.org_id and w.id = a.wallet_id
where w.org_id = $1 and w.user_id = $2
"""
# Traces of a fault that would make every later audit fail.
_FORGET = """
with forgotten as (
    delete from transfers where org_id = $1 and id <> all ($2::uuid[]) returning id
), gone as (
    delete from entries where org_id = $1 and transfer_id in (select id from forgotten)
)
delete from changes where org_id = $1 and object_id in (select id from forgotten)
"""
_BALANCE = """
update accounts a
set available = coalesce(s.available, 0), held = coalesce(s.held, 0)
from accounts b
left join (
    select account_id, sum(available) as available, sum(held) as held
    from entries
    where org_id = $1
    group by account_id
) s on s.account_id = b.id
where a.org_id = $1 and a.id = b.id
"""


@dataclass(frozen=True, slots=True)
class World:
    """World of a payer (Ada) and a recipient (Grace), both with coins and fixed clocks."""

    org: Tenant
    clock: FrozenClock
    ada: str
    grace: str
    account: str
    external: str
    virtual_account: str
    fees: tuple[dict[str, str], ...]
    accounts: Mapping[str, UUID]
    others: Mapping[str, UUID]
    kept: tuple[UUID, ...]

    @property
    def container(self) -> Container:
        return self.org.container

    @property
    def database(self) -> Database:
        return self.org.container.database

    async def audit(self) -> LedgerAudit:
        return await audit(self.database, TRANSITIONS, AUDIT_RULES, org_id=self.org.org_id)

    async def names(self, record_id: UUID) -> set[str]:
        """Return the audit checks that report this record; no other check may report anything.

        The ledger is then consistent, and only these checks could have found the fault.
        """
        audited = await self.audit()
        wrong = {check.name for check in audited.checks if check.wrong}
        assert wrong <= PAYMENT_CHECKS, table(audited)
        return {
            finding.check
            for finding in audited.findings
            if finding.key.split("/")[0] == str(record_id)
        }

    async def forget(self) -> None:
        """Remove every record except the initial ones, and correct the balances."""

        async def work(tx: Tx) -> None:
            # Other rows that name a record remain, such as the incoming payment of a deposit.
            await tx.execute("set local session_replication_role = replica")
            await tx.execute(_FORGET, self.org.org_id, list(self.kept))
            await tx.execute(_BALANCE, self.org.org_id)

        await self.database.transact(work)

    async def damage(self, statement: str, *args: Any) -> None:
        """Run a statement on the records, and set the balances to the sums of the entries."""

        async def work(tx: Tx) -> None:
            await tx.execute(statement, *args)
            await tx.execute(_BALANCE, self.org.org_id)

        await self.database.transact(work)

    async def correct(self, record_id: UUID, *seqs: int) -> UUID:
        """Correct these changes of a record; return the correction's id."""
        corrected = await correct(
            *(self.database, self.container.ledger, ASSETS, TRANSITIONS),
            org_id=self.org.org_id,
            transfer_id=record_id,
            seqs=seqs,
            reason="a test",
            actor="test",
            at=self.clock.stamp(),
        )
        return corrected.transfer.id

    async def newest(self, kind: str) -> UUID:
        """Return the newest record of this kind."""
        rows = await self.database.rows(_NEWEST, self.org.org_id, kind)
        return rows[0]["id"]

    async def status(self, record_id: UUID) -> str:
        """Return a record's status."""
        found = await self.container.ledger.find(self.org.org_id, record_id)
        assert found is not None
        return found.status

    async def make(self, path: str, body: dict[str, Any], plan: str = "") -> str:
        """Create a payment with an outcome plan; return its id."""
        answer = await (force(self.org, path, body, plan) if plan else self._post(path, body))
        assert answer.status_code == 200, answer.text
        return str(answer.json()["transferDetails"]["id"])

    async def go_on(self, path: str, record_id: str, *, decision: str = "approve") -> UUID:
        """Do what a payment waits for, and run the worker; faults may refuse it."""
        for _ in range(3):
            match await self.status(UUID(record_id)):
                case "PENDING_APPROVAL":
                    approvals = (await self.org.get(APPROVALS, limit=100))["approvals"]
                    (one,) = (each for each in approvals if each["transferId"] == record_id)
                    await self._post(f"{APPROVALS}/{one['id']}/{decision}", {})
                case "OPEN_QUOTE":
                    verb = _ACCEPTED.get(path, "/quote/accept")
                    await self._post(f"{path}/{record_id}{verb}", None)
                case _:
                    pass
            await settle(self.org)
        return UUID(record_id)

    async def deposit(self, path: str, record_id: str, amount: str | None = None) -> None:
        """Money arrives for an onramp, or coins for an offramp."""
        body = {} if amount is None else {"amount": amount}
        change_type = "onramps" if path == ONRAMPS else "offramps"
        await self._post(f"/v2/sandbox/{change_type}/{record_id}/deposit", body)

    async def _post(self, path: str, body: Any) -> Any:
        return await self.org.send("POST", path, body)


async def set_price(
    org: Tenant, clock: FrozenClock, source: str, destination: str, rate: str
) -> None:
    await org.container.prices.set_price(
        org.org_id,
        source_currency=source,
        destination_currency=destination,
        price=Price(Rate(Decimal(rate)), Decimal("0.01"), None),
        at=clock.now(),
    )


@asynccontextmanager
async def a_world(database: Database) -> AsyncGenerator[World]:
    """Set up a world with deposits only."""
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), node=await take_node(database))
    container = wire(SETTINGS, database, clock)
    async with served(container) as client:
        org = await make_tenant(container, client)
        for pair in (("usdc", "usd"), ("usd", "usdc"), ("usdc", "usdt")):
            await set_price(org, clock, *pair, "0.98")
        ada = await make_payee(org, funds=None)
        grace = await make_user(org, email="grace@example.com")
        for user in (ada, grace):
            await org.post(f"/v2/users/{user}/wallets/add", {"chains": ["BASE"]})
        for user, other in ((ada, grace), (grace, ada)):
            await fund(org, user, _FUNDS, chain="BASE")
            for currency in ("usdc", "usdt"):
                await fund(org, user, _FUNDS, currency=currency)
            waiting = transfer_body(user, other, _HELD, requireApproval=True)
            await org.post(TRANSFERS, waiting)
        wallets = (await org.get(f"/v2/users/{grace}"))["wallets"]["INDIVIDUAL"]
        inside = wallets["POLYGON"]["address"]
        virtual_account = (await virtual_accounts.make_account(org, ada))["id"]
        parts = (virtual_accounts.percentage(0.1, inside), virtual_accounts.percentage(0.05))
        rule = (await virtual_accounts.make_rule(org, *parts))["id"]
        await virtual_accounts.apply(org, ada, virtual_account, rule)
        rows = await database.rows("select id from transfers where org_id = $1", org.org_id)
        yield World(
            org=org,
            clock=clock,
            ada=ada,
            grace=grace,
            account=await make_account(org, ada),
            external=await register(org, ada, OUTSIDE),
            virtual_account=virtual_account,
            fees=(
                {"type": "FLAT", "value": "2", "walletAddress": inside},
                {"type": "FLAT", "value": "4", "walletAddress": OUTSIDE},
            ),
            accounts=await _accounts(database, org, ada),
            others=await _accounts(database, org, grace),
            kept=tuple(row["id"] for row in rows),
        )


async def _accounts(database: Database, org: Tenant, user: str) -> Mapping[str, UUID]:
    rows = await database.rows(_ACCOUNTS, org.org_id, UUID(user))
    return {row["asset"]: row["id"] for row in rows}
