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
    """What a line of a statement is: a payment with all its steps, or each of its steps."""

    PAYMENTS = "payments"
    STEPS = "steps"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRequest:
    """Statement request: from `after` (inclusive) to `before` (exclusive).

    `zone` is the zone of the times shown. Without a wallet or a currency, all are included.
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
    """Opening balance and movements of an account, in smallest units; `lines` counts them."""

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
    """Point of the log at which a whole statement is read, whatever is committed meanwhile.

    It contains all changes up to the place `last_place`, and of later ones only the `fresh`
    journals, which had no place yet: (record, number of its change).
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
