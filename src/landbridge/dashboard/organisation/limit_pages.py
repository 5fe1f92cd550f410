"""What users may pay: rules one by one, the whole document, and what other rules would have done.

Whoever sets rules says which version they saw: rules of somebody else are never overwritten unseen.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.core.clock import Clock
from landbridge.core.errors import Refused
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.limits.document import checked, parse
from landbridge.limits.rehearsing import DAYS_MAX
from landbridge.limits.service import Limits
from landbridge.web.caller import check_admin
from landbridge.web.inside import Interface
from landbridge.web.reply import encode

_HOME = "/dashboard/settings/limits"
_PAGE = "organisation/limits.html"
_LIMITS = "/v2/limits"
_NUMBER_MAX = 10**9 - 1
_RULE = ("id", "window", "per", "maxUsd", "maxCount", "over")


class LimitPages(Controller):
    """`/dashboard/settings/limits`."""

    path = "/settings/limits"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        limits: NamedDependency[Limits],
    ) -> Response[str]:
        """The rules that hold, and what they leave."""
        check_admin(request.user.caller)
        return renderer.page(request, _PAGE, **await _values(interface, limits, Form()))

    @post("/", fresh=_HOME)
    async def set_document(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        limits: NamedDependency[Limits],
        clock: NamedDependency[Clock],
    ) -> Page:
        """Let the document hold, or only say what it would have done."""
        check_admin(request.user.caller)
        form = Form()
        try:
            form = await read_form(request)
            raw = form.text("document").encode()
            if form.text("do") == "rehearse":
                body = {
                    "limits": await asyncio.to_thread(parse, raw),
                    "days": form.whole("days", least=1, most=DAYS_MAX),
                }
                played = await interface.post(f"{_LIMITS}/rehearse", body)
                values = await _values(interface, limits, form)
                return renderer.page(request, _PAGE, **{**values, "played": played})
            await _set(request, limits, clock, raw, form)
        except Refused as problem:
            values = await _values(interface, limits, form)
            return renderer.again(request, _PAGE, problem, **values)
        return go(_HOME, said=_("These rules hold now."))

    @post("/rules", fresh=_HOME)
    async def add_rule(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        limits: NamedDependency[Limits],
        clock: NamedDependency[Clock],
    ) -> Page:
        """One rule more."""
        check_admin(request.user.caller)
        form = Form()
        try:
            form = await read_form(request)
            document = (await interface.get(_LIMITS))["limits"]
            document["rules"].append(_rule(form))
            await _set(request, limits, clock, encode(document), form)
        except Refused as problem:
            values = await _values(interface, limits, form)
            return renderer.again(request, _PAGE, problem, **values)
        return go(_HOME, said=_("The rule holds now."))

    @post("/rules/remove", fresh=_HOME)
    async def remove_rule(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        limits: NamedDependency[Limits],
        clock: NamedDependency[Clock],
    ) -> Page:
        """One rule less."""
        check_admin(request.user.caller)
        form = Form()
        try:
            form = await read_form(request)
            document = (await interface.get(_LIMITS))["limits"]
            document["rules"] = [
                each for each in document["rules"] if each["id"] != form.text("rule")
            ]
            await _set(request, limits, clock, encode(document), form)
        except Refused as problem:
            values = await _values(interface, limits, Form())
            return renderer.again(request, _PAGE, problem, **values)
        return go(_HOME, said=_("The rule is gone."))


async def _set(request: PageRequest, limits: Limits, clock: Clock, raw: bytes, form: Form) -> None:
    caller = request.user.caller
    # Lists of ten thousand addresses take a while.
    rules = await asyncio.to_thread(lambda: checked(parse(raw), limits.kinds))
    await limits.set_rules_for(
        caller,
        rules,
        instead_of=form.whole("version", least=0, most=_NUMBER_MAX),
        at=clock.stamp(caller.clock_offset),
    )


def _rule(form: Form) -> Mapping[str, Any]:
    told: dict[str, Any] = {name: form.text(name) for name in _RULE if form.text(name)}
    if "maxCount" in told:
        told["maxCount"] = form.whole("maxCount", least=0, most=_NUMBER_MAX)
    kinds = form.texts("kinds")
    return {**told, "kinds": kinds} if kinds else told


async def _values(interface: Interface, limits: Limits, form: Form) -> dict[str, Any]:
    """The rules that hold, and what was typed instead, if anything was."""
    found = await interface.get(_LIMITS)
    shown: Sequence[Any] = found["limits"]["rules"]
    text = msgspec.json.format(encode(found["limits"]), indent=2).decode()
    return {
        "found": found,
        "rules": shown,
        "left": {each["rule"]: each for each in found["left"]},
        "document": form.text("document") or text,
        # Who typed something saw this version; a conflict shows the present one.
        "version": form.text("version") or found["version"],
        "kinds": sorted(limits.kinds),
        "kind_names": KIND_NAMES,
        "typed": {name: form.text(name) for name in _RULE},
        "typed_kinds": form.texts("kinds"),
        "days": form.text("days") or "30",
        "played": None,
    }
