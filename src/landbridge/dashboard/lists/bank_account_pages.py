"""Bank accounts of all users, as a page and as a CSV file."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.response import Stream

from landbridge.customers.bank_accounts import types
from landbridge.customers.bank_accounts.account_lists import (
    BankAccountListFilter,
    BankAccountLists,
)
from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import BankAccount, BankAccountStatus
from landbridge.customers.users.service import Users
from landbridge.dashboard.countries import country_name
from landbridge.dashboard.list_queries import ListQuery
from landbridge.dashboard.lists.list_pages import (
    LoadRows,
    OrganisationList,
    chosen,
    user_filter,
    words,
)
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.page_visitor import PageVisitor
from landbridge.dashboard.users.account_labels import TYPE_LABELS, rail_label
from landbridge.reporting.exports.model import Column, ColumnKind, Value

_DIRECTIONS: Final = {"out": Ramp.OFFRAMP, "in": Ramp.ONRAMP}


class BankAccountListPages(Controller):
    """`/dashboard/bank-accounts`."""

    path = "/bank-accounts"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        bank_account_lists: NamedDependency[BankAccountLists],
    ) -> Response[str]:
        """List accounts that match the filters, newest first; account numbers are masked."""
        read = partial(_read_filter, request, bank_account_lists)
        return await _LIST.show(request, users, read)

    @get("/csv")
    async def download(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        bank_account_lists: NamedDependency[BankAccountLists],
    ) -> Stream:
        """Stream those that match the filters."""
        read = partial(_read_filter, request, bank_account_lists)
        return await _LIST.download(request, users, read)


async def _read_filter(
    request: PageRequest, lists: BankAccountLists, query: ListQuery
) -> LoadRows[BankAccount]:
    org_id = request.user.caller.org_id
    direction = chosen(query, "direction", tuple(_DIRECTIONS))
    wanted = BankAccountListFilter(
        user_id=await user_filter(request.interface, query),
        ramp=None if direction is None else _DIRECTIONS[direction],
        type=chosen(query, "type", types.NAMES),
        status=chosen(query, "status", tuple(BankAccountStatus)),
    )
    return lambda before, limit: lists.page(org_id, wanted, before, limit)


def _cells(account: BankAccount, visitor: PageVisitor) -> Sequence[Value]:
    del visitor  # the number is masked for everybody
    return (
        *(account.bank_name, account.number, account.bank_country, account.type),
        *(account.ramp, account.payment_rail, account.currency, account.status),
    )


_LIST: Final = OrganisationList(
    template="lists/bank_accounts.html",
    filters=("user", "type", "direction", "status"),
    options={
        "types": TYPE_LABELS,
        "statuses": list(BankAccountStatus),
        "rail_label": rail_label,
        "country_name": country_name,
    },
    name="bank-accounts",
    columns=(
        *(Column("bank", ColumnKind.TEXT), Column("accountNumber", ColumnKind.TEXT)),
        *words("country", "type", "direction", "paymentRail", "currency", "status"),
    ),
    cells=_cells,
)
