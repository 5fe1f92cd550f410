"""Fees and billing: what the organisation earned and paid in a month, on the page and as CSV."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.response import Stream

from landbridge.customers.users.model import UserCard
from landbridge.customers.users.service import Users
from landbridge.dashboard.list_queries import load_list, read_list_query
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.page_visitor import PageVisitor
from landbridge.dashboard.rendering import headers
from landbridge.payments.transactions.model import CURRENCIES
from landbridge.platform.core.errors import Busy, FieldInvalid
from landbridge.providers.rates.valuation import Valuation
from landbridge.reporting.exports import csv_lines
from landbridge.reporting.exports.model import Column, ColumnKind, ExportHeader, Value
from landbridge.reporting.fee_statements import FeeStatement, FeeStatements, UserFee

_PAGE: Final = "reports/fees.html"
# Months that the page offers.
_MONTHS: Final = 12
_FILE_PAGE_SIZE: Final = 500
_COLUMNS: Final = (
    *(Column("month", ColumnKind.WORD), Column("userId", ColumnKind.WORD)),
    *(Column("userName", ColumnKind.TEXT), Column("type", ColumnKind.WORD)),
    *(Column("currency", ColumnKind.WORD), Column("chain", ColumnKind.WORD)),
    *(Column("feeCount", ColumnKind.COUNT), Column("fees", ColumnKind.AMOUNT)),
)
_NOTHING: Final = FeeStatement((), (), ())


@dataclass(frozen=True, slots=True)
class BillingMonth:
    """Calendar month in an organisation's zone; `first` is its first day."""

    first: date
    zone: ZoneInfo

    @property
    def since(self) -> datetime:
        """Return its first moment."""
        return datetime.combine(self.first, time(), tzinfo=self.zone)

    @property
    def until(self) -> datetime:
        """Return its end, exclusive."""
        return datetime.combine(_next(self.first), time(), tzinfo=self.zone)

    @property
    def name(self) -> str:
        """Return the month as `2026-01`."""
        return self.first.isoformat()[:7]


class FeesAndBillingPages(Controller):
    """`/dashboard/fees`."""

    path = "/fees"

    @get("/")
    async def show(
        self,
        request: PageRequest,
        fee_statements: NamedDependency[FeeStatements],
        users: NamedDependency[Users],
        valuation: NamedDependency[Valuation],
    ) -> Response[str]:
        """Show the fees of a month by type and by user, and what it cost."""
        visitor, today = request.user, _today(request)

        usd_rates = await valuation.rates(CURRENCIES, today)

        async def load() -> FeeStatement:
            month = _month(request, today)
            return await fee_statements.of(
                visitor.caller.org_id, month.since, month.until, usd_rates
            )

        found, filter_error = await load_list(load(), _NOTHING)
        month = BillingMonth(today.replace(day=1), visitor.zone)
        if filter_error is None:
            month = _month(request, today)
        cards = await users.cards(visitor.caller.org_id, [each.user_id for each in found.users])
        return request.page(
            _PAGE,
            found=found,
            users=cards,
            usd_rates=usd_rates,
            month=month,
            months=_months(today),
            filter_error=filter_error,
        )

    @get("/csv")
    async def download(
        self,
        request: PageRequest,
        fee_statements: NamedDependency[FeeStatements],
        users: NamedDependency[Users],
    ) -> Stream:
        """Stream the fees of a month by user, type and currency; raise `FieldInvalid`."""
        month = _month(request, _today(request))
        name = f"fees-{month.name}"
        return Stream(
            _lines(request.user, month, fee_statements, users, name),
            media_type="text/csv",
            headers={**headers(), "Content-Disposition": f'attachment; filename="{name}.csv"'},
        )


async def _lines(
    visitor: PageVisitor, month: BillingMonth, statements: FeeStatements, users: Users, name: str
) -> AsyncGenerator[bytes]:
    header = ExportHeader(_COLUMNS, month.zone, name)
    yield csv_lines.header(header)
    org_id, after = visitor.caller.org_id, None
    while True:
        try:
            found = await statements.by_user(
                org_id, month.since, month.until, after=after, limit=_FILE_PAGE_SIZE
            )
            cards = await users.cards(org_id, list({each.user_id for each in found}))
        except Busy:
            yield csv_lines.incomplete("Further users are missing: the service was busy.")
            return
        rows = [_cells(month, each, cards.get(each.user_id)) for each in found]
        yield csv_lines.lines(header, list(zip(*rows, strict=True)))
        if len(found) < _FILE_PAGE_SIZE:
            return
        after = found[-1]


def _cells(month: BillingMonth, fee: UserFee, user: UserCard | None) -> Sequence[Value]:
    asset = fee.amount.asset
    return (
        *(month.name, str(fee.user_id), None if user is None else user.name, fee.kind),
        *(asset.currency, asset.chain, fee.count, f"{fee.amount.decimal:f}"),
    )


def _today(request: PageRequest) -> date:
    return request.now().astimezone(request.user.zone).date()


def _month(request: PageRequest, today: date) -> BillingMonth:
    """Return the month of the address, by default the current one."""
    text = read_list_query(request, "month").text("month")
    try:
        first = date.fromisoformat(f"{text}-01") if text else today.replace(day=1)
        month = BillingMonth(first, request.user.zone)
        # The first and the last month of the calendar may have no beginning or no end in UTC.
        month.since.astimezone(UTC)
        month.until.astimezone(UTC)
    except (ValueError, OverflowError):
        raise FieldInvalid("Enter a month, for example 2026-01.", field="month") from None
    return month


def _months(today: date) -> Sequence[date]:
    """Return the first days of the latest months, newest first."""
    found = [today.replace(day=1)]
    while len(found) < _MONTHS:
        found.append((found[-1] - timedelta(days=1)).replace(day=1))
    return found


def _next(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)
