"""What a payment spends, the rules that it is held against, and what they say of it.

Amounts are dollars, exact: a stablecoin counts as one, on the coin side of the payment.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Self
from uuid import UUID

from landbridge.core.money import Money
from landbridge.core.states import Moves
from landbridge.ledger.model import Transfer


class Over(StrEnum):
    """What becomes of a payment that a rule does not let pass."""

    REFUSE = "REFUSE"
    APPROVE = "APPROVE"  # it waits for an admin; where a kind knows no approvals it is refused


class Per(StrEnum):
    """Whose payments a rule adds up."""

    ORG = "ORG"  # all of the organisation
    USER = "USER"  # each user's by themselves


class Window(StrEnum):
    """Over which time a rule adds up; days and months are UTC, in the organisation's time."""

    PAYMENT = "PAYMENT"  # each payment by itself
    DAY = "DAY"
    MONTH = "MONTH"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where money goes: an address in its one spelling, or a bank account by its id.

    `usd` is what this one gets of the payment. `user_ids` are those who may have registered the
    address. An account or a wallet of ours is no way out of the platform.
    """

    name: str
    usd: Decimal
    account_id: UUID | None = None
    user_ids: tuple[UUID, ...] = ()
    is_ours: bool = False

    @classmethod
    def at(cls, address: str, coins: Money, *users: UUID | None, account_id: UUID | None) -> Self:
        """An address, with who may have registered it; of ours if it has an account."""
        return cls(
            name=address,
            usd=coins.decimal,
            user_ids=tuple(each for each in users if each is not None),
            is_ours=account_id is not None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """A payment as the rules see it, read from its record alone.

    `rail` is how fiat goes (as in `ach`), None on chains; `corridor` where it goes: a fiat currency
    or corridor (as in `usd-hka`), or a chain. `at` is when it was asked for: that decides on the
    period in which it counts. A quote that was not accepted is not committed.
    """

    org_id: UUID
    record_id: UUID
    kind: str
    user_id: UUID
    usd: Decimal
    rail: str | None
    corridor: str
    targets: tuple[Target, ...]
    at: datetime
    is_committed: bool

    @classmethod
    def of(
        cls,
        record: Transfer,
        coins: Money,
        *,
        corridor: str,
        targets: tuple[Target, ...],
        is_committed: bool,
        rail: str | None = None,
    ) -> Self:
        """What a record spends: these coins, since it was asked for."""
        return cls(
            org_id=record.org_id,
            record_id=record.id,
            kind=record.kind,
            user_id=record.user_id,
            usd=coins.decimal,
            rail=rail,
            corridor=corridor,
            targets=targets,
            at=record.created_at,
            is_committed=is_committed,
        )


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record that rules are for.

    `read` answers None for a record that nobody here decided on, as a deposit that arrived by
    itself.
    """

    read: Callable[[Transfer], Spending | None]
    moves: Moves[Any]

    def has_failed(self, record: Transfer) -> bool:
        """Whether it is at an end without success, so that it has used nothing."""
        return record.status in self.failures

    @property
    def failures(self) -> list[str]:
        """The statuses in which a record has come to nothing."""
        ends = [str(each) for each in self.moves.table if self.moves.is_terminal(each)]
        return [each for each in ends if each != COMPLETED]


# What every kind calls its good end.
COMPLETED = "COMPLETED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """At most so much, or so many, of the payments that it is for; None for all or no bound."""

    id: str
    per: Per
    window: Window
    max_usd: Decimal | None
    max_count: int | None
    over: Over
    kinds: frozenset[str] | None = None
    rails: frozenset[str] | None = None
    corridors: frozenset[str] | None = None
    user_ids: frozenset[UUID] | None = None

    def fits(self, spending: Spending) -> bool:
        """Whether it is for this payment."""
        return (
            (self.kinds is None or spending.kind in self.kinds)
            and (self.rails is None or spending.rail in self.rails)
            and (self.corridors is None or spending.corridor in self.corridors)
            and (self.user_ids is None or spending.user_id in self.user_ids)
        )

    def is_about(self, user_id: UUID | None) -> bool:
        """Whether what it leaves can be told: of the organisation, or of this user."""
        if self.per is Per.ORG:
            return True
        return user_id is not None and (self.user_ids is None or user_id in self.user_ids)

    @property
    def scope(self) -> str:
        """What it counts, in one spelling: rules that agree in this share their counters."""
        told = (self.kinds, self.rails, self.corridors, self.user_ids)
        parts = ("*" if each is None else ",".join(sorted(map(str, each))) for each in told)
        return "/".join((self.per, self.window, *parts))

    def period(self, at: datetime) -> date:
        """The first day of the time in which a payment of this moment counts."""
        return at.date() if self.window is Window.DAY else at.date().replace(day=1)


@dataclass(frozen=True, slots=True)
class Listed:
    """Destinations by name: addresses in their one spelling, ids of bank accounts."""

    names: frozenset[str]
    over: Over


@dataclass(frozen=True, slots=True)
class CoolDown:
    """What a destination may get altogether while it is known for less than `hours`.

    An address that nobody registered stays new: it may get that much on each day.
    """

    hours: int
    max_usd: Decimal
    over: Over


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """All rules of an organisation."""

    rules: tuple[Rule, ...] = ()
    block: Listed | None = None
    allow: Listed | None = None
    cool_down: CoolDown | None = None


@dataclass(frozen=True, slots=True, order=True)
class Counter:
    """One row that payments add to. The order is the one in which rows are locked."""

    counter_id: UUID
    subject_id: UUID
    period: date


@dataclass(frozen=True, slots=True)
class Used:
    """What stands in a counter."""

    usd: Decimal = Decimal(0)
    payment_count: int = 0

    def __add__(self, usd: Decimal) -> "Used":
        return Used(self.usd + usd, self.payment_count + 1)


@dataclass(frozen=True, slots=True)
class Use:
    """What one payment, asked for at a moment, takes of one counter."""

    record_id: UUID
    counter: Counter
    usd: Decimal
    at: datetime


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that a payment meets; `sentence` says for people what it would be over, and why."""

    rule: str
    over: Over
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a rule leaves after this payment, never below zero; None where it has no bound."""

    rule: str
    per: Per
    window: Window
    usd: Decimal | None
    payment_count: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What all rules say: nothing, or the strictest of the findings counts."""

    findings: tuple[Finding, ...] = field(default=())
    left: tuple[Left, ...] = field(default=())

    @property
    def over(self) -> Over | None:
        """What becomes of the payment; None if it may pass."""
        told = {each.over for each in self.findings}
        return next((each for each in Over if each in told), None)

    def approved(self) -> "Verdict":
        """The same for a payment that has, or waits for, its approval."""
        return replace(self, findings=tuple(e for e in self.findings if e.over is Over.REFUSE))

    @property
    def sentence(self) -> str:
        """All findings, for people."""
        return "; ".join(each.sentence for each in self.findings)
