"""Virtual accounts of a user: bank details whose deposits become coins."""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.forms import new_request_id, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import PAGE_SIZE, asked
from landbridge.dashboard.sandbox_money import simulate_deposit
from landbridge.dashboard.users.nesting import typed
from landbridge.dashboard.users.whose import page_path, user_path, whose
from landbridge.dashboard.visitors import PageRequest, check_may_edit
from landbridge.dashboard.words import later as _
from landbridge.virtual_accounts.destinations import DESTINATION_CURRENCIES
from landbridge.web.inside import Interface

_ONE = "users/virtual_account.html"
_MANY_MAX = 100


class VirtualAccountPages(Controller):
    """`/dashboard/users/{userId}/virtual-accounts`."""

    path = "/users/{user_id:str}/virtual-accounts"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Newest first, deactivated ones too."""
        values, query = await whose(interface, user_id), asked(request)
        found = await interface.get(_path(user_id), cursor=query.cursor, limit=PAGE_SIZE)
        is_full = len(found["data"]) == PAGE_SIZE
        return renderer.page(
            request,
            "users/virtual_accounts.html",
            **values,
            accounts=found["data"],
            older=query.older(found["nextCursor"] if is_full else None),
            newest=query.newest,
        )

    @get("/new")
    async def new(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Which coin, and where it is delivered."""
        check_may_edit(request.user)
        values = await _route(interface, user_id, {}, account=None)
        return renderer.page(request, "users/virtual_account_form.html", **values)

    @post("/new")
    async def create(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Open it."""
        told = typed(await read_form(request))
        try:
            made = await interface.post(_path(user_id), _body(told))
        except Refused as problem:
            values = await _route(interface, user_id, told, account=None)
            return renderer.again(request, "users/virtual_account_form.html", problem, **values)
        return _back(user_id, made["accountInfo"]["id"], _("The virtual account was opened."))

    @get("/{account_id:str}")
    async def show(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        account_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Where to send money, what becomes of it, and cents that checked it."""
        values = await _one(request, interface, user_id, account_id)
        return renderer.page(request, _ONE, **values)

    @get("/{account_id:str}/edit")
    async def edit_form(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        account_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Where it delivers, to be changed."""
        check_may_edit(request.user)
        account = await interface.get(f"{_path(user_id)}/{account_id}")
        to = account["destination"]
        target = (
            f"external:{to['externalWalletId']}"
            if to["externalWalletId"]
            else f"chain:{to['chain']}"
        )
        told = {"destinationCurrency": to["currency"], "deliverTo": target}
        values = await _route(interface, user_id, told, account=account)
        return renderer.page(request, "users/virtual_account_form.html", **values)

    @post("/{account_id:str}/edit")
    async def edit(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        account_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Deliver what arrives from now on elsewhere."""
        told = typed(await read_form(request))
        path = f"{_path(user_id)}/{account_id}"
        try:
            await interface.post(f"{path}/update", _body(told))
        except Refused as problem:
            values = await _route(interface, user_id, told, account=await interface.get(path))
            return renderer.again(request, "users/virtual_account_form.html", problem, **values)
        return _back(user_id, account_id, _("The virtual account was changed."))

    @post("/{account_id:str}/{verb:str}")
    async def act(
        self,
        request: PageRequest,
        *,
        user_id: FromPath[str],
        account_id: FromPath[str],
        verb: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """One of the verbs of its page."""
        told = typed(await read_form(request))
        try:
            work, said = _verb(interface, user_id, account_id, verb, told)
            await work
        except Refused as problem:
            values = await _one(request, interface, user_id, account_id)
            # What was typed keeps its request id; other forms of the page get a new one.
            shown = {"typed": values["typed"] | told}
            return renderer.again(request, _ONE, problem, **values | shown)
        return _back(user_id, account_id, said)


def _verb(
    interface: Interface, user_id: str, account_id: str, verb: str, told: Mapping[str, str]
) -> tuple[Awaitable[Any], str]:
    path = f"{_path(user_id)}/{account_id}"
    match verb:
        case "deactivate" | "reactivate":
            said = {
                "deactivate": _("The virtual account takes no more deposits."),
                "reactivate": _("The virtual account takes deposits again."),
            }
            return interface.post(f"{path}/{verb}"), said[verb]
        case "apply-rule":
            if not told.get("ruleId"):
                raise FieldInvalid("Choose a settlement rule.", field="ruleId")
            work = interface.post(f"{path}/settlement-rules/{told['ruleId']}")
            return work, _("The settlement rule is applied.")
        case "remove-rule":
            work = interface.delete(f"{path}/settlement-rules")
            return work, _("The settlement rule was removed.")
        case "simulate-deposit":
            work = simulate_deposit(interface, user_id, account_id, told)
            return work, _("The deposit was sent. An onramp appears once it has arrived.")
        case _:
            raise FieldInvalid("There is nothing like this to do with a virtual account.")


async def _one(
    request: PageRequest, interface: Interface, user_id: str, account_id: str
) -> dict[str, Any]:
    before = request.query_params.get("before") or None
    path = f"{_path(user_id)}/{account_id}"
    values, account = await asyncio.gather(
        whose(interface, user_id), interface.get(path, createdBefore=before, limit=PAGE_SIZE)
    )
    rules = await interface.get(
        "/v2/virtual-accounts/settlement-rules",
        chain=account["destination"]["chain"],
        limit=_MANY_MAX,
    )
    micro = account.get("microDeposits", {}).get("data", [])
    here = f"{page_path(user_id)}/virtual-accounts/{account_id}"
    return values | {
        "account": account,
        "rules": rules["rules"],
        "micro_deposits": micro,
        "older": f"{here}?before={micro[-1]['id']}" if len(micro) == PAGE_SIZE else None,
        "newest": here if before else None,
        "typed": {"requestId": new_request_id()},
        "here": here,
    }


async def _route(
    interface: Interface,
    user_id: str,
    told: Mapping[str, str],
    *,
    account: Mapping[str, Any] | None,
) -> dict[str, Any]:
    values, externals = await asyncio.gather(
        whose(interface, user_id),
        interface.get(f"{user_path(user_id)}/wallets/external", limit=_MANY_MAX),
    )
    return values | {
        "typed": told,
        "account": account,
        "currencies": DESTINATION_CURRENCIES,
        "chains": list(values["user"]["wallets"].get("INDIVIDUAL", {})),
        "externals": [each for each in externals["externalWallets"] if each["active"]],
    }


def _body(told: Mapping[str, str]) -> dict[str, Any]:
    kind, _sep, target = told.get("deliverTo", "").partition(":")
    member = "externalWalletId" if kind == "external" else "destinationChain"
    return {
        "sourceCurrency": "usd",
        "destinationCurrency": told.get("destinationCurrency") or None,
        member: target or None,
    }


def _path(user_id: str) -> str:
    return f"{user_path(user_id)}/virtual-accounts"


def _back(user_id: str, account_id: str, said: str) -> Page:
    return go(f"{page_path(user_id)}/virtual-accounts/{account_id}", said=said)
