"""Organisation settings, for admins. Each change is recorded with its author."""

from zoneinfo import available_timezones

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.dashboard.organisation.installation import Installation
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.payments.approvals.model import THRESHOLD_MAX, ApprovalPolicy
from landbridge.payments.approvals.service import Approvals
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import check_admin
from landbridge.platform.orgs.service import Orgs
from landbridge.reporting.rollups.api import TimeZone, TimeZoneReply

_HOME = "/dashboard/settings"
_GENERAL, _APPROVALS = "organisation/general.html", "organisation/approval_policy.html"
_ZONE, _ZONE_PATH = "organisation/time_zone.html", "/v2/reporting/time-zone"


class SettingsPages(Controller):
    """`/dashboard/settings`."""

    path = "/settings"

    @get("/")
    async def general(self, request: PageRequest, orgs: NamedDependency[Orgs]) -> Response[str]:
        """Show the name and whether the organisation is frozen."""
        check_admin(request.user.caller)
        org = await orgs.get(request.user.caller.org_id)
        return request.page(_GENERAL, org=org, name=org.name, reason="")

    @post("/")
    async def rename(self, request: PageRequest, orgs: NamedDependency[Orgs]) -> Page:
        """Rename the organisation."""
        caller = request.user.caller
        check_admin(caller)
        form = Form()
        try:
            form = await read_form(request)
            await orgs.rename_for(caller, form.text("name"))
        except Refused as problem:
            return await _refused(request, orgs, problem, name=form.text("name"))
        return redirect(_HOME, notice=_("Organisation renamed"))

    @post("/freeze")
    async def freeze(self, request: PageRequest, orgs: NamedDependency[Orgs]) -> Page:
        """Freeze the organisation: all payments stop."""
        caller = request.user.caller
        check_admin(caller)
        form = Form()
        try:
            form = await read_form(request)
            await orgs.freeze_for(caller, reason=form.maybe("reason"))
        except Refused as problem:
            reason = form.text("reason")
            return await _refused(request, orgs, problem, reason=reason)
        return redirect(_HOME, notice=_("Organisation frozen"))

    @post("/unfreeze", fresh=_HOME)
    async def unfreeze(self, request: PageRequest, orgs: NamedDependency[Orgs]) -> Page:
        """Unfreeze the organisation: payments resume, unless the operator froze it."""
        caller = request.user.caller
        check_admin(caller)
        try:
            await orgs.unfreeze_for(caller)
        except Refused as problem:
            return await _refused(request, orgs, problem)
        return redirect(_HOME, notice=_("Organisation unfrozen"))

    @get("/approvals")
    async def policy(
        self, request: PageRequest, approvals: NamedDependency[Approvals]
    ) -> Response[str]:
        """Show how many votes approve a payment."""
        check_admin(request.user.caller)
        current = await approvals.policy(request.user.caller.org_id)
        return request.page(_APPROVALS, **_policy(current.threshold, current.needs_second))

    @post("/approvals", fresh=f"{_HOME}/approvals")
    async def set_policy(
        self,
        request: PageRequest,
        approvals: NamedDependency[Approvals],
        clock: NamedDependency[Clock],
    ) -> Page:
        """Set the policy for future approval requests."""
        caller = request.user.caller
        check_admin(caller)
        form = Form()
        try:
            form = await read_form(request)
            new_policy = ApprovalPolicy(
                threshold=form.integer("threshold", minimum=1, maximum=THRESHOLD_MAX),
                needs_second=form.is_ticked("needsSecond"),
            )
            await approvals.set_policy_for(caller, new_policy, at=clock.stamp(caller.clock_offset))
        except Refused as problem:
            values = _policy(form.text("threshold"), form.is_ticked("needsSecond"))
            return request.with_problem(_APPROVALS, problem, **values)
        return redirect(f"{_HOME}/approvals", notice=_("Approval policy saved"))

    @get("/time-zone")
    async def time_zone(self, request: PageRequest) -> Response[str]:
        """Show the time zone of report days."""
        check_admin(request.user.caller)
        current = (await request.interface.read(TimeZoneReply, _ZONE_PATH)).data
        chosen = current.next_time_zone or current.time_zone
        return request.page(_ZONE, **_zones(current, chosen))

    @post("/time-zone")
    async def set_time_zone(self, request: PageRequest) -> Page:
        """Start rebuilding reports for another time zone."""
        check_admin(request.user.caller)
        form = Form()
        try:
            form = await read_form(request)
            await request.interface.put(_ZONE_PATH, {"timeZone": form.text("timeZone")})
        except Refused as problem:
            current = (await request.interface.read(TimeZoneReply, _ZONE_PATH)).data
            return request.with_problem(_ZONE, problem, **_zones(current, form.text("timeZone")))
        return redirect(
            f"{_HOME}/time-zone", notice=_("Time zone change started. Reports are being rebuilt.")
        )

    @get("/installation")
    async def show_installation(
        self, request: PageRequest, installation: NamedDependency[Installation]
    ) -> Response[str]:
        """Show the settings of the whole installation."""
        check_admin(request.user.caller)
        return request.page("organisation/installation.html", lines=installation.others)


async def _refused(
    request: PageRequest, orgs: Orgs, problem: Refused, *, name: str | None = None, reason: str = ""
) -> Page:
    """Show the general settings again, with the refusal and the submitted values."""
    org = await orgs.get(request.user.caller.org_id)
    values = {"org": org, "name": org.name if name is None else name, "reason": reason}
    return request.with_problem(_GENERAL, problem, **values)


def _policy(threshold: int | str, needs_second: bool) -> dict[str, object]:  # noqa: FBT001  a field
    return {"threshold": threshold, "needs_second": needs_second, "threshold_max": THRESHOLD_MAX}


def _zones(current: TimeZone, chosen: str) -> dict[str, object]:
    names = ["UTC", *sorted(each for each in available_timezones() if _is_city_zone(each))]
    return {"found": current, "chosen": chosen, "zones": [(each, each) for each in names]}


def _is_city_zone(name: str) -> bool:
    return "/" in name and not name.startswith(("Etc/", "SystemV/", "posix/", "right/"))
