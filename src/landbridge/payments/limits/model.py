"""Limit usage of payments, limit rules, and verdicts.

Amounts are exact dollars. They are those of the payment's coins; a stablecoin counts as one dollar.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Self
from uuid import UUID

from landbridge.ledger.model import Transfer
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions


class LimitAction(StrEnum):
    """Consequence of exceeding a rule."""

    REFUSE = "REFUSE"
    APPROVE = "APPROVE"  # the payment awaits an admin; a kind without approvals is rejected


class LimitScope(StrEnum):
    """Payments that share a rule's counter."""

    ORG = "ORG"  # all of the organisation
    USER = "USER"  # each user's separately


class LimitWindow(StrEnum):
    """Time window of a rule; days and months are UTC, in the organisation's time."""

    PAYMENT = "PAYMENT"  # each payment separately
    DAY = "DAY"
    MONTH = "MONTH"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentDestination:
    """Destination of money: a normalised address, or a bank account's id.

    `hashes` are the hashes of the account's coordinates, empty until they are read. `usd` is this
    destination's part of the payment. `user_ids` are the users who may have registered the address.
    A payment to an account or wallet of ours does not leave the platform.
    """

    name: str
    usd: Decimal
    account_id: UUID | None = None
    user_ids: tuple[UUID, ...] = ()
    is_ours: bool = False
    hashes: frozenset[bytes] = frozenset()

    @classmethod
    def listed(cls, address: str) -> Self:
        """Build the destination of an address without an amount, to be compared with lists."""
        return cls(name=address, usd=Decimal(0))

    @classmethod
    def at(cls, address: str, coins: Money, *users: UUID | None, account_id: UUID | None) -> Self:
        """Build the destination of an address; with a ledger account it is internal.

        `users` may have registered the address.
        """
        return cls(
            name=address,
            usd=coins.decimal,
            user_ids=tuple(each for each in users if each is not None),
            is_ours=account_id is not None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitUsage:
    """Usage of a payment under the rules, derived from its record alone.

    `rail` is the fiat rail (as in `ach`), None on chains. `corridor` is a fiat currency or corridor
    (as in `usd-hka`), or a chain. `at` is the time of the request, which decides the period that
    counts. A quote that was not accepted is not committed.
    """

    org_id: UUID
    record_id: UUID
    kind: str
    user_id: UUID
    usd: Decimal
    rail: str | None
    corridor: str
    targets: tuple[PaymentDestination, ...]
    at: datetime
    is_committed: bool

    @classmethod
    def of(
        cls,
        record: Transfer,
        coins: Money,
        *,
        corridor: str,
        targets: tuple[PaymentDestination, ...],
        is_committed: bool,
        rail: str | None = None,
        accepted_at: datetime | None = None,
    ) -> Self:
        """Build the usage of a record, at the time of its acceptance, or else of its creation."""
        return cls(
            org_id=record.org_id,
            record_id=record.id,
            kind=record.kind,
            user_id=record.user_id,
            usd=coins.decimal,
            rail=rail,
            corridor=corridor,
            targets=targets,
            at=accepted_at or record.created_at,
            is_committed=is_committed,
        )


@dataclass(frozen=True, slots=True)
class LimitedKind:
    """Kind of record to which rules apply.

    `read` returns None for a record that no user requested, such as a deposit.
    """

    read: Callable[[Transfer], LimitUsage | None]
    transitions: Transitions[Any]

    def has_failed(self, record: Transfer) -> bool:
        """Return whether the record has failed, so that its usage is released."""
        return record.status in self.failures

    @property
    def failures(self) -> list[str]:
        """Return the final statuses of failed records."""
        ends = [str(each) for each in self.transitions.table if self.transitions.is_terminal(each)]
        return [each for each in ends if each != COMPLETED]


# Final status of a successful record, for every kind.
COMPLETED = "COMPLETED"


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRule:
    """Bound on the amount or count of payments.

    A selector that is None selects all payments; a bound that is None does not apply.
    """

    id: str
    per: LimitScope
    window: LimitWindow
    max_usd: Decimal | None
    max_count: int | None
    over: LimitAction
    kinds: frozenset[str] | None = None
    rails: frozenset[str] | None = None
    corridors: frozenset[str] | None = None
    user_ids: frozenset[UUID] | None = None

    def fits(self, usage: LimitUsage) -> bool:
        """Return whether the rule applies to this payment."""
        return (
            (self.kinds is None or usage.kind in self.kinds)
            and (self.rails is None or usage.rail in self.rails)
            and (self.corridors is None or usage.corridor in self.corridors)
            and (self.user_ids is None or usage.user_id in self.user_ids)
        )

    def applies_to(self, user_id: UUID | None) -> bool:
        """Return whether the remaining amount is defined for the organisation or this user."""
        if self.per is LimitScope.ORG:
            return True
        return user_id is not None and (self.user_ids is None or user_id in self.user_ids)

    @property
    def scope(self) -> str:
        """Normalised description of what a rule counts; rules with equal scopes share counters."""
        selectors = (self.kinds, self.rails, self.corridors, self.user_ids)
        parts = ("*" if each is None else ",".join(sorted(map(str, each))) for each in selectors)
        return "/".join((self.per, self.window, *parts))

    def period(self, at: datetime) -> date:
        """Return the first day of the period to which a payment at this time belongs."""
        return at.date() if self.window is LimitWindow.DAY else at.date().replace(day=1)


@dataclass(frozen=True, slots=True)
class DestinationList:
    """List of destinations by name: normalised addresses, and ids of bank accounts.

    `hashes` are the hashes of the accounts' coordinates, empty until they are read. By them, an id
    also stands for other registrations of the same account.
    """

    names: frozenset[str]
    over: LimitAction
    hashes: frozenset[bytes] = frozenset()

    def shares(self, target: PaymentDestination) -> bool:
        """Return whether the target is listed, or shares any coordinate with a listed account."""
        return target.name in self.names or not self.hashes.isdisjoint(target.hashes)

    def covers(self, target: PaymentDestination) -> bool:
        """Return whether the target is listed, or has only coordinates of listed accounts."""
        return target.name in self.names or (bool(target.hashes) and target.hashes <= self.hashes)


@dataclass(frozen=True, slots=True)
class CoolDown:
    """Limit on the total amount for a destination that is known for less than `hours`.

    An unregistered address always counts as new: it may receive that amount every day.
    """

    hours: int
    max_usd: Decimal
    over: LimitAction


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRules:
    """All rules of an organisation."""

    rules: tuple[LimitRule, ...] = ()
    block: DestinationList | None = None
    allow: DestinationList | None = None
    cool_down: CoolDown | None = None


@dataclass(frozen=True, slots=True, order=True)
class UsageCounter:
    """Key of a counter row, to which payments add. Its field order is the order of locks."""

    counter_id: UUID
    subject_id: UUID
    period: date


@dataclass(frozen=True, slots=True)
class CounterUsage:
    """Values of a counter: the amount in dollars, and the number of payments."""

    usd: Decimal = Decimal(0)
    payment_count: int = 0

    def __add__(self, usd: Decimal) -> "CounterUsage":
        return CounterUsage(self.usd + usd, self.payment_count + 1)


@dataclass(frozen=True, slots=True)
class UsageIncrement:
    """Amount that one payment adds to one counter, and the time of the payment's request."""

    record_id: UUID
    counter: UsageCounter
    usd: Decimal
    at: datetime


@dataclass(frozen=True, slots=True)
class LimitFinding:
    """Rule that a payment exceeds; `sentence` explains the bound and the reason to people."""

    rule: str
    over: LimitAction
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRemaining:
    """Remaining amount of a rule after this payment, never below zero; None without a bound."""

    rule: str
    per: LimitScope
    window: LimitWindow
    usd: Decimal | None
    payment_count: int | None


@dataclass(frozen=True, slots=True)
class LimitVerdict:
    """Verdict of all rules on a payment, with one finding per exceeded rule."""

    findings: tuple[LimitFinding, ...] = field(default=())
    left: tuple[LimitRemaining, ...] = field(default=())

    @property
    def over(self) -> LimitAction | None:
        """The strictest action of the findings; None if no rule is exceeded."""
        actions = {each.over for each in self.findings}
        return next((each for each in LimitAction if each in actions), None)

    def approved(self) -> "LimitVerdict":
        """The verdict on an approved payment: without findings that only require an approval."""
        return replace(
            self, findings=tuple(e for e in self.findings if e.over is LimitAction.REFUSE)
        )

    @property
    def sentence(self) -> str:
        """All findings as one text for people."""
        return "; ".join(each.sentence for each in self.findings)
