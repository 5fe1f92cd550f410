"""One user at a glance, and what can be done to the user as a whole."""

import asyncio
from collections.abc import Mapping
from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.compliance.standing import RAIL_WORDS
from landbridge.dashboard.countries import countries
from landbridge.dashboard.forms import read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.users.account_words import type_word
from landbridge.dashboard.users.balances import balances_of
from landbridge.dashboard.users.nesting import flat, typed
from landbridge.dashboard.users.particulars import (
    OWNERS,
    OWNERS_SHOWN_MAX,
    changes,
    owner_count,
    particulars_body,
)
from landbridge.dashboard.users.whose import page_path, user_path, whose
from landbridge.dashboard.visitors import PageRequest, check_is_admin, check_may_edit
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface

_SHOWN = 5
_RAILS_MAX = 100


class UserPages(Controller):
    """`/dashboard/users/{userId}`."""

    path = "/users/{user_id:str}"

    @get("/")
    async def show(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Who it is, where verification stands, what the wallets hold, the last payments."""
        return renderer.page(request, "users/overview.html", **await _overview(interface, user_id))

    @post("/freeze")
    async def freeze(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Let the user move nothing from now on."""
        form = await read_form(request)
        try:
            await interface.post(f"{user_path(user_id)}/freeze", {"reason": form.maybe("reason")})
        except Refused as problem:
            values = await _overview(interface, user_id)
            return renderer.again(
                request, "users/overview.html", problem, **values | {"reason": form.text("reason")}
            )
        return go(page_path(user_id), said=_("The user is frozen."))

    @post("/unfreeze")
    async def unfreeze(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Let the user move money again."""
        try:
            await interface.post(f"{user_path(user_id)}/unfreeze")
        except Refused as problem:
            values = await _overview(interface, user_id)
            return renderer.again(request, "users/overview.html", problem, **values)
        return go(page_path(user_id), said=_("The user can move money again."))

    @get("/edit")
    async def edit_form(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """What is known, to be changed."""
        check_may_edit(request.user)
        values = await _editing(request, interface, user_id, None)
        return renderer.page(request, "users/edit.html", **values)

    @post("/edit")
    async def edit(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Change what was typed anew; what was left empty stays."""
        told = typed(form := await read_form(request))
        if form.text("do") == "owner":
            told["owners"] = str(min(owner_count(told) + 1, OWNERS_SHOWN_MAX))
            values = await _editing(request, interface, user_id, told)
            return renderer.page(request, "users/edit.html", **values)
        known = await interface.get(f"{user_path(user_id)}/particulars")
        body = changes(particulars_body(told, known["type"]), known)
        try:
            await interface.post(user_path(user_id), body)
        except Refused as problem:
            values = await _editing(request, interface, user_id, told)
            return renderer.again(request, "users/edit.html", problem, **values)
        return go(page_path(user_id), said=_("The changes were saved."))

    @get("/erase")
    async def erase_form(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """What erasing does, and what is in its way."""
        check_is_admin(request.user)
        return renderer.page(request, "users/erase.html", **await _erasing(interface, user_id))

    @post("/erase")
    async def erase(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """For good, once the user's e-mail was typed."""
        form = await read_form(request)
        values = await _erasing(interface, user_id)
        email = values["user"]["email"]
        try:
            if form.text("email").casefold() != email.casefold():
                raise FieldInvalid("This is not the e-mail address of the user.", field="email")
            await interface.delete(f"{user_path(user_id)}/personal-data")
        except Refused as problem:
            return renderer.again(
                request, "users/erase.html", problem, **values | {"email": form.text("email")}
            )
        return go(page_path(user_id), said=_("The personal data were erased."))


async def _overview(interface: Interface, user_id: str) -> dict[str, Any]:
    values = await whose(interface, user_id)
    path = user_path(user_id)
    particulars, rails, balances, accounts, virtual, payments = await asyncio.gather(
        interface.get(f"{path}/particulars"),
        interface.get("/v2/kyc/status", userId=user_id, limit=_RAILS_MAX),
        balances_of(interface, values["user"]),
        interface.get(f"{path}/accounts", limit=_SHOWN),
        interface.get(f"{path}/virtual-accounts", limit=_SHOWN),
        interface.get("/v2/transactions", userId=user_id, limit=_SHOWN),
    )
    return values | {
        "particulars": particulars,
        "rails": rails,
        "balances": [each for each in balances if each.total],
        "accounts": accounts["banks"],
        "virtual_accounts": virtual["data"],
        "payments": payments["data"],
        "reason": "",
        "type_word": type_word,
        "rail_words": RAIL_WORDS,
    }


async def _editing(
    request: PageRequest, interface: Interface, user_id: str, told: Mapping[str, str] | None
) -> dict[str, Any]:
    values = await whose(interface, user_id)
    known = await interface.get(f"{user_path(user_id)}/particulars")
    shown = flat(known) | {"owners": str(len(known[OWNERS]))} if told is None else told
    return values | {
        "typed": shown,
        "owners": owner_count(shown),
        "owners_max": OWNERS_SHOWN_MAX,
        "countries": countries(request.user.language),
        "particulars": known,
    }


async def _erasing(interface: Interface, user_id: str) -> dict[str, Any]:
    values = await whose(interface, user_id)
    balances, particulars = await asyncio.gather(
        balances_of(interface, values["user"]),
        interface.get(f"{user_path(user_id)}/particulars"),
    )
    return values | {
        "balances": [each for each in balances if each.total],
        "particulars": particulars,
        "email": "",
    }
