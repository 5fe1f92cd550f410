"""Adapters of chains and banks with scripted faults, around working ones.

    chains = FaultyChains(container.chains)
    rails = FaultyRails(container.rails)
    faulty = wire(SETTINGS, database, clock, chains=chains, rails=rails)

Every attribute may be set at any time, and applies to later calls:

- `raise_before_next = Unavailable("...")`: the next `send` or `pay` raises it, and nothing happens;
- `raise_after_next = Unclear("...")`: the next one is carried out, and then raises it, like a
  process that crashes between the call and the record;
- `fail_next = "reason"`: the next new key ends FAILED for good, and nothing happens; `failing[key]
  = "reason"` does so for a known key;
- `late_by = timedelta(minutes=5)`: new keys stay PENDING for this long, then get their result (also
  FAILED, with `fail_next`);
- `is_silent = True`: every call raises `Unavailable`;
- `forgets = True`: `look` returns None;
- `remembers = timedelta(days=1)`: the adapter's `key_lifetime`;
- `only = lambda order: order.action is Action.MINT`: the faults above apply to these orders only.

`calls` has every call as (name, key), `orders` has every order or payment as submitted.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Generic, TypeVar
from uuid import UUID

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.chains.port import (
    ChainAction,
    ChainOrder,
    ChainOrderState,
    ChainOrderStatus,
    Chains,
)
from landbridge.providers.rails.port import (
    DepositCoordinates,
    PayeeVerification,
    PaymentTracking,
    PayoutDestination,
    RailPayment,
    RailPaymentState,
    RailPaymentStatus,
    Rails,
)
from tests.providers.simulation.simulated_bridges import SimulatedBridges

Order = TypeVar("Order", ChainOrder, RailPayment)


def _every(order: object) -> bool:
    del order
    return True


@dataclass(eq=False)
class _Faulty(Generic[Order]):
    only: Callable[[Order], bool] = _every
    raise_before_next: Exception | None = None
    raise_after_next: Exception | None = None
    fail_next: str | None = None
    failing: dict[UUID, str] = field(default_factory=dict[UUID, str])
    late_by: timedelta | None = None
    is_silent: bool = False
    forgets: bool = False
    key_lifetime: timedelta | None = None
    calls: list[tuple[str, UUID]] = field(default_factory=list[tuple[str, UUID]])
    orders: list[Order] = field(default_factory=list[Order])
    # Time until which a key stays pending.
    _until: dict[UUID, datetime] = field(default_factory=dict[UUID, datetime])

    def count(self, name: str, key: UUID | None = None) -> int:
        """Return the number of calls, with this key or any."""
        return sum(each == name and key in (None, with_key) for each, with_key in self.calls)

    def _begin(self, name: str, order: Order) -> None:
        self.calls.append((name, order.key))
        is_new = all(each.key != order.key for each in self.orders)
        self.orders.append(order)
        self._check_silent()
        if not self.only(order):
            return
        error, self.raise_before_next = self.raise_before_next, None
        if error is not None:
            self.orders.pop()
            raise error
        if is_new and self.fail_next is not None:
            self.failing[order.key], self.fail_next = self.fail_next, None
        if is_new and self.late_by is not None:
            self._until[order.key] = order.at + self.late_by

    def _end(self, order: Order) -> None:
        if self.only(order):
            error, self.raise_after_next = self.raise_after_next, None
            if error is not None:
                raise error

    def _look(self, key: UUID) -> None:
        self.calls.append(("find_status", key))
        self._check_silent()

    def _check_silent(self) -> None:
        if self.is_silent:
            raise Unavailable("silent")

    def _pending_until(self, key: UUID, at: datetime) -> datetime | None:
        until = self._until.get(key)
        return until if until is not None and at < until else None


class FaultyChains(_Faulty[ChainOrder], SimulatedBridges):
    """Chains with scripted faults; see above."""

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
        self._begin("send", order)
        sent = None if order.key in self.failing else await self.inner.send(order)
        self._end(order)
        return self._answer(order.key, sent, order.at)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        self._look(key)
        if self.forgets:
            return None
        sent = None if key in self.failing else await self.inner.find_status(org_id, key, at)
        return None if sent is None and key not in self.failing else self._answer(key, sent, at)

    def _answer(self, key: UUID, sent: ChainOrderStatus | None, at: datetime) -> ChainOrderStatus:
        if sent is None:
            sent = ChainOrderStatus(
                state=ChainOrderState.FAILED,
                transaction_hash=None,
                user_op_hash=None,
                expected_at=None,
                reason=self.failing[key],
            )
        until = self._pending_until(key, at)
        if until is None:
            return sent
        return replace(sent, state=ChainOrderState.PENDING, expected_at=until, reason=None)


class FaultyRails(_Faulty[RailPayment]):
    """A bank with scripted faults; see above."""

    def __init__(self, inner: Rails) -> None:
        super().__init__()
        self.inner = inner

    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        self._begin("pay", payment)
        paid = None if payment.key in self.failing else await self.inner.pay(payment)
        self._end(payment)
        return self._answer(payment.key, paid, payment.at)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> RailPaymentStatus | None:
        self._look(key)
        if self.forgets:
            return None
        paid = None if key in self.failing else await self.inner.find_status(org_id, key, at)
        return None if paid is None and key not in self.failing else self._answer(key, paid, at)

    async def rejection_reason(self, payment: RailPayment) -> str | None:
        return await self.inner.rejection_reason(payment)

    async def verify_payee(self, destination: PayoutDestination) -> PayeeVerification:
        return await self.inner.verify_payee(destination)

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> DepositCoordinates | None:
        return await self.inner.coordinates(org_id, currency, account_number)

    async def takes_deposits(self, org_id: UUID, currency: str) -> bool:
        return await self.inner.takes_deposits(org_id, currency)

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        return await self.inner.new_account_number(org_id, currency, seed)

    def _answer(self, key: UUID, paid: RailPaymentStatus | None, at: datetime) -> RailPaymentStatus:
        if paid is None:
            rail = next((each.rail for each in self.orders if each.key == key), "ach")
            paid = RailPaymentStatus(
                state=RailPaymentState.FAILED,
                tracking=PaymentTracking(payment_rail=rail),
                expected_at=None,
                reason=self.failing[key],
            )
        until = self._pending_until(key, at)
        if until is None:
            return paid
        return replace(paid, state=RailPaymentState.PENDING, expected_at=until, reason=None)
