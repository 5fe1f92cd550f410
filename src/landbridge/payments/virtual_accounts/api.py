"""Routes of virtual accounts. Source: contract, accounts 5 and interface/virtual-account."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.bank_accounts.errors import AccountNotFound
from landbridge.customers.users.model import UserCard
from landbridge.customers.users.path_params import known_user
from landbridge.customers.users.service import Users
from landbridge.payments.virtual_accounts.deposits import MicroDepositBounds
from landbridge.payments.virtual_accounts.destinations import (
    DESTINATION_CURRENCIES,
    SOURCE_CURRENCIES,
    NewVirtualAccount,
)
from landbridge.payments.virtual_accounts.model import VirtualAccount, VirtualAccountFilters
from landbridge.payments.virtual_accounts.rule_api import known_rule
from landbridge.payments.virtual_accounts.rule_schemas import RuleDeletedReply
from landbridge.payments.virtual_accounts.schemas import (
    VirtualAccountEnvelope,
    VirtualAccountPageReply,
    VirtualAccountReply,
    account_info,
)
from landbridge.payments.virtual_accounts.service import VirtualAccounts
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.core.pagination import PageWindow, parse_moment
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import DATE_OR_TIME, IDENTIFIER, one_of, query
from landbridge.platform.http.list_query import Limit, parse_choice, provide_window
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import moment
from landbridge.platform.idempotency.service import IdempotencyKeys
from landbridge.providers.chains.tokens import Chain

_BOUND_FORMS = {"type": "string", "anyOf": [DATE_OR_TIME, IDENTIFIER]}
_BOUND = "a date, a time, or the id of a micro-deposit of this account"


class VirtualAccountRoutes(Controller):
    """Bank details of a user; fiat that arrives there is converted into coins in one wallet."""

    path = "/v2/users/{userId:str}/virtual-accounts"
    tags = ("Virtual accounts",)

    @post(
        status_code=200,
        summary="Create a virtual account",
        keyed=True,
        operation_id="virtualAccounts.create",
    )
    async def create(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        data: JSONBody[NewVirtualAccount],
        users: NamedDependency[Users],
        virtual_accounts: NamedDependency[VirtualAccounts],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> VirtualAccountEnvelope:
        """Open another account of the user, who must be verified on the USD rail."""
        user_id = known_user(userId)
        account = await idempotency_keys.run(
            request,
            data,
            lambda claim: virtual_accounts.create(request.user, user_id, data, claim=claim),
            lambda key: virtual_accounts.get(key.org_id, user_id, key.object_id),
        )
        return await _answer("created", account, users, virtual_accounts)

    @get(summary="List virtual accounts", operation_id="virtualAccounts.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        users: NamedDependency[Users],
        virtual_accounts: NamedDependency[VirtualAccounts],
        window: NamedDependency[PageWindow],
        source_currency: Annotated[
            str | None, query("sourceCurrency", one_of(SOURCE_CURRENCIES))
        ] = None,
        destination_currency: Annotated[
            str | None, query("destinationCurrency", one_of(DESTINATION_CURRENCIES))
        ] = None,
        destination_chain: Annotated[str | None, query("destinationChain", one_of(Chain))] = None,
    ) -> VirtualAccountPageReply:
        """List all accounts, newest first; pass `nextCursor` as `createdBefore`."""
        org_id, user_id = request.user.org_id, known_user(userId)
        source, currency, chain = source_currency, destination_currency, destination_chain
        filters = VirtualAccountFilters(
            source_currency=source and parse_choice("sourceCurrency", source, SOURCE_CURRENCIES),
            destination_currency=currency
            and parse_choice("destinationCurrency", currency, DESTINATION_CURRENCIES),
            chain=None if chain is None else parse_choice("destinationChain", chain, Chain),
        )
        found = await virtual_accounts.page(org_id, user_id, filters, window)
        cards = await users.cards(org_id, [user_id]) if found else {}
        return VirtualAccountPageReply(
            count=len(found),
            data=[await _info(each, cards, virtual_accounts) for each in found],
            next_cursor=moment(found[-1].created_at) if found else msgspec.UNSET,
        )

    @get(
        "/{accountId:str}",
        summary="Retrieve a virtual account",
        operation_id="virtualAccounts.retrieve",
    )
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
            query(
                "createdBefore",
                _BOUND_FORMS,
                description=f"Only micro-deposits older than {_BOUND}.",
            ),
        ] = None,
        created_after: Annotated[
            str | None,
            query(
                "createdAfter",
                _BOUND_FORMS,
                description=f"Only micro-deposits newer than {_BOUND}.",
            ),
        ] = None,
    ) -> VirtualAccountReply:
        """Get one account of this user, with its micro-deposits, which the parameters filter."""
        bounds = MicroDepositBounds(
            after=_bound("createdAfter", created_after),
            before=_bound("createdBefore", created_before),
            limit=provide_window(limit=limit).limit,
        )
        org_id, user_id = request.user.org_id, known_user(userId)
        account = await virtual_accounts.get(org_id, user_id, known_account(accountId))
        return await virtual_accounts.info(account, bounds)

    @post(
        "/{accountId:str}/update",
        status_code=200,
        summary="Update a virtual account",
        operation_id="virtualAccounts.update",
    )
    async def update(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        accountId: FromPath[str],
        data: JSONBody[NewVirtualAccount],
        users: NamedDependency[Users],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> VirtualAccountEnvelope:
        """Change the destination of future deposits; the account keeps its number."""
        account = await virtual_accounts.update(
            request.user, known_user(userId), known_account(accountId), data
        )
        return await _answer("updated", account, users, virtual_accounts)

    @post(
        "/{accountId:str}/deactivate",
        status_code=200,
        summary="Deactivate a virtual account",
        operation_id="virtualAccounts.deactivate",
    )
    async def deactivate(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        users: NamedDependency[Users],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> VirtualAccountEnvelope:
        """Deactivate: future deposits are returned; earlier deposits are still settled."""
        account = await virtual_accounts.deactivate(
            request.user, known_user(userId), known_account(accountId)
        )
        return await _answer("deactivated", account, users, virtual_accounts)

    @post(
        "/{accountId:str}/reactivate",
        status_code=200,
        summary="Reactivate a virtual account",
        operation_id="virtualAccounts.reactivate",
    )
    async def reactivate(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        users: NamedDependency[Users],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> VirtualAccountEnvelope:
        """Reactivate: accept deposits again under the same number."""
        account = await virtual_accounts.reactivate(
            request.user, known_user(userId), known_account(accountId)
        )
        return await _answer("reactivated", account, users, virtual_accounts)

    @post(
        "/{accountId:str}/settlement-rules/{ruleId:str}",
        status_code=200,
        summary="Apply a settlement rule",
        operation_id="virtualAccounts.applySettlementRule",
    )
    async def apply_rule(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        ruleId: FromPath[str],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> RuleDeletedReply:
        """Apply a settlement rule to future deposits, replacing the previous rule."""
        account_id, rule_id = known_account(accountId), known_rule(ruleId)
        await virtual_accounts.apply_rule(request.user, known_user(userId), account_id, rule_id)
        return RuleDeletedReply(
            message=f"Settlement rule {rule_id} is applied to virtual account {account_id}."
        )

    @delete(
        "/{accountId:str}/settlement-rules",
        status_code=200,
        summary="Remove a settlement rule",
        operation_id="virtualAccounts.removeSettlementRule",
    )
    async def remove_rule(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        virtual_accounts: NamedDependency[VirtualAccounts],
    ) -> RuleDeletedReply:
        """Remove the settlement rule; future deposits are delivered whole."""
        account_id = known_account(accountId)
        await virtual_accounts.remove_rule(request.user, known_user(userId), account_id)
        return RuleDeletedReply(
            message=f"No settlement rule is applied to virtual account {account_id}."
        )


def known_account(text: str) -> UUID:
    """Parse the id in a path; a malformed id gives the same error as an unknown one."""
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
) -> VirtualAccountEnvelope:
    cards = await users.cards(account.org_id, [account.user_id])
    return VirtualAccountEnvelope(
        message=f"The virtual account was {verb}.",
        account_info=await _info(account, cards, virtual_accounts),
    )


async def _info(
    account: VirtualAccount, cards: Mapping[UUID, UserCard], virtual_accounts: VirtualAccounts
) -> VirtualAccountReply:
    return account_info(account, await virtual_accounts.instructions(account), cards)
