"""Statements as PDF: the same bytes for the same statement.

Pages are laid out before drawing, so that each can show the page count.
"""

import importlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from landbridge.platform.core.money import Money
from landbridge.reporting.statements.fonts import BOLD, PLAIN, fonts, lines, runs, width
from landbridge.reporting.statements.model import (
    AccountStatement,
    Statement,
    StatementDetail,
    StatementRow,
)

# A4 landscape, in points.
_WIDTH, _HEIGHT, _MARGIN = 842, 595, 36
_TOP, _BOTTOM = _HEIGHT - _MARGIN, _MARGIN + 16
_RIGHT = _WIDTH - _MARGIN
_LARGE, _TEXT, _SMALL = 14, 8, 6.5
_LEADING = 1.5
# Horizontal positions, in points: the start of a column, or the end of right-aligned amounts.
_COLUMNS = (
    ("Time", _MARGIN, False),
    ("Type", 138, False),
    ("Record", 236, False),
    ("Reference", 384, False),
    ("In", 616, True),
    ("Out", 706, True),
    ("Balance", _RIGHT, True),
)
_TITLE = "Account statement"
_LINES = {
    StatementDetail.PAYMENTS: "Each line is a payment, at the time of its last movement.",
    StatementDetail.STEPS: "Each line is a movement of a payment.",
}
# Labels of types; CSV and JSON have the codes instead.
_TYPES = {
    "WALLET.TRANSFER": "Transfer",
    "WALLET.TRANSFER.BATCH": "Batch",
    "WALLET.BRIDGE": "Bridge",
    "WALLET.SWAP": "Swap",
    "ONRAMP": "Onramp",
    "OFFRAMP": "Offramp",
    "DISBURSEMENT": "Payout",
    "RECEIVABLE": "Receivable",
    "WALLET.DEPOSIT": "Deposit",
    "WALLET.DEPOSIT.REVERSAL": "Reversed deposit",
    "LEDGER.CORRECTION": "Ledger correction",
}


@dataclass(frozen=True, slots=True)
class _Text:
    """Text at a position, at which right-aligned text ends."""

    x: float
    y: float
    text: str
    font: str
    size: float
    is_right: bool


def pdf(
    statement: Statement, parts: Sequence[tuple[AccountStatement, Sequence[StatementRow]]]
) -> bytes:
    """Return the file. Takes about a second of CPU per few thousand lines: run it in a thread."""
    fonts()
    paper = _Paper()
    _head(paper, statement)
    for part, rows in parts:
        _account(paper, statement, part, rows)
    if not parts:
        paper.write("These accounts held nothing, and nothing moved.", size=_TEXT)
    return _drawn(paper, statement)


class _Paper:
    """Pages that are filled from top to bottom."""

    def __init__(self) -> None:
        self.pages: list[list[_Text]] = [[]]
        self._y: float = _TOP

    def is_full(self, points: float) -> bool:
        """Return whether less than this height, in points, is left on the page."""
        return self._y - points < _BOTTOM

    def next_page(self) -> None:
        """Begin another page."""
        self.pages.append([])
        self._y = _TOP

    def skip(self, points: float) -> None:
        """Leave a vertical gap, in points."""
        self._y -= points

    def write(self, text: str, *, font: str = PLAIN, size: float) -> None:
        """Write a paragraph, on as many lines as it needs."""
        for each in lines(text, font, size, _RIGHT - _MARGIN):
            self.skip(size * _LEADING)
            self.pages[-1].append(_Text(_MARGIN, self._y, each, font, size, is_right=False))

    def row(self, cells: Sequence[str], *, font: str = PLAIN) -> None:
        """Write a row of the table."""
        self.skip(_SMALL * _LEADING)
        self.pages[-1].extend(
            _Text(x, self._y, cell, font, _SMALL, is_right)
            for (_, x, is_right), cell in zip(_COLUMNS, cells, strict=True)
            if cell
        )


def _head(paper: _Paper, statement: Statement) -> None:
    request, user = statement.request, statement.user
    paper.write(statement.org_name, font=BOLD, size=_LARGE)
    paper.write(_TITLE, font=BOLD, size=_LARGE)
    paper.skip(_TEXT)
    if user.name:
        paper.write(f"User: {user.name}", size=_TEXT)
    paper.write(f"User id: {user.id}", size=_TEXT)
    period = f"{_moment(statement, request.after)} to before {_moment(statement, request.before)}"
    paper.write(f"Period: {period}, times of {request.zone.key}", size=_TEXT)
    paper.write(_LINES[request.detail], size=_TEXT)
    paper.skip(_TEXT)


def _account(
    paper: _Paper,
    statement: Statement,
    part: AccountStatement,
    format_moment: Sequence[StatementRow],
) -> None:
    request = statement.request
    # Keep the heading together with its first rows.
    if paper.is_full(_TEXT * 12):
        paper.next_page()
    _section(paper, part, "")
    begin, end = _moment(statement, request.after), _moment(statement, request.before)
    opening = (begin, "Opening balance", "", "", "", "", _amount(part.opening))
    paper.row(opening, font=BOLD)
    for line in format_moment:
        if paper.is_full(_SMALL * _LEADING):
            paper.next_page()
            _section(paper, part, " (continued)")
        paper.row(
            (
                *(_moment(statement, line.at), _TYPES.get(line.kind, line.kind)),
                str(line.record_id),
                *(str(line.request_id), _amount(line.received), _amount(line.spent)),
                _amount(line.balance),
            )
        )
    if paper.is_full(_SMALL * _LEADING):
        paper.next_page()
        _section(paper, part, " (continued)")
    totals = (_amount(part.received), _amount(part.spent), _amount(part.closing))
    paper.row((end, "Closing balance", "", "", *totals), font=BOLD)
    paper.skip(_TEXT)


def _section(paper: _Paper, part: AccountStatement, note: str) -> None:
    name = f"{part.asset.currency.upper()} on {part.wallet.chain.title()}{note}"
    paper.write(f"{name}, wallet {part.wallet.address}", font=BOLD, size=_TEXT)
    paper.skip(_SMALL / 2)
    paper.row([name for name, _, _ in _COLUMNS], font=BOLD)


def _drawn(paper: _Paper, statement: Statement) -> bytes:
    file = io.BytesIO()
    module: Any = importlib.import_module("reportlab.pdfgen.canvas")
    # `invariant` omits creation time and random id, so that the bytes are reproducible.
    canvas = module.Canvas(file, pagesize=(_WIDTH, _HEIGHT), invariant=1)
    canvas.setTitle(_TITLE)
    canvas.setAuthor(statement.org_name)
    count = len(paper.pages)
    for number, page in enumerate(paper.pages, start=1):
        foot = f"User {statement.user.id}"
        for each in (
            *page,
            _Text(_MARGIN, _MARGIN, foot, PLAIN, _SMALL, is_right=False),
            _Text(_RIGHT, _MARGIN, f"Page {number} of {count}", PLAIN, _SMALL, is_right=True),
        ):
            _draw(canvas, each)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw(canvas: Any, each: _Text) -> None:
    x = each.x - width(each.text, each.font, each.size) if each.is_right else each.x
    # Use one text object for all fonts of a text, so that it can be searched and copied as a whole.
    text = canvas.beginText(x, each.y)
    for font, piece in runs(each.text, each.font):
        text.setFont(font, each.size)
        text.textOut(piece)
    canvas.drawText(text)


def _moment(statement: Statement, at: datetime) -> str:
    return at.astimezone(statement.request.zone).isoformat(sep=" ", timespec="seconds")


def _amount(money: Money | None) -> str:
    """Format an amount with all decimals of its currency, so that decimal points align."""
    return "" if money is None else f"{money.decimal:,.{money.asset.decimals}f}"
