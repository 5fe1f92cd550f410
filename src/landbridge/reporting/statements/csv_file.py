"""Statements as CSV (RFC 4180), page by page.

One table: for each account a row of its opening balance, its lines, and a row of its closing one.
There is nothing in it that a person has written: ids, addresses, moments, words of ours and
numbers. So no cell can be a formula to a spreadsheet, and none needs quotes.
"""

from collections.abc import AsyncIterator, Sequence

from landbridge.reporting.statements.model import Line, Statement
from landbridge.reporting.statements.service import Statements

HEADER = (
    *("walletId", "chain", "address", "currency", "time", "type", "recordId", "requestId"),
    *("status", "in", "out", "balance"),
)
OPENING, CLOSING = "OPENING_BALANCE", "CLOSING_BALANCE"
_END = "\r\n"


async def csv_pages(statements: Statements, statement: Statement) -> AsyncIterator[str]:
    """The file in pieces; raises before the last one if the lines do not add up."""
    yield ",".join(HEADER) + _END
    for part in statement.parts:
        asked = statement.asked
        account = f"{part.wallet.id},{part.wallet.chain},{part.wallet.address},"
        account += f"{part.asset.currency},"
        yield f"{account}{statement.told(asked.after)},{OPENING},,,,,,{part.opening}{_END}"
        async for page in statements.lines(statement, part):
            yield _rows(statement, account, page)
        yield (
            f"{account}{statement.told(asked.before)},{CLOSING},,,,"
            f"{part.received},{part.spent},{part.closing}{_END}"
        )


def _rows(statement: Statement, account: str, lines: Sequence[Line]) -> str:
    return "".join(
        f"{account}{statement.told(each.at)},{each.kind},{each.record_id},{each.request_id},"
        f"{each.status},{each.received or ''},{each.spent or ''},{each.balance}{_END}"
        for each in lines
    )
