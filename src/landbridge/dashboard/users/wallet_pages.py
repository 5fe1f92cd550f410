"""A user's wallets: what they hold, where they are, and what arrived there."""

import asyncio
from collections.abc import Mapping
from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.chains.tokens import Chain, tokens_on
from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.forms import read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import PAGE_SIZE, asked
from landbridge.dashboard.sandbox_money import fund
from landbridge.dashboard.users.balances import balances_of
from landbridge.dashboard.users.nesting import typed
from landbridge.dashboard.users.whose import page_path, user_path, whose
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface

_TEMPLATE = "users/wallets.html"


class WalletPages(Controller):
    """`/dashboard/users/{userId}/wallets`."""

    path = "/users/{user_id:str}/wallets"

    @get("/")
    async def show(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Balances of every chain and coin, addresses, and addresses outside."""
        return renderer.page(request, _TEMPLATE, **await _values(request, interface, user_id))

    @post("/chains")
    async def add_chains(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Open wallets on more chains."""
        form = await read_form(request)
        try:
            chains = form.texts("chains")
            await interface.post(f"{user_path(user_id)}/wallets/add", {"chains": chains})
        except Refused as problem:
            values = await _values(request, interface, user_id)
            return renderer.again(request, _TEMPLATE, problem, **values)
        return _back(user_id, _("The wallets were opened."))

    @post("/external")
    async def add_external(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Register an address outside the platform."""
        told = typed(await read_form(request))
        names = ("chain", "address", "name", "referenceId")
        body = {name: told[name] for name in names if told.get(name)}
        try:
            await interface.post(f"{user_path(user_id)}/wallets/external", body)
        except Refused as problem:
            values = await _values(request, interface, user_id)
            return renderer.again(request, _TEMPLATE, problem, **values | {"typed": told})
        return _back(user_id, _("The address was registered."))

    @post("/fund")
    async def fund(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Let coins arrive from nowhere, in a sandbox."""
        told = typed(await read_form(request))
        try:
            await fund(interface, user_id, told)
        except Refused as problem:
            values = await _values(request, interface, user_id)
            return renderer.again(request, _TEMPLATE, problem, **values | {"typed": told})
        return _back(user_id, _("The coins have arrived."))

    @get("/deposits")
    async def deposits(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """What arrived in one wallet, newest first."""
        values = await whose(interface, user_id)
        coins = _coins(values["user"])
        query = asked(request, "coin", "minAmount")
        coin = query.text("coin") or (coins[0] if coins else "")
        chain, _sep, currency = coin.partition(":")
        found: dict[str, Any] = {"records": [], "nextCursor": None}
        wrong = ""
        if coin:
            try:
                found = await interface.get(
                    f"{user_path(user_id)}/wallets/deposits",
                    chain=chain,
                    currency=currency,
                    minAmount=query.text("minAmount") or None,
                    cursor=query.cursor,
                    limit=PAGE_SIZE,
                )
            except FieldInvalid as error:
                wrong = error.message
        return renderer.page(
            request,
            "users/deposits.html",
            **values,
            coins=coins,
            coin=coin,
            least=query.text("minAmount"),
            deposits=found["records"],
            older=None if _is_last(found) else query.older(found["nextCursor"]),
            newest=query.newest,
            wrong=wrong,
        )


def _is_last(found: Mapping[str, Any]) -> bool:
    """Whether no deposits are behind this page.

    Its cursor is its last deposit's time, or further back where small credits were passed over.
    """
    records = found["records"]
    end = records[-1]["createdAt"] if records else None
    return len(records) < PAGE_SIZE and found["nextCursor"] == end


async def _values(request: PageRequest, interface: Interface, user_id: str) -> dict[str, Any]:
    values = await whose(interface, user_id)
    user, query = values["user"], asked(request)
    balances, externals = await asyncio.gather(
        balances_of(interface, user),
        interface.get(
            f"{user_path(user_id)}/wallets/external", limit=PAGE_SIZE, cursor=query.cursor
        ),
    )
    is_full = len(externals["externalWallets"]) == PAGE_SIZE
    return values | {
        "balances": balances,
        "wallets": user["wallets"].get("INDIVIDUAL", {}),
        "coins": _coins(user),
        "chains": [each.value for each in Chain],
        "externals": externals["externalWallets"],
        "older": query.older(externals["nextCursor"] if is_full else None),
        "newest": query.newest,
        "typed": {},
    }


def _coins(user: Any) -> list[str]:
    """Every coin that the wallets can hold, as forms name it: `POLYGON:usdc`."""
    return [
        f"{chain}:{token.asset.currency}"
        for chain in user["wallets"].get("INDIVIDUAL", {})
        for token in tokens_on(Chain(chain))
    ]


def _back(user_id: str, said: str) -> Page:
    return go(f"{page_path(user_id)}/wallets", said=said)
