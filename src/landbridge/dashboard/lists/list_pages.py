"""What the lists across an organisation share: routes, loading of a page, cursors and CSV files."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar
from uuid import UUID

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.response import Stream

from landbridge.customers.bank_accounts.account_lists import BankAccountLists
from landbridge.customers.chain_deposits.deposit_lists import DepositLists
from landbridge.customers.users.model import UserCard
from landbridge.customers.users.service import Users
from landbridge.customers.wallets.external_wallet_lists import ExternalWalletLists
from landbridge.dashboard.list_queries import PAGE_SIZE, ListQuery, load_list, read_list_query
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.page_visitor import PageVisitor
from landbridge.dashboard.payment_lines import chain_name
from landbridge.dashboard.rendering import headers
from landbridge.dashboard.user_lookup import find_user_id
from landbridge.payments.virtual_accounts.account_lists import VirtualAccountLists
from landbridge.platform.core.errors import Busy, FieldInvalid
from landbridge.platform.core.pagination import PagePosition, PositionedRow, PositionWindow
from landbridge.platform.http.list_query import (
    parse_choice,
    parse_position,
    position_text,
)
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.exports import csv_lines
from landbridge.reporting.exports.model import Column, ColumnKind, ExportHeader, Value

W = TypeVar("W", bound=str)

_FILE_PAGE_SIZE: Final = 100
ROWS_MAX: Final = 10_000
CHAIN_LABELS: Final = {each: chain_name(each) for each in Chain}
_FIRST_COLUMNS: Final = (
    *(Column("id", ColumnKind.WORD), Column("createdAt", ColumnKind.MOMENT)),
    *(Column("userId", ColumnKind.WORD), Column("userName", ColumnKind.TEXT)),
)


class ListedRow(PositionedRow, Protocol):
    """Row of a list: newest first, each of one user."""

    @property
    def user_id(self) -> UUID:
        """Return the id of its user."""
        ...


@dataclass(frozen=True, slots=True)
class ListServices:
    """Services that read the rows of the lists."""

    bank_accounts: BankAccountLists
    virtual_accounts: VirtualAccountLists
    external_wallets: ExternalWalletLists
    deposits: DepositLists


R = TypeVar("R", bound=ListedRow)
# Rows of a part of the list, newest first.
LoadRows = Callable[[PositionWindow], Awaitable[Sequence[R]]]
# Reads the filters of a list, with the user that they name; raises `FieldInvalid`.
ReadFilter = Callable[[ListServices, UUID, UUID | None, ListQuery], LoadRows[R]]


@dataclass(frozen=True, slots=True)
class LoadedList(Generic[R]):
    """Rows of a page with their users by id; `next_cursor` is None on the last page."""

    rows: Sequence[R]
    users: Mapping[UUID, UserCard]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganisationList(Generic[R]):
    """A list: its template, filters and what they offer, and its CSV file.

    `filters` are all but the user's. `name` is the file's, without an ending; `cells` are those of
    a row, as the visitor may see it.
    """

    template: str
    read_filter: ReadFilter[R]
    filters: Sequence[str]
    options: Mapping[str, object]
    name: str
    columns: Sequence[Column]
    cells: Callable[[R, PageVisitor], Sequence[Value]]

    async def show(
        self, request: PageRequest, users: Users, services: ListServices
    ) -> Response[str]:
        """Show the rows that match the filters, newest first."""
        query = self._query(request)
        nothing: LoadedList[R] = LoadedList((), {}, None)
        found, filter_error = await load_list(self._load(request, users, services), nothing)
        return request.page(
            self.template,
            list_query=query,
            rows=found.rows,
            users=found.users,
            older=query.older(found.next_cursor),
            filter_error=filter_error,
            options=self.options,
        )

    async def download(self, request: PageRequest, users: Users, services: ListServices) -> Stream:
        """Stream the newest `ROWS_MAX` rows as CSV; raise `FieldInvalid` for a wrong filter."""
        rows_of = await self._rows_of(request, services)
        return Stream(
            self._lines(request.user, users, rows_of),
            media_type="text/csv",
            headers={
                **headers(),
                "Content-Disposition": f'attachment; filename="{self.name}.csv"',
            },
        )

    def _query(self, request: PageRequest) -> ListQuery:
        return read_list_query(request, "user", *self.filters)

    async def _rows_of(self, request: PageRequest, services: ListServices) -> LoadRows[R]:
        query = self._query(request)
        found = await find_user_id(request.interface, query.text("user"))
        user_id = None if found is None else UUID(found)
        return self.read_filter(services, request.user.caller.org_id, user_id, query)

    async def _load(
        self, request: PageRequest, users: Users, services: ListServices
    ) -> LoadedList[R]:
        """Return the page at the query's cursor; raise `FieldInvalid` for a wrong one or filter."""
        rows_of = await self._rows_of(request, services)
        found = await rows_of(_window(self._query(request).cursor, PAGE_SIZE + 1))
        shown = found[:PAGE_SIZE]
        return LoadedList(
            shown,
            await _cards(users, request.user.caller.org_id, shown),
            position_text(_after(shown[-1])) if len(found) > PAGE_SIZE else None,
        )

    async def _lines(
        self, visitor: PageVisitor, users: Users, rows_of: LoadRows[R]
    ) -> AsyncGenerator[bytes]:
        header = ExportHeader((*_FIRST_COLUMNS, *self.columns), visitor.zone, self.name)
        yield csv_lines.header(header)
        count, window = 0, PositionWindow(_FILE_PAGE_SIZE)
        while True:
            try:
                found = await rows_of(window)
                cards = await _cards(users, visitor.caller.org_id, found)
            except Busy:
                yield csv_lines.incomplete("Older rows are missing: the service was busy.")
                return
            rows = [
                (*_first_cells(each, cards.get(each.user_id)), *self.cells(each, visitor))
                for each in found
            ]
            yield csv_lines.lines(header, list(zip(*rows, strict=True)))
            count += len(found)
            if len(found) < _FILE_PAGE_SIZE:
                return
            if count >= ROWS_MAX:
                yield csv_lines.incomplete(f"Older rows are missing: a file has {ROWS_MAX}.")
                return
            window = PositionWindow(_FILE_PAGE_SIZE, before=_after(found[-1]))


class ListPages(Controller):
    """Routes of a list: its page and its CSV file."""

    organisation_list: OrganisationList[Any]

    @get("/")
    async def page(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        list_services: NamedDependency[ListServices],
    ) -> Response[str]:
        """List the rows that match the filters, newest first."""
        return await self.organisation_list.show(request, users, list_services)

    @get("/csv")
    async def download(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        list_services: NamedDependency[ListServices],
    ) -> Stream:
        """Stream those that match the filters."""
        return await self.organisation_list.download(request, users, list_services)


def chosen(query: ListQuery, name: str, known: Sequence[W]) -> W | None:
    """Return the value of a filter with fixed choices; None is any."""
    text = query.text(name)
    return parse_choice(name, text, known) if text else None


def words(*names: str) -> Sequence[Column]:
    """Return columns of texts of our own spelling."""
    return [Column(name, ColumnKind.WORD) for name in names]


async def _cards(users: Users, org_id: UUID, rows: Sequence[ListedRow]) -> Mapping[UUID, UserCard]:
    return await users.cards(org_id, list({each.user_id for each in rows}))


def _first_cells(row: ListedRow, user: UserCard | None) -> Sequence[Value]:
    return str(row.id), row.created_at, str(row.user_id), None if user is None else user.name


def _window(cursor: str | None, limit: int) -> PositionWindow:
    """Return the part of the list after a cursor; without one, its beginning."""
    try:
        position = parse_position(cursor)
    except FieldInvalid:
        raise FieldInvalid(
            "There is no such page. Begin at the first page.", field="cursor"
        ) from None
    return PositionWindow(limit) if position is None else PositionWindow(limit, before=position)


def _after(row: ListedRow) -> PagePosition:
    return PagePosition(row.created_at, row.id)
