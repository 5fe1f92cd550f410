"""Settlement rules: how deposits of virtual accounts are divided."""

from collections.abc import Mapping
from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.forms import new_request_id, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import PAGE_SIZE, asked
from landbridge.dashboard.users.nesting import typed
from landbridge.dashboard.users.rule_forms import (
    part_count,
    pressed,
    rule_body,
    rule_fields,
    tier_count,
)
from landbridge.dashboard.visitors import PageRequest, check_is_admin
from landbridge.dashboard.words import later as _
from landbridge.virtual_accounts.rule_reading import PARTS_MAX, TIERS_MAX
from landbridge.web.inside import Interface

_PATH, _HOME = "/v2/virtual-accounts/settlement-rules", "/dashboard/settlement-rules"
_NEW, _ONE = "users/rule_new.html", "users/rule.html"


class SettlementRulePages(Controller):
    """`/dashboard/settlement-rules`."""

    path = "/settlement-rules"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Newest first."""
        query = asked(request, "chain")
        found: dict[str, Any] = {"rules": [], "nextCursor": None}
        wrong = ""
        try:
            found = await interface.get(
                _PATH, **query.filters, cursor=query.cursor, limit=PAGE_SIZE
            )
        except FieldInvalid as error:
            wrong = error.message
        is_full = len(found["rules"]) == PAGE_SIZE
        return renderer.page(
            request,
            "users/rules.html",
            rules=found["rules"],
            older=query.older(found["nextCursor"] if is_full else None),
            newest=query.newest,
            chain=query.text("chain"),
            chains=[each.value for each in Chain],
            wrong=wrong,
        )

    @get("/new")
    async def new(self, request: PageRequest, renderer: NamedDependency[Renderer]) -> Response[str]:
        """An empty form."""
        check_is_admin(request.user)
        return renderer.page(request, _NEW, **_form({"requestId": new_request_id()}))

    @post("/new")
    async def create(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Make it; it does nothing until it is applied to a virtual account."""
        check_is_admin(request.user)
        told = typed(form := await read_form(request))
        if pressed(told, form.text("do")):
            return renderer.page(request, _NEW, **_form(told))
        try:
            made = await interface.post(_PATH, rule_body(told))
        except Refused as problem:
            return renderer.again(request, _NEW, problem, **_form(told))
        return go(f"{_HOME}/{made['id']}", said=_("The settlement rule was created."))

    @get("/{rule_id:str}")
    async def show(
        self,
        request: PageRequest,
        rule_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """What it says, to be changed by those who may."""
        rule = await interface.get(f"{_PATH}/{rule_id}")
        told = rule_fields(rule) | {"requestId": new_request_id()}
        return renderer.page(request, _ONE, rule=rule, **_form(told))

    @post("/{rule_id:str}")
    async def update(
        self,
        request: PageRequest,
        rule_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Replace all that it says, for what arrives from now on."""
        check_is_admin(request.user)
        told = typed(form := await read_form(request))
        rule = await interface.get(f"{_PATH}/{rule_id}")
        if pressed(told, form.text("do")):
            return renderer.page(request, _ONE, rule=rule, **_form(told))
        try:
            await interface.post(f"{_PATH}/{rule_id}/update", rule_body(told))
        except Refused as problem:
            return renderer.again(request, _ONE, problem, rule=rule, **_form(told))
        return go(f"{_HOME}/{rule_id}", said=_("The settlement rule was changed."))

    @post("/{rule_id:str}/delete")
    async def delete(
        self,
        request: PageRequest,
        rule_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Refused while it is applied somewhere."""
        rule = await interface.get(f"{_PATH}/{rule_id}")
        try:
            await interface.delete(f"{_PATH}/{rule_id}")
        except Refused as problem:
            told = rule_fields(rule) | {"requestId": new_request_id()}
            return renderer.again(request, _ONE, problem, rule=rule, **_form(told))
        return go(_HOME, said=_("The settlement rule was deleted."))


def _form(told: Mapping[str, str]) -> dict[str, Any]:
    parts = part_count(told)
    return {
        "typed": told,
        "chains": [(each.value, each.value) for each in Chain],
        # How many tiers each part shows.
        "tier_counts": [tier_count(told, place) for place in range(parts)],
        "parts_max": PARTS_MAX,
        "tiers_max": TIERS_MAX,
    }
