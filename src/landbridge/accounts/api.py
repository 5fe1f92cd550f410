"""Routes of bank accounts. Source: contract, accounts 4 and interface/account."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.accounts.errors import AccountNotFound
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
from landbridge.core.ids import as_uuid
from landbridge.core.pages import Window
from landbridge.users.api import known_id
from landbridge.web.body import as_asked
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import moment

_CURRENCIES = tuple(dict.fromkeys(each for table in TABLES for each in table.currencies))


class AccountRoutes(Controller):
    """Add, look up and delete the bank accounts of a user."""

    path = "/v2/users/{userId:str}/accounts"
    tags = ("Accounts",)

    @post(status_code=200, summary="Add a bank account")
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
            request.user, known_id(userId), as_asked(data), request_id=data.request_id
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
            ramp=None if rail is None else Ramp(_word("rail", rail, tuple(Ramp))),
            type=None if type_ is None else _word("type", type_, NAMES),
            currency=None if currency is None else _word("currency", currency, _CURRENCIES),
        )
        found = await accounts.page(request.user.org_id, known_id(userId), filters, window)
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
        user_id = known_id(userId)
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
        user_id = known_id(userId)
        account = await accounts.delete(request.user, user_id, known_account(accountId))
        return status_reply(account)


def known_account(text: str) -> UUID:
    """The id in a path; what can't be one is answered like an unknown one."""
    found = as_uuid(text)
    if found is None:
        raise AccountNotFound(f"there is no bank account {text[:100]}")
    return found


def _word(name: str, text: str, words: tuple[str, ...]) -> str:
    if text not in words:
        raise FieldInvalid(f"{name} must be one of {', '.join(words)}", field=name)
    return text
