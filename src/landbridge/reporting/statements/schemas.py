"""Wire form of statements. Ours."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import UNSET, UnsetType

from landbridge.platform.core.money import Money
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, reply_of
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.statements.model import AccountStatement, Statement, StatementRow


class StatementUser(WireStruct, frozen=True):
    """Owner of the statement; `name` is empty once the personal data was erased."""

    id: UUID
    name: str


class StatementWallet(WireStruct, frozen=True):
    """Wallet of an account."""

    id: UUID
    chain: Chain
    address: str


class StatementLineReply(WireStruct, frozen=True):
    """Credits (`in`) and debits (`out`) of a payment, and the balance after them; null for none.

    `recordId`, `type` and `requestId` identify the payment; its `metadata` is absent if it has
    none. `time` and `status` are those of its last movement in the statement. With `detail=steps`,
    a line is one movement. Amounts are texts, in whole coins.
    """

    time: Moment
    type: str
    record_id: UUID
    request_id: UUID
    status: str
    in_: str | None
    out: str | None
    balance: DecimalText
    metadata: dict[str, str] | UnsetType = UNSET


class StatementAccount(WireStruct, frozen=True):
    """One currency in one wallet: `openingBalance + totalIn - totalOut = closingBalance`.

    Held amounts are part of a balance. Amounts are texts, in whole coins.
    """

    wallet: StatementWallet
    currency: str
    opening_balance: DecimalText
    total_in: DecimalText
    total_out: DecimalText
    closing_balance: DecimalText
    lines: list[StatementLineReply]


class StatementData(WireStruct, frozen=True):
    """From `createdAfter` (inclusive) to `createdBefore` (exclusive); times are in `timeZone`."""

    organisation: str
    user: StatementUser
    created_after: Moment
    created_before: Moment
    time_zone: str
    accounts: list[StatementAccount]


class StatementCounts(WireStruct, frozen=True):
    """Number of accounts and lines."""

    account_count: int
    line_count: int


class StatementReply(WireStruct, frozen=True):
    """An account statement."""

    status: str
    data: StatementData
    metadata: StatementCounts


def statement_reply(
    statement: Statement, parts: Sequence[tuple[AccountStatement, Sequence[StatementRow]]]
) -> StatementReply:
    """Return the statement with all of its lines."""
    request = statement.request
    data = StatementData(
        organisation=statement.org_name,
        user=StatementUser(id=statement.user.id, name=statement.user.name),
        created_after=statement.format_moment(request.after),
        created_before=statement.format_moment(request.before),
        time_zone=request.zone.key,
        accounts=[
            StatementAccount(
                wallet=reply_of(part.wallet, StatementWallet),
                currency=part.asset.currency,
                opening_balance=str(part.opening),
                total_in=str(part.received),
                total_out=str(part.spent),
                closing_balance=str(part.closing),
                lines=[_line(statement, each) for each in lines],
            )
            for part, lines in parts
        ],
    )
    counts = StatementCounts(account_count=len(parts), line_count=statement.line_count)
    return StatementReply(status="success", data=data, metadata=counts)


def _line(statement: Statement, line: StatementRow) -> StatementLineReply:
    return StatementLineReply(
        time=statement.format_moment(line.at),
        type=line.kind,
        record_id=line.record_id,
        request_id=line.request_id,
        status=line.status,
        in_=_amount(line.received),
        out=_amount(line.spent),
        balance=str(line.balance),
        metadata=line.metadata or UNSET,
    )


def _amount(money: Money | None) -> str | None:
    return None if money is None else str(money)
