"""A house whose clock stands still, and whose chains and bank fail as they are told."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from msgspec import structs

from landbridge.chains.tokens import Chain
from landbridge.core.clock import FrozenClock
from landbridge.core.errors import Rejected
from landbridge.core.money import Rate
from landbridge.db.pool import Database
from landbridge.flows.offramps.model import Offramp
from landbridge.ledger.house import house_balances
from landbridge.ledger.model import Role
from landbridge.orgs.service import take_lane
from landbridge.rates.port import Price
from landbridge.settings import Settings
from landbridge.wiring import wire
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
from tests.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import SETTINGS, Tenant, make_tenant, register, run_due, served


@dataclass(frozen=True)
class Play:
    """Ada has 1000 usdc on POLYGON, a bank account in dollars and a wallet outside."""

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
        """An offramp whose quote was accepted; the worker has not seen it."""
        return await accept(self.org, await self.quoted(amount, **changes))

    async def from_outside(self, amount: Any = 100, **changes: Any) -> dict[str, Any]:
        """An offramp whose coins come from Ada's wallet outside, as it was opened."""
        wallet = await register(self.org, self.ada, OUTSIDE)
        ends = {"externalWalletId": wallet, **changes.pop("source", {})}
        return await make_offramp(self.org, None, self.account, amount, source=ends, **changes)

    async def run(self) -> None:
        """What the worker does now."""
        # Stamps of a clock that stands still run ahead of it.
        self.clock.at += timedelta(milliseconds=10)
        await run_due(self.org)

    async def pass_time(self, **by: float) -> None:
        """Time passes, and the worker does what is due."""
        self.clock.at += timedelta(**by)
        await self.run()

    async def set_price(self, rate: str, fee: str = "0") -> None:
        """The price of usdc in dollars, set by the operator now."""
        await self.org.house.prices.set_price(
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
        """The answer to opening or closing a request for information: 200, or a refusal."""
        path = f"/v2/sandbox/transfers/{offramp['id']}/rfi"
        answer = await self.org.send("POST", path, {"action": action})
        return "200" if answer.status_code == 200 else self._refusal(answer.json())

    async def cancel(self, offramp: Mapping[str, Any]) -> str:
        """The status after a cancel, or the refusal."""
        answer = await self.org.send("POST", f"{OFFRAMPS}/{offramp['id']}/cancel")
        if answer.status_code == 200:
            return str(answer.json()["transferDetails"]["status"])
        return self._refusal(answer.json())

    def _refusal(self, told: Mapping[str, Any]) -> str:
        return str(told["error"])

    async def told(self, offramp: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What the log tells of it: what happened, and the status then."""
        rows = await self.org.house.database.rows(
            "select what, status_after from changes where org_id = $1 and object_id = $2"
            " order by seq",
            self.org.org_id,
            UUID(offramp["id"]),
        )
        return [(row["what"], row["status_after"]) for row in rows]

    async def house(self, role: Role) -> dict[str, int]:
        """What the house has of each asset, but for nothing."""
        found = await house_balances(self.org.house.database, self.org.org_id)
        return {asset: units for (of, asset), units in found.items() if of is role and units}

    async def treasury(self) -> str:
        return await self.org.house.wallets.treasury_address(self.org.org_id, Chain.POLYGON)


@asynccontextmanager
async def playing(database: Database, **settings: Any) -> AsyncGenerator[Play]:
    """A play of one organisation's own."""
    told: Settings = structs.replace(SETTINGS, **settings)
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), lane=await take_lane(database))
    plain = wire(told, database, clock)
    chains, rails = FaultyChains(plain.chains), FaultyRails(plain.rails)
    house = wire(told, database, clock, chains=chains, rails=rails)
    async with served(house) as client:
        org = await make_tenant(house, client)
        ada = await make_payee(org)
        yield Play(org, clock, chains, rails, ada, await make_account(org, ada))


async def refused_refund(play: Play, **changes: Any) -> dict[str, Any]:
    """An offramp whose payout failed, and whose refund the chain refuses six times."""
    made = await play.accepted(**changes)
    play.rails.fail_next = "account closed"
    # The debit goes through; whatever leaves the treasury does not.
    treasury = await play.treasury()
    play.chains.only = lambda order: order.source == treasury
    for minutes in (0, 2, 3, 5, 9, 17):
        play.chains.raise_before_next = Rejected("the address is blocked")
        await play.pass_time(minutes=minutes)
    play.chains.raise_before_next = None
    assert await play.status(made) == "FIAT_FAILED"
    return made
