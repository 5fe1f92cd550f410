"""Wallets of a user: balances, addresses and deposits."""

import asyncio

from litestar import Controller, Response, get, post
from litestar.params import FromPath
from msgspec import UNSET

from landbridge.customers.users.deposit_api import DepositPage
from landbridge.customers.users.schemas import UserReply
from landbridge.customers.users.wallet_api import ExternalWalletPage
from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.number_formats import parse_number
from landbridge.dashboard.page_request import Page, PageRequest, read_form, redirect
from landbridge.dashboard.sandbox_funding import fund
from landbridge.dashboard.users.balances import coins_in, load_balances
from landbridge.dashboard.users.nested_fields import submitted_values
from landbridge.dashboard.users.page_context import page_path, user_context, user_path
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.providers.chains.tokens import Chain

_TEMPLATE = "users/wallets.html"
_NO_DEPOSITS = DepositPage(count=0, records=[], deposits=[])


class WalletPages(Controller):
    """`/dashboard/users/{userId}/wallets`."""

    path = "/users/{user_id:str}/wallets"

    @get("/")
    async def show(self, request: PageRequest, user_id: FromPath[str]) -> Response[str]:
        """Show balances by chain and currency, wallet addresses and external wallets."""
        return request.page(_TEMPLATE, **await _values(request, user_id))

    @post("/chains")
    async def add_chains(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Open wallets on more chains."""
        form = await read_form(request)
        try:
            chains = form.texts("chains")
            await request.interface.post(f"{user_path(user_id)}/wallets/add", {"chains": chains})
        except Refused as problem:
            return request.with_problem(_TEMPLATE, problem, **await _values(request, user_id))
        return _redirect(user_id, _("Wallets opened"))

    @post("/external")
    async def add_external(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Register an external wallet."""
        submitted = submitted_values(await read_form(request))
        names = ("chain", "address", "name", "referenceId")
        body = {name: submitted[name] for name in names if submitted.get(name)}
        try:
            await request.interface.post(f"{user_path(user_id)}/wallets/external", body)
        except Refused as problem:
            values = await _values(request, user_id)
            return request.with_problem(_TEMPLATE, problem, **values | {"form_values": submitted})
        return _redirect(user_id, _("Address registered"))

    @post("/fund")
    async def fund(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Credit test funds to a wallet, in a sandbox."""
        submitted = submitted_values(form := await read_form(request))
        try:
            await fund(request.interface, user_id, submitted_values(form, "amount"))
        except Refused as problem:
            values = await _values(request, user_id)
            return request.with_problem(_TEMPLATE, problem, **values | {"form_values": submitted})
        return _redirect(user_id, _("Wallet funded"))

    @get("/deposits")
    async def deposits(self, request: PageRequest, user_id: FromPath[str]) -> Response[str]:
        """List deposits of one currency, newest first."""
        values = await user_context(request.interface, user_id)
        coins = _coins(values["user"])
        query = read_list_query(request, "coin", "minAmount")
        coin = query.text("coin") or (coins[0] if coins else "")
        chain, _sep, currency = coin.partition(":")
        found, filter_error = _NO_DEPOSITS, None
        if coin:

            async def load() -> DepositPage:
                number = parse_number(
                    query.text("minAmount"), request.user.language, field="minAmount"
                )
                return await request.interface.read(
                    DepositPage,
                    f"{user_path(user_id)}/wallets/deposits",
                    chain=chain,
                    currency=currency,
                    minAmount=number or None,
                    cursor=query.cursor,
                    limit=PAGE_SIZE,
                )

            found, filter_error = await load_list(
                load(), _NO_DEPOSITS, inputs={"chain": "coin", "currency": "coin"}
            )
        return request.page(
            "users/deposits.html",
            **values,
            coins=coins,
            coin=coin,
            min_amount=query.text("minAmount"),
            deposits=found.records,
            older=None if _is_last(found) else query.older(found.next_cursor),
            newest=query.newest,
            filter_error=filter_error,
        )


def _is_last(found: DepositPage) -> bool:
    """Return whether this is the last page of deposits.

    The cursor is the time of the last deposit shown, or earlier if small credits were skipped.
    """
    end = found.records[-1].created_at if found.records else UNSET
    return len(found.records) < PAGE_SIZE and found.next_cursor == end


async def _values(request: PageRequest, user_id: str) -> dict[str, object]:
    values = await user_context(request.interface, user_id)
    user, query = values["user"], read_list_query(request)
    balances, externals = await asyncio.gather(
        load_balances(request.interface, user),
        request.interface.read(
            ExternalWalletPage,
            f"{user_path(user_id)}/wallets/external",
            limit=PAGE_SIZE,
            cursor=query.cursor,
        ),
    )
    is_full = len(externals.external_wallets) == PAGE_SIZE
    return values | {
        "balances": balances,
        "wallets": user.wallets.get("INDIVIDUAL", {}),
        "coins": _coins(user),
        "chains": [each.value for each in Chain],
        "externals": externals.external_wallets,
        "older": query.older(externals.next_cursor if is_full else None),
        "newest": query.newest,
        "form_values": {},
    }


def _coins(user: UserReply) -> list[str]:
    """Return each currency the wallets can hold, as forms name it: `POLYGON:usdc`."""
    return [f"{chain}:{currency}" for chain, currency in coins_in(user)]


def _redirect(user_id: str, message: str) -> Page:
    return redirect(f"{page_path(user_id)}/wallets", notice=message)
