"""Statements as CSV, page by page.

The table has for each account a row with the opening balance, the lines, and a row with the closing
balance.
"""

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime

from landbridge.platform.core.money import Money
from landbridge.platform.metadata.model import as_text
from landbridge.reporting.exports import csv_lines
from landbridge.reporting.exports.model import Batch, Column, ColumnKind, ExportHeader
from landbridge.reporting.statements.model import AccountStatement, Statement, StatementRow
from landbridge.reporting.statements.service import Statements

COLUMNS = (
    Column("walletId", ColumnKind.WORD),
    Column("chain", ColumnKind.WORD),
    Column("address", ColumnKind.TEXT),
    Column("currency", ColumnKind.WORD),
    Column("time", ColumnKind.MOMENT),
    Column("type", ColumnKind.WORD),
    Column("recordId", ColumnKind.WORD),
    Column("requestId", ColumnKind.WORD),
    Column("status", ColumnKind.WORD),
    Column("in", ColumnKind.AMOUNT),
    Column("out", ColumnKind.AMOUNT),
    Column("balance", ColumnKind.AMOUNT),
    Column("metadata", ColumnKind.TEXT),
)
OPENING, CLOSING = "OPENING_BALANCE", "CLOSING_BALANCE"


async def csv_pages(statements: Statements, statement: Statement) -> AsyncGenerator[bytes]:
    """Yield the file in chunks; raises before the last one if the lines do not add up."""
    request = statement.request
    header = ExportHeader(COLUMNS, request.zone, "statement")
    yield csv_lines.header(header)
    for part in statement.parts:
        opening = _balance(part, request.after, OPENING, (None, None, part.opening))
        yield csv_lines.lines(header, opening)
        async for page in statements.lines(statement, part):
            yield csv_lines.lines(header, _lines(part, page))
        closing = (part.received, part.spent, part.closing)
        yield csv_lines.lines(header, _balance(part, request.before, CLOSING, closing))


def _balance(
    part: AccountStatement, at: datetime, name: str, sums: Sequence[Money | None]
) -> Batch:
    """Return the row of an opening or closing balance."""
    no_record = [None]
    return [
        *_account(part, 1),
        *([at], [name], no_record, no_record, no_record),
        *([_amount(each)] for each in sums),
        no_record,
    ]


def _lines(part: AccountStatement, lines: Sequence[StatementRow]) -> Batch:
    """Return the rows of the lines."""
    return [
        *_account(part, len(lines)),
        [each.at for each in lines],
        [each.kind for each in lines],
        [str(each.record_id) for each in lines],
        [str(each.request_id) for each in lines],
        [each.status for each in lines],
        [_amount(each.received) for each in lines],
        [_amount(each.spent) for each in lines],
        [_amount(each.balance) for each in lines],
        [as_text(each.metadata) for each in lines],
    ]


def _account(part: AccountStatement, count: int) -> Batch:
    """Return the columns that identify the account, for `count` rows."""
    wallet = part.wallet
    cells = (str(wallet.id), wallet.chain, wallet.address, part.asset.currency)
    return [[each] * count for each in cells]


def _amount(money: Money | None) -> str | None:
    return None if money is None else str(money)
