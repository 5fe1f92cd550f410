"""Routes of virtual accounts. Source: contract, accounts 5 and interface/virtual-account."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated
from uuid import UUID

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.accounts.errors import AccountNotFound
from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import as_uuid
from landbridge.core.pages import Window, parse_moment
from landbridge.users.model import UserCard
from landbridge.users.paths import known_user
from landbridge.users.service import Users
from landbridge.virtual_accounts.deposits import Bounds
from landbridge.virtual_accounts.destinations import DESTINATION_CURRENCIES, SOURCE_CURRENCIES
from landbridge.virtual_accounts.model import VirtualAccount
from landbridge.virtual_accounts.rule_api import known_rule
from landbridge.virtual_accounts.rule_wire import Done
from landbridge.virtual_accounts.service import Filters, VirtualAccounts
from landbridge.virtual_accounts.wire import (
    AccountAnswer,
    AccountInfo,
    AccountPage,
    NewVirtualAccount,
    account_info,
    asked_route,
)
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import Limit, provide_window, word
from landbridge.web.paths import known_id
from landbridge.web.reply import moment

_BOUND = "a date, a time, or the id of a micro-deposit of this account"


class VirtualAccountRoutes(Controller):
    """Bank details of a user; fiat that arrives there becomes coins in one wallet."""

    path = "/v2/users/{userId:str}/virtual-accounts"
    tags = ("Virtual accounts",)

    @post(status_code=200, summary="Create a virtual account", unkeyed=True)
    async def create(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[NewVirtualAccount],
        users: NamedDependency[Users],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> AccountAnswer:
        """Opens an account; the user must be verified on the USD rail. Each call opens another."""
        account = await virtual_accounts.create(request.user, known_user(userId), asked_route(data))
        return await _answer("created", account, users, virtual_accounts)

    @get(summary="List virtual accounts")
    async def page(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        users: NamedDependency[Users],
        virtual_accounts: NamedDependency[VirtualAccounts],
        window: NamedDependency[Window],
        source_currency: Annotated[str | None, QueryParameter(name="sourceCurrency")] = None,
        destination_currency: Annotated[
            str | None, QueryParameter(name="destinationCurrency")
        ] = None,
        destination_chain: Annotated[str | None, QueryParameter(name="destinationChain")] = None,
    ) -> AccountPage:
        """Newest first, deactivated ones too; `nextCursor` goes back as `createdBefore`."""
        org_id, user_id = request.user.org_id, known_user(userId)
        source, currency, chain = source_currency, destination_currency, destination_chain
        filters = Filters(
            source_currency=source and word("sourceCurrency", source, SOURCE_CURRENCIES),
            destination_currency=currency
            and word("destinationCurrency", currency, DESTINATION_CURRENCIES),
            chain=None if chain is None else word("destinationChain", chain, Chain),
        )
        found = await virtual_accounts.page(org_id, user_id, filters, window)
        cards = await users.cards(org_id, [user_id]) if found else {}
        return AccountPage(
            count=len(found),
            data=[await _info(each, cards, virtual_accounts) for each in found],
            next_cursor=moment(found[-1].created_at) if found else None,
        )

    @get("/{accountId:str}", summary="Retrieve a virtual account")
    async def retrieve(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        accountId: FromPath[str],
        virtual_accounts: NamedDependency[VirtualAccounts],
        limit: Limit = None,
        created_before: Annotated[
            str | None,
            QueryParameter(name="createdBefore", description=f"Only what is older than {_BOUND}."),
        ] = None,
        created_after: Annotated[
            str | None,
            QueryParameter(name="createdAfter", description=f"Only what is newer than {_BOUND}."),
        ] = None,
    ) -> AccountInfo:
        """One account of this user, with its micro-deposits, to which the parameters apply."""
        bounds = Bounds(
            after=_bound("createdAfter", created_after),
            before=_bound("createdBefore", created_before),
            limit=provide_window(limit=limit).limit,
        )
        org_id, user_id = request.user.org_id, known_user(userId)
        account = await virtual_accounts.get(org_id, user_id, known_account(accountId))
        return await virtual_accounts.info(account, bounds)

    @post("/{accountId:str}/update", status_code=200, summary="Update a virtual account")
    async def update(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        accountId: FromPath[str],
        data: JSONBody[NewVirtualAccount],
        users: NamedDependency[Users],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> AccountAnswer:
        """Delivers what arrives from now on elsewhere; the account keeps its number."""
        account = await virtual_accounts.update(
            request.user, known_user(userId), known_account(accountId), asked_route(data)
        )
        return await _answer("updated", account, users, virtual_accounts)

    @post("/{accountId:str}/deactivate", status_code=200, summary="Deactivate a virtual account")
    async def deactivate(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        users: NamedDependency[Users],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> AccountAnswer:
        """What arrives from now on is given back; what has arrived goes on."""
        account = await virtual_accounts.deactivate(
            request.user, known_user(userId), known_account(accountId)
        )
        return await _answer("deactivated", account, users, virtual_accounts)

    @post("/{accountId:str}/reactivate", status_code=200, summary="Reactivate a virtual account")
    async def reactivate(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        users: NamedDependency[Users],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> AccountAnswer:
        """Takes deposits again, under the same number."""
        account = await virtual_accounts.reactivate(
            request.user, known_user(userId), known_account(accountId)
        )
        return await _answer("reactivated", account, users, virtual_accounts)

    @post(
        "/{accountId:str}/settlement-rules/{ruleId:str}",
        status_code=200,
        summary="Apply a settlement rule",
    )
    async def apply_rule(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        ruleId: FromPath[str],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> Done:
        """Divides what arrives from now on by this rule, in place of the one before."""
        account_id, rule_id = known_account(accountId), known_rule(ruleId)
        await virtual_accounts.apply_rule(request.user, known_user(userId), account_id, rule_id)
        return Done(
            message=f"Settlement rule {rule_id} is applied to virtual account {account_id}."
        )

    @delete(
        "/{accountId:str}/settlement-rules", status_code=200, summary="Remove a settlement rule"
    )
    async def remove_rule(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> Done:
        """Delivers what arrives from now on whole."""
        account_id = known_account(accountId)
        await virtual_accounts.remove_rule(request.user, known_user(userId), account_id)
        return Done(message=f"No settlement rule is applied to virtual account {account_id}.")


def known_account(text: str) -> UUID:
    """The id in a path; what can't be one is answered like an unknown one."""
    return known_id(text, "virtual account", AccountNotFound)


def _bound(name: str, text: str | None) -> datetime | UUID | None:
    if text is None:
        return None
    if found := as_uuid(text):
        return found
    try:
        return parse_moment(text)
    except ValueError as error:
        raise FieldInvalid(f"{name} must be {_BOUND}", field=name) from error


async def _answer(
    verb: str, account: VirtualAccount, users: Users, virtual_accounts: VirtualAccounts
) -> AccountAnswer:
    cards = await users.cards(account.org_id, [account.user_id])
    return AccountAnswer(
        message=f"The virtual account was {verb}.",
        account_info=await _info(account, cards, virtual_accounts),
    )


async def _info(
    account: VirtualAccount, cards: Mapping[UUID, UserCard], virtual_accounts: VirtualAccounts
) -> AccountInfo:
    return account_info(account, await virtual_accounts.instructions(account), cards)
