"""World in which one provider fails permanently at one stage of a payment.

`STAGES` lists every stage at which a payment waits for a provider, by kind of payment. `Fault`
lists the ways in which a provider can fail permanently.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Generic, TypeVar
from uuid import UUID

from landbridge.app.container import wire
from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole, Transfer
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.port import (
    ChainAction,
    ChainOrder,
    ChainOrderState,
    ChainOrderStatus,
    Chains,
)
from landbridge.providers.rails.port import (
    RailPayment,
    RailPaymentState,
    RailPaymentStatus,
    Rails,
)
from tests.onramps import deposit, settle
from tests.payouts import check_books
from tests.providers.simulation.simulated_bridges import SimulatedBridges
from tests.resolution_team import ResolutionTeam, make_resolution_team
from tests.scripted import PATHS, Cast, make_cast
from tests.tenants import SETTINGS, make_tenant, served, swap_body

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"

Order = TypeVar("Order", ChainOrder, RailPayment)


class Fault(StrEnum):
    """Permanent fault of a provider."""

    REFUSES = "refuses"  # every order, permanently
    ABSENT = "absent"  # accepts no order and answers no lookup
    TAKES_IN_SILENCE = "takes in silence"  # executes the order and never confirms it
    PENDING = "pending"  # accepts the order, and reports it as pending forever
    FORGETS = "forgets"  # loses the order; its keys expire after an hour


MEMORY = timedelta(hours=1)


class _Faults(Generic[Order]):
    """Which orders fail, and how; the first rule that matches an order counts."""

    def __init__(self) -> None:
        self.rules: list[tuple[Callable[[Order], bool], Fault]] = []
        self.touched: dict[UUID, Fault] = {}

    @property
    def key_lifetime(self) -> timedelta | None:
        return MEMORY

    def fault_of(self, order: Order) -> Fault | None:
        """Return the fault of an order that is sent now; raise it if it has no answer."""
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
        """Return the fault of an order that is looked up."""
        fault = self.touched.get(key) if self.rules else None
        if fault in {Fault.ABSENT, Fault.TAKES_IN_SILENCE}:
            raise Unavailable("no answer")
        return fault


class StuckChains(_Faults[ChainOrder], SimulatedBridges):
    """Chains with fault rules."""

    def __init__(self, inner: Chains) -> None:
        super().__init__()
        self.inner = inner

    def carries(self, chain: str, action: ChainAction) -> bool:
        del chain, action
        return True

    def holds_coins(self, chain: str) -> bool:
        del chain
        return False

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        fault = self.fault_of(order)
        sent = await self.inner.send(order)
        if fault is Fault.TAKES_IN_SILENCE:
            raise Unclear("no answer; it did arrive")
        return sent if fault is None else _pending(sent, order.at)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        fault = self.fault_at(key)
        found = await self.inner.find_status(org_id, key, at)
        return found if fault is None or found is None else _pending(found, at)


class StuckRails(_Faults[RailPayment]):
    """Bank with fault rules."""

    def __init__(self, inner: Rails) -> None:
        super().__init__()
        self.inner = inner
        self.takes_deposits = inner.takes_deposits
        self.new_account_number = inner.new_account_number
        self.rejection_reason = inner.rejection_reason
        self.verify_payee = inner.verify_payee
        self.coordinates = inner.coordinates

    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        fault = self.fault_of(payment)
        paid = await self.inner.pay(payment)
        if fault is Fault.TAKES_IN_SILENCE:
            raise Unclear("no answer; it did arrive")
        return paid if fault is None else _unsettled(paid, payment.at)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> RailPaymentStatus | None:
        fault = self.fault_at(key)
        found = await self.inner.find_status(org_id, key, at)
        return found if fault is None or found is None else _unsettled(found, at)


def _pending(sent: ChainOrderStatus, at: datetime) -> ChainOrderStatus:
    expected_at = at + timedelta(hours=1)
    return replace(sent, state=ChainOrderState.PENDING, expected_at=expected_at, reason=None)


def _unsettled(paid: RailPaymentStatus, at: datetime) -> RailPaymentStatus:
    expected_at = at + timedelta(hours=1)
    return replace(paid, state=RailPaymentState.PENDING, expected_at=expected_at, reason=None)


@dataclass(frozen=True)
class Stage:
    """Stage at which a payment waits for a provider.

    `chain` and `bank` select the orders that fail there; `before` names the stage that is refused
    first, so that the payment reaches this one. `ends` are the statuses that a reviewer's actions
    lead to.
    """

    kind: str
    name: str
    ends: dict[str, str]
    chain: Callable[[ChainOrder], bool] | None = None
    bank: Callable[[RailPayment], bool] | None = None
    before: str | None = None

    @property
    def before_it(self) -> "Stage | None":
        """Return the stage that is refused before this one."""
        return next(
            (each for each in STAGES if (each.kind, each.name) == (self.kind, self.before)), None
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def _is(action: ChainAction) -> Callable[[ChainOrder], bool]:
    return lambda order: order.action is action


def _from_wallet(order: ChainOrder) -> bool:
    return order.wallet_id is not None


def _from_treasury(order: ChainOrder) -> bool:
    return order.wallet_id is None and order.action is ChainAction.TRANSFER


def _is_delivery(order: ChainOrder) -> bool:
    return _from_treasury(order) and not order.is_refund


def _to_source_chain(order: ChainOrder) -> bool:
    return order.action is ChainAction.MINT and order.chain == "POLYGON"


def _to_other_chain(order: ChainOrder) -> bool:
    return order.action is ChainAction.MINT and order.chain != "POLYGON"


def _is_payout(payment: RailPayment) -> bool:
    return payment.returns is None


def _is_return(payment: RailPayment) -> bool:
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
    *(
        Stage("WALLET.SWAP", name, {"CONFIRM": "COMPLETED", "FAIL": "FAILED"}, chain=chain)
        for name, chain in (
            ("collect", _from_wallet),
            ("send", _is_delivery),
        )
    ),
    Stage(
        "WALLET.SWAP",
        "return",
        dict.fromkeys(("CONFIRM", "REDIRECT", "SETTLE_OUTSIDE"), "FAILED"),
        chain=lambda order: order.is_refund,
        before="send",
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
    team: ResolutionTeam

    async def run(self) -> None:
        """Run the worker."""
        await self.team.run_due()

    async def pass_time(self, **by: float) -> None:
        self.clock.at += timedelta(**by)
        await self.run()

    async def record(self, created: dict[str, Any]) -> Transfer:
        """Return a payment's ledger record."""
        found = await self.cast.org.container.ledger.find(self.cast.org.org_id, UUID(created["id"]))
        assert found is not None
        return found

    async def in_transit(self) -> dict[str, int]:
        """Return the house balances in transit."""
        org = self.cast.org
        found = await house_balances(org.container.database, org.org_id)
        return {
            code: units for (role, code), units in found.items() if role is HouseRole.IN_TRANSIT
        }

    async def spendable(self) -> int:
        """Return the payer's available units of usdc on POLYGON."""
        path = f"/v2/users/{self.cast.payer}/wallets/balance"
        reply = await self.cast.org.get(path, chain="POLYGON", currency="usdc")
        return int(reply["availableBalance"])

    def heal(self) -> None:
        """Remove all faults; refused or lost orders stay so."""
        self.chains.rules.clear()
        self.rails.rules.clear()

    async def open(self, stage: Stage, fault: Fault) -> dict[str, Any]:
        """Create a payment and bring it to this stage, where the provider fails."""
        self.heal()
        path = PATHS[stage.kind]
        created = (await self.cast.org.post(path, self._body(stage.kind)))["transferDetails"]
        for each, how in ((stage.before_it, Fault.REFUSES), (stage, fault)):
            if each is not None and each.chain is not None:
                self.chains.rules.append((each.chain, how))
            if each is not None and each.bank is not None:
                self.rails.rules.append((each.bank, how))
        await self._accept(stage.kind, created)
        await self.run()
        return created

    def _body(self, kind: str) -> dict[str, Any]:
        if kind == "WALLET.SWAP":
            # One to a wallet is executed in the ledger.
            return swap_body(self.cast.payer, "10", destination={"walletAddress": OUTSIDE})
        return self.cast.body(kind)

    async def _accept(self, kind: str, created: dict[str, Any]) -> None:
        path = f"{PATHS[kind]}/{created['id']}"
        org = self.cast.org
        match kind:
            case "WALLET.BRIDGE" | "WALLET.SWAP":
                await org.post(f"{path}/accept")
            case "OFFRAMP":
                await org.post(f"{path}/quote/accept")
            case "ONRAMP":
                await org.post(f"{path}/quote/accept")
                await deposit(org, created)
            case _:
                pass


@asynccontextmanager
async def stuck_world(database: Database) -> AsyncGenerator[World]:
    """Set up a world with an organisation of its own."""
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), node=await take_node(database))
    plain = wire(SETTINGS, database, clock)
    chains, rails = StuckChains(plain.chains), StuckRails(plain.rails)
    container = wire(SETTINGS, database, clock, chains=chains, rails=rails)
    async with served(container) as client:
        org = await make_tenant(container, client)
        cast = await make_cast(org)

        async def run() -> None:
            clock.at += timedelta(milliseconds=50)
            await settle(org)

        yield World(cast, clock, chains, rails, await make_resolution_team(org, clock, run))
        await check_books(org)
