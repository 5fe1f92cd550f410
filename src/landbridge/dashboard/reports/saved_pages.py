"""Saved reports: shown, renamed, deleted, downloaded."""

from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from landbridge.core.errors import Refused
from landbridge.dashboard.forms import read_form
from landbridge.dashboard.pages import Page, Renderer, go, headers
from landbridge.dashboard.reports.explore_pages import calculated, shown
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface

_METRICS = "/v2/reporting/metrics"


class SavedReportPages(Controller):
    """`/dashboard/reports/saved/{metricId}`."""

    path = "/reports/saved/{metricId:str}"

    @get("/")
    async def show(
        self,
        request: PageRequest,
        metricId: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """The report as it is now; one that can't be calculated any more says why."""
        return await self._page(request, metricId, renderer, interface)

    @post("/")
    async def rename(
        self,
        request: PageRequest,
        metricId: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Call it something else."""
        name = (await read_form(request)).text("name")
        try:
            await interface.post(f"{_METRICS}/{metricId}", {"name": name})
        except Refused as problem:
            return await self._page(
                request, metricId, renderer, interface, problem=problem, name=name
            )
        return go(f"/dashboard/reports/saved/{metricId}", said=_("The report was renamed."))

    @post("/delete")
    async def delete(self, metricId: FromPath[str], interface: NamedDependency[Interface]) -> Page:
        """Delete it for good."""
        await interface.delete(f"{_METRICS}/{metricId}")
        return go("/dashboard/reports", said=_("The report was deleted."))

    @get("/download")
    async def download(
        self,
        request: PageRequest,
        metricId: FromPath[str],
        interface: NamedDependency[Interface],
    ) -> ASGIApp:
        """Its file, or that of the transactions behind it."""
        query = request.query_params
        return interface.passing(
            f"{_METRICS}/{metricId}/download",
            around=headers(),
            format=query.get("format"),
            content=query.get("content"),
        )

    async def _page(
        self,
        request: PageRequest,
        metric_id: str,
        renderer: Renderer,
        interface: Interface,
        *,
        problem: Refused | None = None,
        name: str = "",
    ) -> Response[str]:
        saved = (await interface.get(f"{_METRICS}/{metric_id}"))["data"]
        template = (await interface.get(f"/v2/reporting/templates/{saved['template']}"))["data"]
        report = None
        try:
            measure = request.query_params.get("measure", "")
            report = await calculated(interface, template, saved["params"], measure)
        except Refused as error:
            problem = problem or error
        told: dict[str, Any] = {
            **shown(template, saved["params"], report),
            "saved": saved,
            "name": name,
        }
        if problem is not None:
            return renderer.again(request, "reports/saved.html", problem, **told)
        return renderer.page(request, "reports/saved.html", **told)
