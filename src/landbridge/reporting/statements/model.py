"""Account statements: requests, parts and lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.customers.users.model import UserCard
from landbridge.customers.wallets.model import Wallet
from landbridge.platform.core.money import Asset, Money


class StatementFormat(StrEnum):
    """File format of a statement."""

    JSON = "json"
    CSV = "csv"
    PDF = "pdf"


class StatementDetail(StrEnum):
    """Level of detail: a line for a payment with all its steps, or a line for each step."""

    PAYMENTS = "payments"
    STEPS = "steps"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRequest:
    """Statement request: from `after` (inclusive) to `before` (exclusive).

    `zone` is that of the shown times. If wallet or currency is None, all are included.
    """

    format: StatementFormat
    detail: StatementDetail
    user_id: UUID
    wallet_id: UUID | None
    currency: str | None
    after: datetime
    before: datetime
    zone: ZoneInfo


@dataclass(frozen=True, slots=True)
class AccountMovement:
    """Opening balance and movements of an account, in smallest units; `lines` is their number."""

    account_id: UUID
    wallet_id: UUID
    asset: str
    opening: int
    received: int
    spent: int
    closing: int
    lines: int


@dataclass(frozen=True, slots=True)
class StatementSnapshot:
    """Point in the log as of which a whole statement is read, page by page.

    It contains all changes up to the place `last_place`. Of other changes it contains only `fresh`,
    those that had no place yet, as (record id, change number).
    """

    last_place: int
    fresh: Sequence[tuple[UUID, int]]


@dataclass(frozen=True, slots=True)
class AccountStatement:
    """Part of a statement for one account; `opening + received - spent = closing`."""

    account_id: UUID
    wallet: Wallet
    asset: Asset
    opening: Money
    received: Money
    spent: Money
    closing: Money
    lines: int


@dataclass(frozen=True, slots=True)
class StatementRow:
    """Credits and debits of a payment, or of one of its steps, and the balance after them.

    `kind`, `request_id` and `metadata` are the record's. `at` and `status` are those of its last
    step in the statement.
    """

    at: datetime
    kind: str
    record_id: UUID
    request_id: UUID
    metadata: dict[str, str]
    status: str
    received: Money | None
    spent: Money | None
    balance: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Statement without its lines, which `Statements.lines` reads."""

    org_id: UUID
    org_name: str
    user: UserCard
    request: StatementRequest
    parts: Sequence[AccountStatement]
    view: StatementSnapshot

    @property
    def line_count(self) -> int:
        """Return the number of lines in all parts."""
        return sum(each.lines for each in self.parts)

    def format_moment(self, at: datetime) -> str:
        """Format a moment in the statement's zone: ISO 8601, with that moment's offset."""
        return at.astimezone(self.request.zone).isoformat(timespec="microseconds")
