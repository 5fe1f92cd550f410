"""Offramps of a container with a stopped clock and scripted failures of chains and bank."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from msgspec import structs

from landbridge.app.container import wire
from landbridge.app.settings import Settings
from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.payments.offramps.model import Offramp
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.money import Rate
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.rates.port import Price
from tests.payouts import (
    OFFRAMPS,
    OUTSIDE,
    accept,
    make_account,
    make_offramp,
    make_payee,
    offramp_of,
    shown,
)
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import SETTINGS, Tenant, make_tenant, register, run_due, served


@dataclass(frozen=True)
class OfframpScenario:
    """Ada has 1000 usdc on POLYGON, a bank account in dollars and an external wallet."""

    org: Tenant
    clock: FrozenClock
    chains: FaultyChains
    rails: FaultyRails
    ada: str
    account: str

    async def quoted(self, amount: Any = 100, **changes: Any) -> dict[str, Any]:
        """An offramp as it was opened."""
        return await make_offramp(self.org, self.ada, self.account, amount, **changes)

    async def accepted(self, amount: Any = 100, **changes: Any) -> dict[str, Any]:
        """Return an offramp with an accepted quote, before the worker has processed it."""
        return await accept(self.org, await self.quoted(amount, **changes))

    async def from_outside(self, amount: Any = 100, **changes: Any) -> dict[str, Any]:
        """Create an offramp funded from Ada's external wallet."""
        wallet = await register(self.org, self.ada, OUTSIDE)
        parties = {"externalWalletId": wallet, **changes.pop("source", {})}
        return await make_offramp(self.org, None, self.account, amount, source=parties, **changes)

    async def run(self) -> None:
        """Run all steps that are due now."""
        # Timestamps of a stopped clock run ahead of it.
        self.clock.at += timedelta(milliseconds=10)
        await run_due(self.org)

    async def pass_time(self, **by: float) -> None:
        """Advance the clock and run due steps."""
        self.clock.at += timedelta(**by)
        await self.run()

    async def set_price(self, rate: str, fee: str = "0") -> None:
        """Set the operator's price of usdc in dollars from now on."""
        await self.org.container.prices.set_price(
            self.org.org_id,
            source_currency="usdc",
            destination_currency="usd",
            price=Price(Rate(Decimal(rate)), Decimal(fee), None),
            at=self.clock.now(),
        )

    async def status(self, offramp: Mapping[str, Any]) -> str:
        return (await shown(self.org, offramp))["status"]

    async def of(self, offramp: Mapping[str, Any]) -> Offramp:
        return await offramp_of(self.org, offramp)

    async def review(self, offramp: Mapping[str, Any], action: str) -> str:
        """Open or close a request for information; return 200 or the refusal."""
        path = f"/v2/sandbox/transfers/{offramp['id']}/rfi"
        answer = await self.org.send("POST", path, {"action": action})
        return "200" if answer.status_code == 200 else self._refusal(answer.json())

    async def cancel(self, offramp: Mapping[str, Any]) -> str:
        """Cancel an offramp; return its status or the refusal."""
        answer = await self.org.send("POST", f"{OFFRAMPS}/{offramp['id']}/cancel")
        if answer.status_code == 200:
            return str(answer.json()["transferDetails"]["status"])
        return self._refusal(answer.json())

    def _refusal(self, body: Mapping[str, Any]) -> str:
        return str(body["error"])

    async def changes(self, offramp: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the recorded changes of an offramp: the change type, and the status after it."""
        rows = await self.org.container.database.rows(
            "select change_type, status_after from changes where org_id = $1 and object_id = $2"
            " order by seq",
            self.org.org_id,
            UUID(offramp["id"]),
        )
        return [(row["change_type"], row["status_after"]) for row in rows]

    async def container(self, role: HouseRole) -> dict[str, int]:
        """Return the nonzero balances of a house account by asset."""
        found = await house_balances(self.org.container.database, self.org.org_id)
        return {asset: units for (of, asset), units in found.items() if of is role and units}

    async def treasury(self) -> str:
        return await self.org.container.wallets.treasury_address(self.org.org_id, Chain.POLYGON)


@asynccontextmanager
async def open_scenario(database: Database, **settings: Any) -> AsyncGenerator[OfframpScenario]:
    """Set up an organisation of its own with Ada's account."""
    effective_settings: Settings = structs.replace(SETTINGS, **settings)
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), node=await take_node(database))
    plain = wire(effective_settings, database, clock)
    chains, rails = FaultyChains(plain.chains), FaultyRails(plain.rails)
    container = wire(effective_settings, database, clock, chains=chains, rails=rails)
    async with served(container) as client:
        org = await make_tenant(container, client)
        ada = await make_payee(org)
        yield OfframpScenario(org, clock, chains, rails, ada, await make_account(org, ada))


async def refused_refund(scenario: OfframpScenario, **changes: Any) -> dict[str, Any]:
    """Return an offramp whose payout failed, and whose refund the chain rejects six times."""
    created = await scenario.accepted(**changes)
    scenario.rails.fail_next = "account closed"
    # The debit succeeds; every order from the treasury fails.
    treasury = await scenario.treasury()
    scenario.chains.only = lambda order: order.source == treasury
    for minutes in (0, 2, 3, 5, 9, 17):
        scenario.chains.raise_before_next = Rejected("the address is blocked")
        await scenario.pass_time(minutes=minutes)
    scenario.chains.raise_before_next = None
    assert await scenario.status(created) == "FIAT_FAILED"
    return created
