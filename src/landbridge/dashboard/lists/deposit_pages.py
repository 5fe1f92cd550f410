"""Coins that users received from outside, as a page and as a CSV file."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.response import Stream

from landbridge.customers.chain_deposits.deposit_lists import (
    DepositListFilter,
    DepositLists,
    OutsideDeposit,
)
from landbridge.customers.chain_deposits.model import ChainDepositStatus
from landbridge.customers.users.service import Users
from landbridge.dashboard.list_queries import ListQuery
from landbridge.dashboard.lists.list_pages import (
    CHAIN_LABELS,
    LoadRows,
    OrganisationList,
    chosen,
    user_filter,
    words,
)
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.page_visitor import PageVisitor
from landbridge.providers.chains.tokens import CURRENCIES, Chain
from landbridge.reporting.exports.model import Column, ColumnKind, Value


class DepositListPages(Controller):
    """`/dashboard/deposits`."""

    path = "/deposits"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        deposit_lists: NamedDependency[DepositLists],
    ) -> Response[str]:
        """List deposits that match the filters, newest first."""
        read = partial(_read_filter, request, deposit_lists)
        return await _LIST.show(request, users, read)

    @get("/csv")
    async def download(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        deposit_lists: NamedDependency[DepositLists],
    ) -> Stream:
        """Stream those that match the filters."""
        read = partial(_read_filter, request, deposit_lists)
        return await _LIST.download(request, users, read)


async def _read_filter(
    request: PageRequest, lists: DepositLists, query: ListQuery
) -> LoadRows[OutsideDeposit]:
    org_id = request.user.caller.org_id
    wanted = DepositListFilter(
        user_id=await user_filter(request.interface, query),
        chain=chosen(query, "chain", tuple(Chain)),
        currency=chosen(query, "currency", CURRENCIES),
        status=chosen(query, "status", tuple(ChainDepositStatus)),
    )
    return lambda before, limit: lists.page(org_id, wanted, before, limit)


def _cells(deposit: OutsideDeposit, visitor: PageVisitor) -> Sequence[Value]:
    del visitor  # addresses are public
    asset = deposit.money.asset
    return (
        *(str(deposit.money), asset.currency, asset.chain, deposit.status),
        *(deposit.source_address, deposit.transaction_hash),
    )


_LIST: Final = OrganisationList(
    template="lists/deposits.html",
    filters=("user", "chain", "currency", "status"),
    options={
        "chains": CHAIN_LABELS,
        "currencies": {each: each.upper() for each in CURRENCIES},
        "statuses": list(ChainDepositStatus),
    },
    name="deposits",
    columns=(
        Column("amount", ColumnKind.AMOUNT),
        *words("currency", "chain", "status", "fromAddress", "transactionHash"),
    ),
    cells=_cells,
)
