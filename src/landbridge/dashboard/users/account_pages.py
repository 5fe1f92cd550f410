"""Bank accounts of a user: where money goes out to, and comes in from."""

import asyncio
from collections.abc import Mapping
from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.accounts.types import BY_TYPE
from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.countries import countries
from landbridge.dashboard.forms import new_request_id, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import PAGE_SIZE, asked
from landbridge.dashboard.users.account_forms import HOLDER, account_body, account_form
from landbridge.dashboard.users.account_words import (
    HOLDER_WORDS,
    RAMP_WORDS,
    field_word,
    type_word,
)
from landbridge.dashboard.users.nesting import flat, typed
from landbridge.dashboard.users.whose import page_path, user_path, whose
from landbridge.dashboard.visitors import PageRequest, check_may_edit
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface

_FILTERS = ("rail", "type", "currency")


class AccountPages(Controller):
    """`/dashboard/users/{userId}/accounts`."""

    path = "/users/{user_id:str}/accounts"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Newest first, deleted ones too; numbers are masked."""
        values, query = await whose(interface, user_id), asked(request, *_FILTERS)
        found: dict[str, Any] = {"banks": [], "nextCursor": None}
        wrong = ""
        try:
            path = f"{user_path(user_id)}/accounts"
            found = await interface.get(path, **query.filters, cursor=query.cursor, limit=PAGE_SIZE)
        except FieldInvalid as error:
            wrong = error.message
        is_full = len(found["banks"]) == PAGE_SIZE
        return renderer.page(
            request,
            "users/accounts.html",
            **values,
            accounts=found["banks"],
            older=query.older(found["nextCursor"] if is_full else None),
            newest=query.newest,
            told=query,
            types=_types(),
            ramp_words=RAMP_WORDS,
            type_word=type_word,
            wrong=wrong,
        )

    @get("/new")
    async def new(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """What the chosen type asks; the holder is the user, until told otherwise."""
        check_may_edit(request.user)
        values = await whose(interface, user_id)
        told = dict(request.query_params)
        told.setdefault("holder", values["user"]["type"])
        known = await interface.get(f"{user_path(user_id)}/particulars")
        told |= flat(known["address"] or {}, f"{HOLDER}.address")
        told |= {f"{HOLDER}.name": values["user"]["name"], "requestId": new_request_id()}
        return renderer.page(request, "users/account_new.html", **values, **_form(request, told))

    @post("/new")
    async def create(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Add it; a number that contradicts itself makes one that is rejected, and says why."""
        told = typed(await read_form(request))
        path = f"{user_path(user_id)}/accounts"
        try:
            made = await interface.post(path, account_body(account_form(told), told))
        except Refused as problem:
            values = await whose(interface, user_id)
            return renderer.again(
                request, "users/account_new.html", problem, **values, **_form(request, told)
            )
        is_good = made["status"] == "ACTIVE"
        said = _("The account was added.") if is_good else _("The account was added, but look.")
        return go(f"{page_path(user_id)}/accounts/{made['id']}", said=said)

    @get("/{account_id:str}")
    async def show(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        account_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """One account, whole."""
        values = await _account(interface, user_id, account_id)
        return renderer.page(request, "users/account.html", **values)

    @post("/{account_id:str}/delete")
    async def delete(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        account_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Make it unusable for good."""
        try:
            await interface.delete(f"{user_path(user_id)}/accounts/{account_id}")
        except Refused as problem:
            values = await _account(interface, user_id, account_id)
            return renderer.again(request, "users/account.html", problem, **values)
        return go(f"{page_path(user_id)}/accounts", said=_("The account was deleted."))


async def _account(interface: Interface, user_id: str, account_id: str) -> dict[str, Any]:
    values, account = await asyncio.gather(
        whose(interface, user_id), interface.get(f"{user_path(user_id)}/accounts/{account_id}")
    )
    return values | {
        "account": account,
        "holder": _details(account.get(HOLDER)),
        "bank": _details(account.get(account["type"])),
        "type_word": type_word,
        "ramp_words": RAMP_WORDS,
    }


def _details(told: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Every detail by its name, in the order of the interface."""
    return [
        (field_word(name.rpartition(".")[2]), value) for name, value in flat(told or {}).items()
    ]


def _form(request: PageRequest, told: Mapping[str, str]) -> dict[str, Any]:
    return {
        "form": account_form(told),
        "typed": told,
        "kinds": [(f"{name}:{ramp}", type_word(name), ramp.value) for name, ramp in BY_TYPE],
        "ramp_words": RAMP_WORDS,
        "holder_words": HOLDER_WORDS,
        "field_word": field_word,
        "countries": countries(request.user.language),
    }


def _types() -> list[str]:
    return list(dict.fromkeys(name for name, _ramp in BY_TYPE))
