"""Lists of the accounts, wallets and deposits of all users, as pages and as CSV files."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from landbridge.customers.bank_accounts import types
from landbridge.customers.bank_accounts.account_lists import BankAccountListFilter
from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import BankAccount, BankAccountStatus
from landbridge.customers.chain_deposits.deposit_lists import DepositListFilter, OutsideDeposit
from landbridge.customers.chain_deposits.model import ChainDepositStatus
from landbridge.customers.wallets.external_wallet_lists import ExternalWalletListFilter
from landbridge.customers.wallets.model import ExternalWallet
from landbridge.dashboard.countries import country_name
from landbridge.dashboard.list_queries import ListQuery
from landbridge.dashboard.lists.list_pages import (
    CHAIN_LABELS,
    ListPages,
    ListServices,
    LoadRows,
    OrganisationList,
    chosen,
    words,
)
from landbridge.dashboard.page_visitor import PageVisitor
from landbridge.dashboard.users.account_labels import TYPE_LABELS, rail_label
from landbridge.payments.virtual_accounts.account_lists import VirtualAccountListFilter
from landbridge.payments.virtual_accounts.model import VirtualAccount, VirtualAccountStatus
from landbridge.platform.core.masks import mask
from landbridge.providers.chains.tokens import CURRENCIES, Chain
from landbridge.reporting.exports.model import Column, ColumnKind, Value

_DIRECTIONS: Final = {"out": Ramp.OFFRAMP, "in": Ramp.ONRAMP}
_EXTERNAL_STATUSES: Final = ("ACTIVE", "DELETED")


def _bank_accounts(
    services: ListServices, org_id: UUID, user_id: UUID | None, query: ListQuery
) -> LoadRows[BankAccount]:
    direction = chosen(query, "direction", tuple(_DIRECTIONS))
    wanted = BankAccountListFilter(
        user_id=user_id,
        ramp=None if direction is None else _DIRECTIONS[direction],
        type=chosen(query, "type", types.NAMES),
        status=chosen(query, "status", tuple(BankAccountStatus)),
    )
    return lambda window: services.bank_accounts.page(org_id, wanted, window)


def _bank_account_cells(account: BankAccount, visitor: PageVisitor) -> Sequence[Value]:
    del visitor  # the number is masked for everybody
    return (
        *(account.bank_name, account.number, account.bank_country, account.type),
        *(account.ramp, account.payment_rail, account.currency, account.status),
    )


class BankAccountListPages(ListPages):
    """`/dashboard/bank-accounts`; account numbers are masked."""

    path = "/bank-accounts"
    organisation_list = OrganisationList(
        template="lists/bank_accounts.html",
        read_filter=_bank_accounts,
        filters=("type", "direction", "status"),
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
        cells=_bank_account_cells,
    )


def _virtual_accounts(
    services: ListServices, org_id: UUID, user_id: UUID | None, query: ListQuery
) -> LoadRows[VirtualAccount]:
    wanted = VirtualAccountListFilter(
        user_id=user_id,
        account_number="".join(query.text("number").split()) or None,
        chain=chosen(query, "chain", tuple(Chain)),
        status=chosen(query, "status", tuple(VirtualAccountStatus)),
    )
    return lambda window: services.virtual_accounts.page(org_id, wanted, window)


def _number(account: VirtualAccount, visitor: PageVisitor) -> str:
    """Return the account number as the visitor may see it."""
    return account.account_number if visitor.sees_documents else mask(account.account_number)


def _virtual_account_cells(account: VirtualAccount, visitor: PageVisitor) -> Sequence[Value]:
    return (
        *(_number(account, visitor), account.source_currency, account.destination_currency),
        *(account.chain, account.wallet_address, account.status),
    )


class VirtualAccountListPages(ListPages):
    """`/dashboard/virtual-accounts`."""

    path = "/virtual-accounts"
    organisation_list = OrganisationList(
        template="lists/virtual_accounts.html",
        read_filter=_virtual_accounts,
        filters=("number", "chain", "status"),
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
        cells=_virtual_account_cells,
    )


def _external_wallets(
    services: ListServices, org_id: UUID, user_id: UUID | None, query: ListQuery
) -> LoadRows[ExternalWallet]:
    status = chosen(query, "status", _EXTERNAL_STATUSES)
    wanted = ExternalWalletListFilter(
        user_id=user_id,
        address=query.text("address") or None,
        chain=chosen(query, "chain", tuple(Chain)),
        is_active=None if status is None else status == "ACTIVE",
    )
    return lambda window: services.external_wallets.page(org_id, wanted, window)


def _status(wallet: ExternalWallet) -> str:
    return "ACTIVE" if wallet.is_active else "DELETED"


def _external_wallet_cells(wallet: ExternalWallet, visitor: PageVisitor) -> Sequence[Value]:
    del visitor  # addresses are public
    return wallet.name, wallet.reference_id, wallet.chain, wallet.address, _status(wallet)


class ExternalWalletListPages(ListPages):
    """`/dashboard/external-wallets`: registered addresses."""

    path = "/external-wallets"
    organisation_list = OrganisationList(
        template="lists/external_wallets.html",
        read_filter=_external_wallets,
        filters=("address", "chain", "status"),
        options={"chains": CHAIN_LABELS, "statuses": _EXTERNAL_STATUSES, "status_of": _status},
        name="external-wallets",
        columns=(
            *(Column("name", ColumnKind.TEXT), Column("referenceId", ColumnKind.TEXT)),
            *words("chain", "address", "status"),
        ),
        cells=_external_wallet_cells,
    )


def _deposits(
    services: ListServices, org_id: UUID, user_id: UUID | None, query: ListQuery
) -> LoadRows[OutsideDeposit]:
    wanted = DepositListFilter(
        user_id=user_id,
        chain=chosen(query, "chain", tuple(Chain)),
        currency=chosen(query, "currency", CURRENCIES),
        status=chosen(query, "status", tuple(ChainDepositStatus)),
    )
    return lambda window: services.deposits.page(org_id, wanted, window)


def _deposit_cells(deposit: OutsideDeposit, visitor: PageVisitor) -> Sequence[Value]:
    del visitor  # addresses are public
    asset = deposit.money.asset
    return (
        *(str(deposit.money), asset.currency, asset.chain, deposit.status),
        *(deposit.source_address, deposit.transaction_hash),
    )


class DepositListPages(ListPages):
    """`/dashboard/deposits`: coins that users received from outside."""

    path = "/deposits"
    organisation_list = OrganisationList(
        template="lists/deposits.html",
        read_filter=_deposits,
        filters=("chain", "currency", "status"),
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
        cells=_deposit_cells,
    )
