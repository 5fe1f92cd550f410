"""Routes of bank accounts. Source: contract, accounts 4 and interface/account."""

from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Controller, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.bank_accounts.errors import AccountNotFound
from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.metadata import AccountMetadata
from landbridge.customers.bank_accounts.parsing import as_field_errors
from landbridge.customers.bank_accounts.schemas import (
    AccountReply,
    AccountStatusReply,
    BankAccountPageReply,
    NewAccount,
    account_reply,
    listed,
    status_reply,
)
from landbridge.customers.bank_accounts.service import BankAccountFilters, BankAccounts
from landbridge.customers.bank_accounts.types import NAMES, TABLES
from landbridge.customers.users.path_params import known_user
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import one_of, query
from landbridge.platform.http.error_responses import AnyRequest, refused, with_cleared_tracebacks
from landbridge.platform.http.list_query import parse_choice
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.request_decoding import request_values
from landbridge.platform.http.responses import moment
from landbridge.platform.metadata.model import (
    MetadataFilter,
    MetadataReply,
    MetadataUpdate,
    parse_pairs,
)

_CURRENCIES = tuple(dict.fromkeys(each for table in TABLES for each in table.currencies))


def _refused(request: AnyRequest, error: FieldInvalid) -> Response[Any]:
    """Map bank data of a wrong JSON type to the error for malformed bank data."""
    return refused(request, as_field_errors(error))


class AccountRoutes(Controller):
    """Routes to add, retrieve and delete the bank accounts of a user."""

    path = "/v2/users/{userId:str}/accounts"
    tags = ("Accounts",)

    @post(
        status_code=200,
        summary="Add a bank account",
        exception_handlers=with_cleared_tracebacks({FieldInvalid: _refused}),
        operation_id="accounts.create",
    )
    async def create(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[NewAccount],
        bank_accounts: NamedDependency[BankAccounts],
    ) -> AccountStatusReply:
        """Add an account; the user must be verified on its rail.

        A well-formed but inconsistent number (check digits, country, range) creates a `REJECTED`
        account and is named in `invalidFields`.
        """
        account = await bank_accounts.create(
            request.user, known_user(userId), request_values(data), request_id=data.request_id
        )
        return status_reply(account)

    @get(summary="List bank accounts", operation_id="accounts.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        bank_accounts: NamedDependency[BankAccounts],
        window: NamedDependency[PageWindow],
        rail: Annotated[str | None, query("rail", one_of(Ramp))] = None,
        type_: Annotated[str | None, query("type", one_of(NAMES))] = None,
        currency: Annotated[str | None, query("currency", one_of(_CURRENCIES))] = None,
        metadata: MetadataFilter = None,
    ) -> BankAccountPageReply:
        """List accounts, newest first, including deleted ones; account numbers are masked."""
        filters = BankAccountFilters(
            ramp=None if rail is None else parse_choice("rail", rail, Ramp),
            type=None if type_ is None else parse_choice("type", type_, NAMES),
            currency=None if currency is None else parse_choice("currency", currency, _CURRENCIES),
            metadata=parse_pairs(metadata),
        )
        found = await bank_accounts.page(request.user.org_id, known_user(userId), filters, window)
        return BankAccountPageReply(
            count=len(found),
            banks=[listed(account) for account in found],
            next_cursor=moment(found[-1].created_at) if found else msgspec.UNSET,
        )

    @get("/{accountId:str}", summary="Retrieve a bank account", operation_id="accounts.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        bank_accounts: NamedDependency[BankAccounts],
    ) -> AccountReply:
        """One account of this user, whole."""
        user_id = known_user(userId)
        account_id = known_account(accountId)
        return account_reply(await bank_accounts.get(request.user.org_id, user_id, account_id))

    @post(
        "/{accountId:str}/metadata",
        status_code=200,
        summary="Change the metadata of a bank account",
        operation_id="accounts.changeMetadata",
    )
    async def change_metadata(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        accountId: FromPath[str],
        data: JSONBody[MetadataUpdate],
        account_metadata: NamedDependency[AccountMetadata],
    ) -> MetadataReply:
        """Set and remove keys; keys that are not named stay. Nothing else of the account changes.

        No event is sent.
        """
        found = await account_metadata.change(
            request.user.org_id, known_user(userId), known_account(accountId), data.metadata
        )
        return MetadataReply(metadata=dict(found))

    @delete(
        "/{accountId:str}",
        status_code=200,
        summary="Delete a bank account",
        operation_id="accounts.delete",
    )
    async def delete(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        bank_accounts: NamedDependency[BankAccounts],
    ) -> AccountStatusReply:
        """Disable the account permanently; a repeated call returns the same response."""
        user_id = known_user(userId)
        account = await bank_accounts.delete(request.user, user_id, known_account(accountId))
        return status_reply(account)


def known_account(text: str) -> UUID:
    """Return the id in a path; a malformed id is treated like an unknown one."""
    return known_id(text, "bank account", AccountNotFound)
