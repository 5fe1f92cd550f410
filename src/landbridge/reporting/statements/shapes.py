"""Statements as answers have them. Ours."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.chains.tokens import Chain
from landbridge.core.money import Money
from landbridge.reporting.statements.model import Line, Part, Statement
from landbridge.web.reply import Moment, WireStruct


class StatementUser(WireStruct, frozen=True):
    """Whose statement it is; `name` is empty once the personal data was erased."""

    id: UUID
    name: str


class StatementWallet(WireStruct, frozen=True):
    """The wallet that an account belongs to."""

    id: UUID
    chain: Chain
    address: str


class StatementLine(WireStruct, frozen=True):
    """Money that came (`in`) or went (`out`; the other is null), and what there was then.

    `recordId`, `type` and `requestId` are the record's that moved it, `status` is what the record
    became with it. Amounts are texts, in whole coins.
    """

    time: Moment
    type: str
    record_id: UUID
    request_id: UUID
    status: str
    in_: str | None
    out: str | None
    balance: str


class StatementAccount(WireStruct, frozen=True):
    """One currency in one wallet: `openingBalance + totalIn - totalOut = closingBalance`.

    What is held for something under way is part of a balance. Amounts are texts, in whole coins.
    """

    wallet: StatementWallet
    currency: str
    opening_balance: str
    total_in: str
    total_out: str
    closing_balance: str
    lines: list[StatementLine]


class StatementData(WireStruct, frozen=True):
    """From `createdAfter` (inclusive) to `createdBefore` (exclusive); times are of `timeZone`."""

    organisation: str
    user: StatementUser
    created_after: Moment
    created_before: Moment
    time_zone: str
    accounts: list[StatementAccount]


class StatementCounts(WireStruct, frozen=True):
    """How much there is in it."""

    account_count: int
    line_count: int


class StatementReply(WireStruct, frozen=True):
    """An account statement."""

    status: str
    data: StatementData
    metadata: StatementCounts


def statement_reply(
    statement: Statement, parts: Sequence[tuple[Part, Sequence[Line]]]
) -> StatementReply:
    """The statement with all of its lines."""
    asked = statement.asked
    data = StatementData(
        organisation=statement.org_name,
        user=StatementUser(id=statement.user.id, name=statement.user.name),
        created_after=statement.told(asked.after),
        created_before=statement.told(asked.before),
        time_zone=asked.zone.key,
        accounts=[
            StatementAccount(
                wallet=StatementWallet(
                    id=part.wallet.id, chain=part.wallet.chain, address=part.wallet.address
                ),
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


def _line(statement: Statement, line: Line) -> StatementLine:
    return StatementLine(
        time=statement.told(line.at),
        type=line.kind,
        record_id=line.record_id,
        request_id=line.request_id,
        status=line.status,
        in_=_amount(line.received),
        out=_amount(line.spent),
        balance=str(line.balance),
    )


def _amount(money: Money | None) -> str | None:
    return None if money is None else str(money)
