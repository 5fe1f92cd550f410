"""Virtual accounts of all users, as a page and as a CSV file."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.response import Stream

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
from landbridge.payments.virtual_accounts.account_lists import (
    VirtualAccountListFilter,
    VirtualAccountLists,
)
from landbridge.payments.virtual_accounts.model import VirtualAccount, VirtualAccountStatus
from landbridge.platform.core.masks import mask
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.exports.model import Value


class VirtualAccountListPages(Controller):
    """`/dashboard/virtual-accounts`."""

    path = "/virtual-accounts"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        virtual_account_lists: NamedDependency[VirtualAccountLists],
    ) -> Response[str]:
        """List accounts that match the filters, newest first."""
        read = partial(_read_filter, request, virtual_account_lists)
        return await _LIST.show(request, users, read)

    @get("/csv")
    async def download(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        virtual_account_lists: NamedDependency[VirtualAccountLists],
    ) -> Stream:
        """Stream those that match the filters."""
        read = partial(_read_filter, request, virtual_account_lists)
        return await _LIST.download(request, users, read)


async def _read_filter(
    request: PageRequest, lists: VirtualAccountLists, query: ListQuery
) -> LoadRows[VirtualAccount]:
    org_id = request.user.caller.org_id
    wanted = VirtualAccountListFilter(
        user_id=await user_filter(request.interface, query),
        account_number="".join(query.text("number").split()) or None,
        chain=chosen(query, "chain", tuple(Chain)),
        status=chosen(query, "status", tuple(VirtualAccountStatus)),
    )
    return lambda before, limit: lists.page(org_id, wanted, before, limit)


def _number(account: VirtualAccount, visitor: PageVisitor) -> str:
    """Return the account number as the visitor may see it."""
    return account.account_number if visitor.sees_documents else mask(account.account_number)


def _cells(account: VirtualAccount, visitor: PageVisitor) -> Sequence[Value]:
    return (
        *(_number(account, visitor), account.source_currency, account.destination_currency),
        *(account.chain, account.wallet_address, account.status),
    )


_LIST: Final = OrganisationList(
    template="lists/virtual_accounts.html",
    filters=("user", "number", "chain", "status"),
    options={
        "chains": CHAIN_LABELS,
        "statuses": list(VirtualAccountStatus),
        "shown_number": _number,
    },
    name="virtual-accounts",
    columns=words(
        *("accountNumber", "sourceCurrency", "destinationCurrency"),
        *("chain", "walletAddress", "status"),
    ),
    cells=_cells,
)
