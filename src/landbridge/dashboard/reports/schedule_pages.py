"""Pages of schedules, their runs and the generated files."""

from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Page, Renderer, redirect
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_SCHEDULES = "/v2/reporting/schedules"
_PAGE_PATH = "/dashboard/reports/schedules"
_MEMBERS = ("name", "metricId", "every", "at", "timeZone", "format")


class SchedulePages(Controller):
    """`/dashboard/reports/schedules`, and the files of runs."""

    path = "/reports"

    @get("/schedules")
    async def index(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
    ) -> Response[str]:
        """List the schedules, with the form of a new one."""
        values = await _listed(request, interface, Form())
        return renderer.page(request, "reports/schedules.html", **values)

    @post("/schedules")
    async def create(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
    ) -> Page:
        """Create a schedule."""
        form = await read_form(request)
        try:
            created = await interface.post(_SCHEDULES, {each: form.text(each) for each in _MEMBERS})
        except Refused as problem:
            values = await _listed(request, interface, form)
            return renderer.with_problem(request, "reports/schedules.html", problem, **values)
        return redirect(f"{_PAGE_PATH}/{created['data']['id']}", notice=_("Schedule created"))

    @get("/schedules/{scheduleId:str}")
    async def show(
        self,
        request: PageRequest,
        scheduleId: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
    ) -> Response[str]:
        """Show a schedule and its runs."""
        schedule = (await interface.get(f"{_SCHEDULES}/{scheduleId}"))["data"]
        runs = (await interface.get(f"{_SCHEDULES}/{scheduleId}/runs"))["data"]
        return renderer.page(request, "reports/schedule.html", schedule=schedule, runs=runs)

    @post("/schedules/{scheduleId:str}/delete")
    async def delete(
        self, scheduleId: FromPath[str], interface: NamedDependency[InternalClient]
    ) -> Page:
        """Delete a schedule."""
        await interface.delete(f"{_SCHEDULES}/{scheduleId}")
        return redirect(_PAGE_PATH, notice=_("Schedule deleted"))

    @get("/runs/{runId:str}/file")
    async def file(
        self, runId: FromPath[str], interface: NamedDependency[InternalClient]
    ) -> ASGIApp:
        """Download a generated file."""
        return interface.passing(f"/v2/reporting/runs/{runId}/download")


async def _listed(request: PageRequest, interface: InternalClient, form: Form) -> dict[str, Any]:
    saved = (await interface.get("/v2/reporting/metrics"))["data"]
    return {
        "schedules": (await interface.get(_SCHEDULES))["data"],
        "saved": saved,
        "choices": [(each["id"], each["name"]) for each in saved],
        "zones": [(name, name) for name in dict.fromkeys(["UTC", request.user.zone.key])],
        "form": form,
    }
