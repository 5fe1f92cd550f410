"""How the organisation is set up: for admins. Each change is told with who made it."""

from typing import Any
from zoneinfo import available_timezones

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.approvals.model import THRESHOLD_MAX, Policy
from landbridge.approvals.service import Approvals
from landbridge.core.clock import Clock
from landbridge.core.errors import Refused
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.organisation.installation import Installation
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.orgs.service import Orgs
from landbridge.web.caller import check_admin
from landbridge.web.inside import Interface

_HOME = "/dashboard/settings"
_GENERAL, _APPROVALS = "organisation/general.html", "organisation/approval_policy.html"
_ZONE, _ZONE_PATH = "organisation/time_zone.html", "/v2/reporting/time-zone"


class SettingsPages(Controller):
    """`/dashboard/settings`."""

    path = "/settings"

    @get("/")
    async def general(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        orgs: NamedDependency[Orgs],
    ) -> Response[str]:
        """Name, and whether anything moves."""
        check_admin(request.user.caller)
        org = await orgs.get(request.user.caller.org_id)
        return renderer.page(request, _GENERAL, org=org, name=org.name, reason="")

    @post("/")
    async def rename(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        orgs: NamedDependency[Orgs],
    ) -> Page:
        """Give the organisation another name."""
        caller = request.user.caller
        check_admin(caller)
        form = Form()
        try:
            form = await read_form(request)
            await orgs.rename_for(caller, form.text("name"))
        except Refused as problem:
            org = await orgs.get(caller.org_id)
            values = {"org": org, "name": form.text("name"), "reason": ""}
            return renderer.again(request, _GENERAL, problem, **values)
        return go(_HOME, said=_("The name was changed."))

    @post("/freeze")
    async def freeze(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        orgs: NamedDependency[Orgs],
    ) -> Page:
        """Let nothing move."""
        caller = request.user.caller
        check_admin(caller)
        form = Form()
        try:
            form = await read_form(request)
            await orgs.freeze_for(caller, reason=form.maybe("reason"))
        except Refused as problem:
            org = await orgs.get(caller.org_id)
            values = {"org": org, "name": org.name, "reason": form.text("reason")}
            return renderer.again(request, _GENERAL, problem, **values)
        return go(_HOME, said=_("The organisation is frozen."))

    @post("/unfreeze")
    async def unfreeze(self, request: PageRequest, orgs: NamedDependency[Orgs]) -> Page:
        """Let money move again."""
        await orgs.unfreeze_for(request.user.caller)
        return go(_HOME, said=_("Money moves again."))

    @get("/approvals")
    async def policy(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        approvals: NamedDependency[Approvals],
    ) -> Response[str]:
        """How many votes approve."""
        check_admin(request.user.caller)
        found = await approvals.policy(request.user.caller.org_id)
        return renderer.page(request, _APPROVALS, **_policy(found.threshold, found.needs_second))

    @post("/approvals", fresh=f"{_HOME}/approvals")
    async def set_policy(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        approvals: NamedDependency[Approvals],
        clock: NamedDependency[Clock],
    ) -> Page:
        """For approvals that are asked for from now on."""
        caller = request.user.caller
        check_admin(caller)
        form = Form()
        try:
            form = await read_form(request)
            wanted = Policy(
                threshold=form.whole("threshold", least=1, most=THRESHOLD_MAX),
                needs_second=form.is_ticked("needsSecond"),
            )
            await approvals.set_policy_for(caller, wanted, at=clock.stamp(caller.clock_offset))
        except Refused as problem:
            values = _policy(form.text("threshold"), form.is_ticked("needsSecond"))
            return renderer.again(request, _APPROVALS, problem, **values)
        return go(f"{_HOME}/approvals", said=_("This is asked of approvals from now on."))

    @get("/time-zone")
    async def time_zone(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """In which zone reports have days."""
        check_admin(request.user.caller)
        found = (await interface.get(_ZONE_PATH))["data"]
        chosen = found["nextTimeZone"] or found["timeZone"]
        return renderer.page(request, _ZONE, **_zones(found, chosen))

    @post("/time-zone")
    async def set_time_zone(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Have days of another zone made."""
        check_admin(request.user.caller)
        form = Form()
        try:
            form = await read_form(request)
            await interface.put(_ZONE_PATH, {"timeZone": form.text("timeZone")})
        except Refused as problem:
            found = (await interface.get(_ZONE_PATH))["data"]
            values = _zones(found, form.text("timeZone"))
            return renderer.again(request, _ZONE, problem, **values)
        return go(f"{_HOME}/time-zone", said=_("Days of this zone are being made."))

    @get("/installation")
    async def installed(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        installation: NamedDependency[Installation],
    ) -> Response[str]:
        """What is set for the whole installation."""
        check_admin(request.user.caller)
        return renderer.page(request, "organisation/installation.html", lines=installation.others)


def _policy(threshold: int | str, needs_second: bool) -> dict[str, Any]:  # noqa: FBT001  a field
    return {"threshold": threshold, "needs_second": needs_second, "most": THRESHOLD_MAX}


def _zones(found: Any, chosen: str) -> dict[str, Any]:
    names = ["UTC", *sorted(each for each in available_timezones() if _is_place(each))]
    return {"found": found, "chosen": chosen, "zones": [(each, each) for each in names]}


def _is_place(name: str) -> bool:
    return "/" in name and not name.startswith(("Etc/", "SystemV/", "posix/", "right/"))
