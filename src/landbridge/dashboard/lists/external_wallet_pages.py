"""External wallets of all users, as a page and as a CSV file."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.response import Stream

from landbridge.customers.users.service import Users
from landbridge.customers.wallets.external_wallet_lists import (
    ExternalWalletListFilter,
    ExternalWalletLists,
)
from landbridge.customers.wallets.model import ExternalWallet
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
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.exports.model import Column, ColumnKind, Value

_STATUSES: Final = ("ACTIVE", "DELETED")


class ExternalWalletListPages(Controller):
    """`/dashboard/external-wallets`."""

    path = "/external-wallets"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        external_wallet_lists: NamedDependency[ExternalWalletLists],
    ) -> Response[str]:
        """List registered addresses that match the filters, newest first."""
        read = partial(_read_filter, request, external_wallet_lists)
        return await _LIST.show(request, users, read)

    @get("/csv")
    async def download(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        external_wallet_lists: NamedDependency[ExternalWalletLists],
    ) -> Stream:
        """Stream those that match the filters."""
        read = partial(_read_filter, request, external_wallet_lists)
        return await _LIST.download(request, users, read)


async def _read_filter(
    request: PageRequest, lists: ExternalWalletLists, query: ListQuery
) -> LoadRows[ExternalWallet]:
    org_id = request.user.caller.org_id
    status = chosen(query, "status", _STATUSES)
    wanted = ExternalWalletListFilter(
        user_id=await user_filter(request.interface, query),
        address=query.text("address") or None,
        chain=chosen(query, "chain", tuple(Chain)),
        is_active=None if status is None else status == "ACTIVE",
    )
    return lambda before, limit: lists.page(org_id, wanted, before, limit)


def _status(wallet: ExternalWallet) -> str:
    return "ACTIVE" if wallet.is_active else "DELETED"


def _cells(wallet: ExternalWallet, visitor: PageVisitor) -> Sequence[Value]:
    del visitor  # addresses are public
    return wallet.name, wallet.reference_id, wallet.chain, wallet.address, _status(wallet)


_LIST: Final = OrganisationList(
    template="lists/external_wallets.html",
    filters=("user", "address", "chain", "status"),
    options={"chains": CHAIN_LABELS, "statuses": _STATUSES, "status_of": _status},
    name="external-wallets",
    columns=(
        *(Column("name", ColumnKind.TEXT), Column("referenceId", ColumnKind.TEXT)),
        *words("chain", "address", "status"),
    ),
    cells=_cells,
)
