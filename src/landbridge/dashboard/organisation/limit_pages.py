"""Payment limits: single rules, the whole document, and a test of rules against history.

Each change carries the version that the form showed, so concurrent changes are never overwritten.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Page, Renderer, redirect
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.payments.limits.document import parse, validated
from landbridge.payments.limits.service import Limits
from landbridge.payments.limits.simulation import DAYS_MAX
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import check_admin
from landbridge.platform.http.internal_client import InternalClient
from landbridge.platform.http.responses import encode

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
        interface: NamedDependency[InternalClient],
        limits: NamedDependency[Limits],
    ) -> Response[str]:
        """Show the current rules and the remaining limits; the form has the rule of the address."""
        check_admin(request.user.caller)
        values = await _values(interface, limits, Form())
        changed = request.query_params.get("rule")
        rule = next((each for each in values["rules"] if each["id"] == changed), None)
        return renderer.page(request, _PAGE, **(values if rule is None else values | _filled(rule)))

    @post("/", fresh=_HOME)
    async def set_document(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
        limits: NamedDependency[Limits],
        clock: NamedDependency[Clock],
    ) -> Page:
        """Apply the document, or only simulate it against past payments."""
        check_admin(request.user.caller)
        form = Form()
        try:
            form = await read_form(request)
            raw = form.text("document").encode()
            if form.text("do") == "simulate":
                body = {
                    "limits": await asyncio.to_thread(parse, raw),
                    "days": form.integer("days", minimum=1, maximum=DAYS_MAX),
                }
                simulation = await interface.post(f"{_LIMITS}/simulate", body)
                values = await _values(interface, limits, form)
                return renderer.page(request, _PAGE, **{**values, "simulation": simulation})
            await _apply_rules(request, limits, clock, raw, form)
        except Refused as problem:
            if isinstance(problem, FieldInvalid) and problem.field != "days":
                problem.field = "document"
            values = await _values(interface, limits, form)
            return renderer.with_problem(request, _PAGE, problem, **values)
        return redirect(_HOME, notice=_("Rules applied"))

    @post("/rules", fresh=_HOME)
    async def add_rule(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
        limits: NamedDependency[Limits],
        clock: NamedDependency[Clock],
    ) -> Page:
        """Add a rule, change one, or test it with the others against past payments."""
        check_admin(request.user.caller)
        form = Form()
        try:
            form = await read_form(request)
            document = (await interface.get(_LIMITS))["limits"]
            document["rules"] = _with_rule(document["rules"], _rule(form), form.text("replaces"))
            if form.text("do") == "simulate":
                body = {
                    "limits": document,
                    "days": form.integer("ruleDays", minimum=1, maximum=DAYS_MAX),
                }
                tested = await interface.post(f"{_LIMITS}/simulate", body)
                values = await _values(interface, limits, form)
                return renderer.page(request, _PAGE, **{**values, "tested": tested})
            await _apply_rules(request, limits, clock, encode(document), form)
        except Refused as problem:
            # The API names the rule by its place in the document: `rules[3].window`.
            problem.field = (problem.field or "").rpartition("].")[2] or None
            values = await _values(interface, limits, form)
            return renderer.with_problem(request, _PAGE, problem, **values)
        notice = _("Rule changed") if form.text("replaces") else _("Rule added")
        return redirect(_HOME, notice=notice)

    @post("/rules/remove", fresh=_HOME)
    async def remove_rule(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
        limits: NamedDependency[Limits],
        clock: NamedDependency[Clock],
    ) -> Page:
        """Remove a rule."""
        check_admin(request.user.caller)
        form = Form()
        try:
            form = await read_form(request)
            document = (await interface.get(_LIMITS))["limits"]
            document["rules"] = [
                each for each in document["rules"] if each["id"] != form.text("rule")
            ]
            await _apply_rules(request, limits, clock, encode(document), form)
        except Refused as problem:
            values = await _values(interface, limits, Form())
            return renderer.with_problem(request, _PAGE, problem, **values)
        return redirect(_HOME, notice=_("Rule removed"))


async def _apply_rules(
    request: PageRequest, limits: Limits, clock: Clock, raw: bytes, form: Form
) -> None:
    caller = request.user.caller
    # Lists with ten thousand addresses take a while to parse.
    rules = await asyncio.to_thread(lambda: validated(parse(raw), limits.kinds))
    await limits.set_rules_for(
        caller,
        rules,
        instead_of=form.integer("version", minimum=0, maximum=_NUMBER_MAX),
        at=clock.stamp(caller.clock_offset),
    )


def _with_rule(
    rules: Sequence[Mapping[str, Any]], rule: Mapping[str, Any], replaces: str
) -> Sequence[Mapping[str, Any]]:
    """Return the rules with this one added, or in the place of the one that it replaces.

    What the form has no field for, such as rails, stays.
    """
    if replaces not in {each["id"] for each in rules}:
        return [*rules, rule]
    own = {*_RULE, "kinds"}
    return [
        {**{name: value for name, value in each.items() if name not in own}, **rule}
        if each["id"] == replaces
        else each
        for each in rules
    ]


def _filled(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the form that changes a rule."""
    return {
        "form_values": {name: rule.get(name) or "" for name in _RULE},
        "form_kinds": rule.get("kinds") or [],
        "replaces": rule["id"],
    }


def _rule(form: Form) -> Mapping[str, Any]:
    rule: dict[str, Any] = {name: form.text(name) for name in _RULE if form.text(name)}
    if "maxUsd" in rule:
        rule["maxUsd"] = form.number("maxUsd")
    if "maxCount" in rule:
        rule["maxCount"] = form.integer("maxCount", minimum=0, maximum=_NUMBER_MAX)
    kinds = form.texts("kinds")
    return {**rule, "kinds": kinds} if kinds else rule


async def _values(interface: InternalClient, limits: Limits, form: Form) -> dict[str, Any]:
    """Return the current rules, and the submitted form values, if any."""
    found = await interface.get(_LIMITS)
    rules: Sequence[Any] = found["limits"]["rules"]
    text = msgspec.json.format(encode(found["limits"]), indent=2).decode()
    return {
        "found": found,
        "rules": rules,
        "remaining": {each["rule"]: each for each in found["left"]},
        "document": form.text("document") or text,
        # A submitted form keeps the version that it showed; a conflict then reports the current
        # one.
        "version": form.text("version") or found["version"],
        "kinds": sorted(limits.kinds),
        "kind_names": KIND_NAMES,
        "form_values": {name: form.text(name) for name in _RULE},
        "form_kinds": form.texts("kinds"),
        "days": form.text("days") or "30",
        "simulation": None,
        "tested": None,
        "replaces": form.text("replaces"),
        "rule_days": form.text("ruleDays") or "30",
    }
