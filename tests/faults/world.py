"""An organisation whose payments are played to any end, by the routes and the worker."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.core.clock import FrozenClock
from landbridge.core.money import Rate
from landbridge.db.pool import Database, Tx
from landbridge.ledger.audit import Audit, audit, table
from landbridge.ledger.corrections import correct
from landbridge.ledger.record_audit import EFFECT, JOURNALS, OPENED
from landbridge.orgs.service import take_lane
from landbridge.rates.port import Price
from landbridge.wiring import ASSETS, AUDIT_RULES, MOVES, House, wire
from tests.forced import force
from tests.ledger.corruptions import CORRECTED, ENDED
from tests.onramps import ONRAMPS, settle
from tests.payouts import OUTSIDE, make_account, make_payee
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
from tests.virtual_accounts import made as virtual

# The checks that payments did what they say; all others prove that the books agree with themselves.
PAYMENT_CHECKS = {OPENED, JOURNALS, EFFECT, ENDED, CORRECTED}

APPROVALS = "/v2/transfer-approvals"
# Enough for every payment that is played, and for what faults take in vain.
_FUNDS = "100000"
# What two transfers that nobody approves hold, so that no fault fails for want of held money.
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
# What a fault has left behind: with it no later audit would be clean.
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
    """Ada pays, Grace is paid; both have coins, and neither's time passes by itself."""

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
    def house(self) -> House:
        return self.org.house

    @property
    def database(self) -> Database:
        return self.org.house.database

    async def audit(self) -> Audit:
        return await audit(self.database, MOVES, AUDIT_RULES, org_id=self.org.org_id)

    async def names(self, record_id: UUID) -> set[str]:
        """The checks of the audit that name this record; no others find anything at all.

        So the books agree with themselves, and only these checks could have found it.
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
        """Remove every record but those that the world began with, and put balances right."""

        async def work(tx: Tx) -> None:
            # What else names a record, such as the receipt of a deposit, stays.
            await tx.execute("set local session_replication_role = replica")
            await tx.execute(_FORGET, self.org.org_id, list(self.kept))
            await tx.execute(_BALANCE, self.org.org_id)

        await self.database.transact(work)

    async def damage(self, statement: str, *args: Any) -> None:
        """Run a statement on the records, and make the balances what the entries then say."""

        async def work(tx: Tx) -> None:
            await tx.execute(statement, *args)
            await tx.execute(_BALANCE, self.org.org_id)

        await self.database.transact(work)

    async def correct(self, record_id: UUID, *seqs: int) -> UUID:
        """The correction of these changes of a record."""
        corrected = await correct(
            *(self.database, self.house.ledger, ASSETS, MOVES),
            org_id=self.org.org_id,
            transfer_id=record_id,
            seqs=seqs,
            reason="a test",
            actor="test",
            at=self.clock.stamp(),
        )
        return corrected.transfer.id

    async def newest(self, kind: str) -> UUID:
        """The record of this kind that was opened last."""
        rows = await self.database.rows(_NEWEST, self.org.org_id, kind)
        return rows[0]["id"]

    async def status(self, record_id: UUID) -> str:
        """Where a record stands."""
        found = await self.house.ledger.find(self.org.org_id, record_id)
        assert found is not None
        return found.status

    async def make(self, path: str, body: dict[str, Any], plan: str = "") -> str:
        """The id of a payment, with what the sandbox is to do about it."""
        answer = await (force(self.org, path, body, plan) if plan else self._post(path, body))
        assert answer.status_code == 200, answer.text
        return str(answer.json()["transferDetails"]["id"])

    async def go_on(self, path: str, record_id: str, *, decision: str = "approve") -> UUID:
        """Whoever it waits for does their part, and the worker the rest; faults may refuse it."""
        for _ in range(3):
            match await self.status(UUID(record_id)):
                case "PENDING_APPROVAL":
                    asked = (await self.org.get(APPROVALS, limit=100))["approvals"]
                    (one,) = (each for each in asked if each["transferId"] == record_id)
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
        what = "onramps" if path == ONRAMPS else "offramps"
        await self._post(f"/v2/sandbox/{what}/{record_id}/deposit", body)

    async def _post(self, path: str, body: Any) -> Any:
        return await self.org.send("POST", path, body)


async def set_price(
    org: Tenant, clock: FrozenClock, source: str, destination: str, rate: str
) -> None:
    await org.house.prices.set_price(
        org.org_id,
        source_currency=source,
        destination_currency=destination,
        price=Price(Rate(Decimal(rate)), Decimal("0.01"), None),
        at=clock.now(),
    )


@asynccontextmanager
async def a_world(database: Database) -> AsyncGenerator[World]:
    """A world in which nothing has happened yet but deposits."""
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), lane=await take_lane(database))
    house = wire(SETTINGS, database, clock)
    async with served(house) as client:
        org = await make_tenant(house, client)
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
        virtual_account = (await virtual.make_account(org, ada))["id"]
        parts = (virtual.percentage(0.1, inside), virtual.percentage(0.05))
        rule = (await virtual.make_rule(org, *parts))["id"]
        await virtual.apply(org, ada, virtual_account, rule)
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
