"""Routes of bank accounts. Source: contract, accounts 4 and interface/account."""

from typing import Annotated, Any
from uuid import UUID

from litestar import Controller, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.accounts.errors import AccountNotFound
from landbridge.accounts.reading import told_apart
from landbridge.accounts.service import Accounts, Filters
from landbridge.accounts.tables import Ramp
from landbridge.accounts.types import NAMES, TABLES
from landbridge.accounts.wire import (
    AccountPage,
    AccountReply,
    AccountStatusReply,
    NewAccount,
    account_reply,
    listed,
    status_reply,
)
from landbridge.core.errors import FieldInvalid
from landbridge.core.pages import Window
from landbridge.users.paths import known_user
from landbridge.web.body import as_asked
from landbridge.web.caller import ApiRequest
from landbridge.web.errors import AnyRequest, refused
from landbridge.web.lists import word
from landbridge.web.paths import known_id
from landbridge.web.reply import moment

_CURRENCIES = tuple(dict.fromkeys(each for table in TABLES for each in table.currencies))


def _refused(request: AnyRequest, error: FieldInvalid) -> Response[Any]:
    """Answers bank data of another JSON type like bank data that are misshapen."""
    return refused(request, told_apart(error))


class AccountRoutes(Controller):
    """Add, look up and delete the bank accounts of a user."""

    path = "/v2/users/{userId:str}/accounts"
    tags = ("Accounts",)

    @post(
        status_code=200,
        summary="Add a bank account",
        exception_handlers={FieldInvalid: _refused},
    )
    async def create(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[NewAccount],
        accounts: NamedDependency[Accounts],
    ) -> AccountStatusReply:
        """Adds an account; the user must be verified on its rail.

        A number that has its form but contradicts itself (check digits, country, range) makes a
        `REJECTED` account and is named in `invalidFields`.
        """
        account = await accounts.create(
            request.user, known_user(userId), as_asked(data), request_id=data.request_id
        )
        return status_reply(account)

    @get(summary="List bank accounts")
    async def page(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        accounts: NamedDependency[Accounts],
        window: NamedDependency[Window],
        rail: Annotated[str | None, QueryParameter(name="rail")] = None,
        type_: Annotated[str | None, QueryParameter(name="type")] = None,
        currency: Annotated[str | None, QueryParameter(name="currency")] = None,
    ) -> AccountPage:
        """Newest first, deleted ones too; account numbers are masked."""
        filters = Filters(
            ramp=None if rail is None else word("rail", rail, Ramp),
            type=None if type_ is None else word("type", type_, NAMES),
            currency=None if currency is None else word("currency", currency, _CURRENCIES),
        )
        found = await accounts.page(request.user.org_id, known_user(userId), filters, window)
        return AccountPage(
            count=len(found),
            banks=[listed(account) for account in found],
            next_cursor=moment(found[-1].created_at) if found else None,
        )

    @get("/{accountId:str}", summary="Retrieve a bank account")
    async def retrieve(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        accounts: NamedDependency[Accounts],
    ) -> AccountReply:
        """One account of this user, whole."""
        user_id = known_user(userId)
        account_id = known_account(accountId)
        return account_reply(await accounts.get(request.user.org_id, user_id, account_id))

    @delete("/{accountId:str}", status_code=200, summary="Delete a bank account")
    async def delete(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        accounts: NamedDependency[Accounts],
    ) -> AccountStatusReply:
        """Makes the account unusable for good; doing it again answers the same."""
        user_id = known_user(userId)
        account = await accounts.delete(request.user, user_id, known_account(accountId))
        return status_reply(account)


def known_account(text: str) -> UUID:
    """The id in a path; what can't be one is answered like an unknown one."""
    return known_id(text, "bank account", AccountNotFound)
