"""A world in which one provider, at one stage of a payment, never does what it should.

`STAGES` are all places where a payment waits for a provider, by kind of payment; `Fault` are the
ways in which a provider can fail for ever.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Generic, TypeVar
from uuid import UUID

from landbridge.chains.port import Action as ChainAction
from landbridge.chains.port import Chains, Order, Sent, SentState
from landbridge.core.clock import FrozenClock
from landbridge.core.errors import Rejected, Unavailable, Unclear
from landbridge.db.pool import Database
from landbridge.ledger.house import house_balances
from landbridge.ledger.model import Role, Transfer
from landbridge.orgs.service import take_lane
from landbridge.rails.port import Coordinates, Paid, PaidState, Payment, Rails
from landbridge.wiring import wire
from tests.forced import PATHS, Cast, make_cast
from tests.onramps import deposit, settle
from tests.payouts import check_books
from tests.resolving import Desk, make_desk
from tests.tenants import SETTINGS, make_tenant, served

Wanted = TypeVar("Wanted", Order, Payment)


class Fault(StrEnum):
    """How a provider fails for ever."""

    REFUSES = "refuses"  # every order, for good
    ABSENT = "absent"  # takes no order and answers no question
    TAKES_IN_SILENCE = "takes in silence"  # carries the order out and never says so
    PENDING = "pending"  # takes the order, and says for ever that it is under way
    FORGETS = "forgets"  # loses the order, and remembers keys for an hour


MEMORY = timedelta(hours=1)


class _Faults(Generic[Wanted]):
    """Which orders fail, and how; the first rule that matches an order counts."""

    def __init__(self) -> None:
        self.rules: list[tuple[Callable[[Wanted], bool], Fault]] = []
        self.touched: dict[UUID, Fault] = {}

    @property
    def remembers(self) -> timedelta | None:
        return MEMORY

    def fault_of(self, order: Wanted) -> Fault | None:
        """The fault of an order that is given now; raises it where it has no answer."""
        fault = next((fault for matches, fault in self.rules if matches(order)), None)
        if fault is not None:
            self.touched[order.key] = fault
        match fault:
            case Fault.REFUSES:
                raise Rejected("the destination is blocked")
            case Fault.ABSENT:
                raise Unavailable("no connection")
            case Fault.FORGETS:
                raise Unclear("no answer; it did not arrive")
            case _:
                return fault

    def fault_at(self, key: UUID) -> Fault | None:
        """The fault of an order that is asked about."""
        fault = self.touched.get(key) if self.rules else None
        if fault in {Fault.ABSENT, Fault.TAKES_IN_SILENCE}:
            raise Unavailable("no answer")
        return fault


class StuckChains(_Faults[Order]):
    """Chains that fail by rules."""

    def __init__(self, inner: Chains) -> None:
        super().__init__()
        self.inner = inner

    async def send(self, order: Order) -> Sent:
        fault = self.fault_of(order)
        sent = await self.inner.send(order)
        if fault is Fault.TAKES_IN_SILENCE:
            raise Unclear("no answer; it did arrive")
        return sent if fault is None else _pending(sent, order.at)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Sent | None:
        fault = self.fault_at(key)
        found = await self.inner.look(org_id, key, at)
        return found if fault is None or found is None else _pending(found, at)


class StuckRails(_Faults[Payment]):
    """A bank that fails by rules."""

    def __init__(self, inner: Rails) -> None:
        super().__init__()
        self.inner = inner

    async def pay(self, payment: Payment) -> Paid:
        fault = self.fault_of(payment)
        paid = await self.inner.pay(payment)
        if fault is Fault.TAKES_IN_SILENCE:
            raise Unclear("no answer; it did arrive")
        return paid if fault is None else _unsettled(paid, payment.at)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Paid | None:
        fault = self.fault_at(key)
        found = await self.inner.look(org_id, key, at)
        return found if fault is None or found is None else _unsettled(found, at)

    async def why_not(self, payment: Payment) -> str | None:
        return await self.inner.why_not(payment)

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> Coordinates | None:
        return await self.inner.coordinates(org_id, currency, account_number)

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        return await self.inner.new_account_number(org_id, currency, seed)


def _pending(sent: Sent, at: datetime) -> Sent:
    expected_at = at + timedelta(hours=1)
    return replace(sent, state=SentState.PENDING, expected_at=expected_at, reason=None)


def _unsettled(paid: Paid, at: datetime) -> Paid:
    expected_at = at + timedelta(hours=1)
    return replace(paid, state=PaidState.PENDING, expected_at=expected_at, reason=None)


@dataclass(frozen=True)
class Stage:
    """A place where a payment waits for a provider.

    `chain` and `bank` say which orders fail there; `before` names the stage that is refused first,
    so that the payment comes to this one. `ends` are the statuses that a person's actions lead to.
    """

    kind: str
    name: str
    ends: dict[str, str]
    chain: Callable[[Order], bool] | None = None
    bank: Callable[[Payment], bool] | None = None
    before: str | None = None

    @property
    def before_it(self) -> "Stage | None":
        """The stage that is refused before this one."""
        return next(
            (each for each in STAGES if (each.kind, each.name) == (self.kind, self.before)), None
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def _is(action: ChainAction) -> Callable[[Order], bool]:
    return lambda order: order.action is action


def _from_wallet(order: Order) -> bool:
    return order.wallet_id is not None


def _from_treasury(order: Order) -> bool:
    return order.wallet_id is None and order.action is ChainAction.TRANSFER


def _to_source_chain(order: Order) -> bool:
    return order.action is ChainAction.MINT and order.chain == "POLYGON"


def _to_other_chain(order: Order) -> bool:
    return order.action is ChainAction.MINT and order.chain != "POLYGON"


def _is_payout(payment: Payment) -> bool:
    return payment.returns is None


def _is_return(payment: Payment) -> bool:
    return payment.returns is not None


STAGES = [
    *(
        Stage(
            kind,
            "send",
            {"CONFIRM": "COMPLETED", "FAIL": "FAILED"},
            chain=_is(ChainAction.TRANSFER),
        )
        for kind in ("WALLET.TRANSFER", "WALLET.TRANSFER.BATCH")
    ),
    Stage(
        "WALLET.BRIDGE",
        "approve",
        {"CONFIRM": "COMPLETED", "FAIL": "SOURCE_FAILED"},
        chain=_is(ChainAction.APPROVE),
    ),
    Stage(
        "WALLET.BRIDGE",
        "burn",
        {"CONFIRM": "COMPLETED", "FAIL": "SOURCE_FAILED"},
        chain=_is(ChainAction.BURN),
    ),
    Stage(
        "WALLET.BRIDGE",
        "mint",
        {"CONFIRM": "COMPLETED", "FAIL": "DESTINATION_FAILED"},
        chain=_to_other_chain,
    ),
    Stage(
        "WALLET.BRIDGE",
        "return",
        dict.fromkeys(("CONFIRM", "REDIRECT", "SETTLE_OUTSIDE"), "DESTINATION_FAILED"),
        chain=_to_source_chain,
        before="mint",
    ),
    Stage(
        "OFFRAMP",
        "debit",
        {"CONFIRM": "COMPLETED", "FAIL": "CRYPTO_FAILED"},
        chain=_from_wallet,
    ),
    Stage(
        "OFFRAMP",
        "payout",
        {"CONFIRM": "COMPLETED", "FAIL": "CRYPTO_RETURNED"},
        bank=_is_payout,
    ),
    Stage(
        "OFFRAMP",
        "refund",
        dict.fromkeys(("CONFIRM", "REDIRECT", "SETTLE_OUTSIDE"), "CRYPTO_RETURNED"),
        chain=_from_treasury,
        before="payout",
    ),
    Stage(
        "ONRAMP",
        "delivery",
        {"CONFIRM": "COMPLETED", "FAIL": "FIAT_RETURNED"},
        chain=_from_treasury,
    ),
    Stage(
        "ONRAMP",
        "return",
        dict.fromkeys(("CONFIRM", "REDIRECT", "SETTLE_OUTSIDE"), "FIAT_RETURNED"),
        bank=_is_return,
        before="delivery",
    ),
]


@dataclass
class World:
    """An organisation with a payer, a payee, providers that fail, and two people."""

    cast: Cast
    clock: FrozenClock
    chains: StuckChains
    rails: StuckRails
    desk: Desk

    async def run(self) -> None:
        """What the worker does now."""
        await self.desk.run_due()

    async def pass_time(self, **by: float) -> None:
        self.clock.at += timedelta(**by)
        await self.run()

    async def record(self, made: dict[str, Any]) -> Transfer:
        """A payment as the ledger has it."""
        found = await self.cast.org.house.ledger.find(self.cast.org.org_id, UUID(made["id"]))
        assert found is not None
        return found

    async def in_transit(self) -> dict[str, int]:
        """What the house has in transit."""
        org = self.cast.org
        found = await house_balances(org.house.database, org.org_id)
        return {code: units for (role, code), units in found.items() if role is Role.IN_TRANSIT}

    async def spendable(self) -> int:
        """How many units of usdc on POLYGON the payer can spend."""
        path = f"/v2/users/{self.cast.payer}/wallets/balance"
        told = await self.cast.org.get(path, chain="POLYGON", currency="usdc")
        return int(told["availableBalance"])

    def heal(self) -> None:
        """Everything works again; what was refused or lost stays so."""
        self.chains.rules.clear()
        self.rails.rules.clear()

    async def open(self, stage: Stage, fault: Fault) -> dict[str, Any]:
        """A payment that has come to this stage, where the provider fails."""
        self.heal()
        path = PATHS[stage.kind]
        made = (await self.cast.org.post(path, self.cast.body(stage.kind)))["transferDetails"]
        for each, how in ((stage.before_it, Fault.REFUSES), (stage, fault)):
            if each is not None and each.chain is not None:
                self.chains.rules.append((each.chain, how))
            if each is not None and each.bank is not None:
                self.rails.rules.append((each.bank, how))
        await self._accept(stage.kind, made)
        await self.run()
        return made

    async def _accept(self, kind: str, made: dict[str, Any]) -> None:
        path = f"{PATHS[kind]}/{made['id']}"
        org = self.cast.org
        match kind:
            case "WALLET.BRIDGE":
                await org.post(f"{path}/accept")
            case "OFFRAMP":
                await org.post(f"{path}/quote/accept")
            case "ONRAMP":
                await org.post(f"{path}/quote/accept")
                await deposit(org, made)
            case _:
                pass


@asynccontextmanager
async def stuck_world(database: Database) -> AsyncGenerator[World]:
    """A world of one organisation's own."""
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), lane=await take_lane(database))
    plain = wire(SETTINGS, database, clock)
    chains, rails = StuckChains(plain.chains), StuckRails(plain.rails)
    house = wire(SETTINGS, database, clock, chains=chains, rails=rails)
    async with served(house) as client:
        org = await make_tenant(house, client)
        cast = await make_cast(org)

        async def run() -> None:
            clock.at += timedelta(milliseconds=50)
            await settle(org)

        yield World(cast, clock, chains, rails, await make_desk(org, clock, run))
        await check_books(org)
