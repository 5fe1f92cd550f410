"""Reports that are made again and again: schedules, what came of them, and the files."""

from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from landbridge.core.errors import Refused
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface

_SCHEDULES = "/v2/reporting/schedules"
_HERE = "/dashboard/reports/schedules"
_MEMBERS = ("name", "metricId", "every", "at", "timeZone", "format")


class SchedulePages(Controller):
    """`/dashboard/reports/schedules`, and the files of runs."""

    path = "/reports"

    @get("/schedules")
    async def index(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """All schedules, and the form of another one."""
        told = await _listed(request, interface, Form())
        return renderer.page(request, "reports/schedules.html", **told)

    @post("/schedules")
    async def create(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Make one."""
        form = await read_form(request)
        try:
            made = await interface.post(_SCHEDULES, {each: form.text(each) for each in _MEMBERS})
        except Refused as problem:
            told = await _listed(request, interface, form)
            return renderer.again(request, "reports/schedules.html", problem, **told)
        return go(f"{_HERE}/{made['data']['id']}", said=_("The schedule was made."))

    @get("/schedules/{scheduleId:str}")
    async def show(
        self,
        request: PageRequest,
        scheduleId: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """One, with what came of it."""
        schedule = (await interface.get(f"{_SCHEDULES}/{scheduleId}"))["data"]
        runs = (await interface.get(f"{_SCHEDULES}/{scheduleId}/runs"))["data"]
        return renderer.page(request, "reports/schedule.html", schedule=schedule, runs=runs)

    @post("/schedules/{scheduleId:str}/delete")
    async def delete(
        self, scheduleId: FromPath[str], interface: NamedDependency[Interface]
    ) -> Page:
        """End it."""
        await interface.delete(f"{_SCHEDULES}/{scheduleId}")
        return go(_HERE, said=_("The schedule was ended."))

    @get("/runs/{runId:str}/file")
    async def file(self, runId: FromPath[str], interface: NamedDependency[Interface]) -> ASGIApp:
        """The file that was made."""
        return interface.passing(f"/v2/reporting/runs/{runId}/download")


async def _listed(request: PageRequest, interface: Interface, form: Form) -> dict[str, Any]:
    saved = (await interface.get("/v2/reporting/metrics"))["data"]
    return {
        "schedules": (await interface.get(_SCHEDULES))["data"],
        "saved": saved,
        "choices": [(each["id"], each["name"]) for each in saved],
        "zones": [(name, name) for name in dict.fromkeys(["UTC", request.user.zone.key])],
        "form": form,
    }
