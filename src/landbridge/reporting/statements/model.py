"""What a statement is of, and what stands in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.core.money import Asset, Money
from landbridge.users.model import UserCard
from landbridge.wallets.model import Wallet


class Format(StrEnum):
    """What a statement is written as."""

    JSON = "json"
    CSV = "csv"
    PDF = "pdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a statement was asked of: from `after` (inclusive) to `before` (exclusive).

    `zone` is the one in which times are shown. Without a wallet or a currency it is of all.
    """

    format: Format
    user_id: UUID
    wallet_id: UUID | None
    currency: str | None
    after: datetime
    before: datetime
    zone: ZoneInfo


@dataclass(frozen=True, slots=True)
class Balances:
    """What an account held and what moved, in smallest units; `lines` is how many there are."""

    account_id: UUID
    wallet_id: UUID
    asset: str
    opening: int
    received: int
    spent: int
    closing: int
    lines: int


@dataclass(frozen=True, slots=True)
class View:
    """The moment of the log that all of a statement is read at, whatever is committed meanwhile.

    Everything of transactions below `settled` had been committed by then; of what is younger, only
    the `fresh` journals: (record, number of its change).
    """

    settled: int
    fresh: Sequence[tuple[UUID, int]]


@dataclass(frozen=True, slots=True)
class Part:
    """What a statement says of one account; `opening + received - spent = closing`."""

    account_id: UUID
    wallet: Wallet
    asset: Asset
    opening: Money
    received: Money
    spent: Money
    closing: Money
    lines: int


@dataclass(frozen=True, slots=True)
class Line:
    """Money that came (`change` above zero) or went, and what the account held after it.

    `kind` and `request_id` are the record's; `status` is the one that it took on with this.
    """

    at: datetime
    kind: str
    record_id: UUID
    request_id: UUID
    status: str
    change: Money
    balance: Money

    @property
    def received(self) -> Money | None:
        """What came in; None if something went out."""
        return self.change if self.change.units > 0 else None

    @property
    def spent(self) -> Money | None:
        """What went out, above zero; None if something came in."""
        return -self.change if self.change.units < 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement without its lines, which `Statements.lines` reads."""

    org_id: UUID
    org_name: str
    user: UserCard
    asked: Asked
    parts: Sequence[Part]
    view: View

    @property
    def line_count(self) -> int:
        """How many lines there are in all parts."""
        return sum(each.lines for each in self.parts)

    def told(self, at: datetime) -> str:
        """A moment in the statement's zone: ISO 8601, with the offset of then."""
        return at.astimezone(self.asked.zone).isoformat(timespec="microseconds")
