"""Chains and banks that fail as they are told, over ones that work.

    chains = FaultyChains(house.chains)
    rails = FaultyRails(house.rails)
    faulty = wire(SETTINGS, database, clock, chains=chains, rails=rails)

Every attribute may be set at any time, and counts for calls from then on:

- `raise_before_next = Unavailable("...")`: the next `send` or `pay` raises it, and nothing happens;
- `raise_after_next = Unclear("...")`: the next one is carried out, and then raises it, as does a
  process that dies between the call and the record;
- `fail_next = "reason"`: the next key that is new ends FAILED, for good, and nothing happens;
  `failing[key] = "reason"` says it of a key that is known beforehand;
- `late_by = timedelta(minutes=5)`: keys that are new stay PENDING for so long, then they are what
  they are (also FAILED, with `fail_next`);
- `is_silent = True`: everything raises `Unavailable`;
- `forgets = True`: `look` knows nothing (None);
- `remembers = timedelta(days=1)`: how long the adapter says that it knows a key;
- `only = lambda order: order.action is Action.MINT`: the faults above are for these alone.

`calls` has every call as (name, key), `asked` every order or payment as it came.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Generic, TypeVar
from uuid import UUID

from landbridge.chains.port import Chains, Order, Sent, SentState
from landbridge.core.errors import Unavailable
from landbridge.rails.port import Coordinates, Paid, PaidState, Payment, Rails, Tracking

Asked = TypeVar("Asked", Order, Payment)


def _every(asked: object) -> bool:
    del asked
    return True


@dataclass(eq=False)
class _Faulty(Generic[Asked]):
    only: Callable[[Asked], bool] = _every
    raise_before_next: Exception | None = None
    raise_after_next: Exception | None = None
    fail_next: str | None = None
    failing: dict[UUID, str] = field(default_factory=dict[UUID, str])
    late_by: timedelta | None = None
    is_silent: bool = False
    forgets: bool = False
    remembers: timedelta | None = None
    calls: list[tuple[str, UUID]] = field(default_factory=list[tuple[str, UUID]])
    asked: list[Asked] = field(default_factory=list[Asked])
    # Until when a key stays pending.
    _until: dict[UUID, datetime] = field(default_factory=dict[UUID, datetime])

    def count(self, name: str, key: UUID | None = None) -> int:
        """How often this was called, with this key or any."""
        return sum(each == name and key in (None, with_key) for each, with_key in self.calls)

    def _begin(self, name: str, asked: Asked) -> None:
        self.calls.append((name, asked.key))
        is_new = all(each.key != asked.key for each in self.asked)
        self.asked.append(asked)
        self._check_silent()
        if not self.only(asked):
            return
        error, self.raise_before_next = self.raise_before_next, None
        if error is not None:
            self.asked.pop()
            raise error
        if is_new and self.fail_next is not None:
            self.failing[asked.key], self.fail_next = self.fail_next, None
        if is_new and self.late_by is not None:
            self._until[asked.key] = asked.at + self.late_by

    def _end(self, asked: Asked) -> None:
        if self.only(asked):
            error, self.raise_after_next = self.raise_after_next, None
            if error is not None:
                raise error

    def _look(self, key: UUID) -> None:
        self.calls.append(("look", key))
        self._check_silent()

    def _check_silent(self) -> None:
        if self.is_silent:
            raise Unavailable("silent")

    def _pending_until(self, key: UUID, at: datetime) -> datetime | None:
        until = self._until.get(key)
        return until if until is not None and at < until else None


class FaultyChains(_Faulty[Order]):
    """Chains that fail as they are told; see above."""

    def __init__(self, inner: Chains) -> None:
        super().__init__()
        self.inner = inner

    async def send(self, order: Order) -> Sent:
        self._begin("send", order)
        sent = None if order.key in self.failing else await self.inner.send(order)
        self._end(order)
        return self._answer(order.key, sent, order.at)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Sent | None:
        self._look(key)
        if self.forgets:
            return None
        sent = None if key in self.failing else await self.inner.look(org_id, key, at)
        return None if sent is None and key not in self.failing else self._answer(key, sent, at)

    def _answer(self, key: UUID, sent: Sent | None, at: datetime) -> Sent:
        if sent is None:
            sent = Sent(
                state=SentState.FAILED,
                transaction_hash=None,
                user_op_hash=None,
                expected_at=None,
                reason=self.failing[key],
            )
        until = self._pending_until(key, at)
        if until is None:
            return sent
        return replace(sent, state=SentState.PENDING, expected_at=until, reason=None)


class FaultyRails(_Faulty[Payment]):
    """A bank that fails as it is told; see above."""

    def __init__(self, inner: Rails) -> None:
        super().__init__()
        self.inner = inner

    async def pay(self, payment: Payment) -> Paid:
        self._begin("pay", payment)
        paid = None if payment.key in self.failing else await self.inner.pay(payment)
        self._end(payment)
        return self._answer(payment.key, paid, payment.at)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Paid | None:
        self._look(key)
        if self.forgets:
            return None
        paid = None if key in self.failing else await self.inner.look(org_id, key, at)
        return None if paid is None and key not in self.failing else self._answer(key, paid, at)

    async def why_not(self, payment: Payment) -> str | None:
        return await self.inner.why_not(payment)

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> Coordinates | None:
        return await self.inner.coordinates(org_id, currency, account_number)

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        return await self.inner.new_account_number(org_id, currency, seed)

    def _answer(self, key: UUID, paid: Paid | None, at: datetime) -> Paid:
        if paid is None:
            rail = next((each.rail for each in self.asked if each.key == key), "ach")
            paid = Paid(
                state=PaidState.FAILED,
                tracking=Tracking(payment_rail=rail),
                expected_at=None,
                reason=self.failing[key],
            )
        until = self._pending_until(key, at)
        if until is None:
            return paid
        return replace(paid, state=PaidState.PENDING, expected_at=until, reason=None)
