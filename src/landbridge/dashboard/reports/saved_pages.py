"""Pages of saved reports: show, rename, move to another version, delete, download."""

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from landbridge.dashboard.forms import read_form
from landbridge.dashboard.page_request import Page, PageRequest, redirect
from landbridge.dashboard.rendering import headers
from landbridge.dashboard.reports.calculation import calculate_report, read_template
from landbridge.dashboard.reports.comparison import ReportReader
from landbridge.dashboard.reports.explore_pages import report_values
from landbridge.dashboard.reports.report_query import used_reference
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.reporting.metrics.custom.definition import VERSIONS_MAX
from landbridge.reporting.metrics.saved_schemas import MetricEnvelope

_METRICS = "/v2/reporting/metrics"


class SavedReportPages(Controller):
    """`/dashboard/reports/saved/{metricId}`."""

    path = "/reports/saved/{metricId:str}"

    @get("/")
    async def show(
        self, request: PageRequest, metricId: FromPath[str], reader: NamedDependency[ReportReader]
    ) -> Response[str]:
        """Show the report as of now, or why it can no longer be calculated."""
        return await self._page(request, metricId, reader)

    @post("/")
    async def rename(
        self, request: PageRequest, metricId: FromPath[str], reader: NamedDependency[ReportReader]
    ) -> Page:
        """Rename the report."""
        name = (await read_form(request)).text("name")
        try:
            await reader.interface.post(f"{_METRICS}/{metricId}", {"name": name})
        except Refused as problem:
            return await self._page(request, metricId, reader, problem=problem, name=name)
        return redirect(f"/dashboard/reports/saved/{metricId}", notice=_("Report renamed"))

    @post("/move")
    async def move(
        self, request: PageRequest, metricId: FromPath[str], reader: NamedDependency[ReportReader]
    ) -> Page:
        """Move the report to another version of its template."""
        form = await read_form(request)
        version = form.integer("version", minimum=1, maximum=VERSIONS_MAX)
        try:
            await reader.interface.post(f"{_METRICS}/{metricId}", {"templateVersion": version})
        except Refused as problem:
            return await self._page(request, metricId, reader, problem=problem)
        return redirect(f"/dashboard/reports/saved/{metricId}", notice=_("Report moved"))

    @post("/delete")
    async def delete(self, request: PageRequest, metricId: FromPath[str]) -> Page:
        """Delete the report permanently."""
        await request.interface.delete(f"{_METRICS}/{metricId}")
        return redirect("/dashboard/reports", notice=_("Report deleted"))

    @get("/download")
    async def download(self, request: PageRequest, metricId: FromPath[str]) -> ASGIApp:
        """Download the report, or the transactions behind it."""
        query = request.query_params
        return request.interface.passing(
            f"{_METRICS}/{metricId}/download",
            around=headers(),
            format=query.get("format"),
            content=query.get("content"),
        )

    async def _page(
        self,
        request: PageRequest,
        metric_id: str,
        reader: ReportReader,
        *,
        problem: Refused | None = None,
        name: str = "",
    ) -> Response[str]:
        interface = reader.interface
        saved = (await interface.read(MetricEnvelope, f"{_METRICS}/{metric_id}")).data
        template = await read_template(interface, used_reference(saved))
        newest = await read_template(interface, saved.template) if template.version else template
        report, comparison = None, None
        try:
            measure = request.query_params.get("measure", "")
            report = await calculate_report(interface, template, saved.params, measure)
            comparison = await reader.compare(template, saved.params, report)
        except Refused as error:
            problem = problem or error
        values: dict[str, object] = {
            **report_values(
                template,
                saved.params,
                report,
                language=request.user.language,
                comparison=comparison,
            ),
            "newest_version": newest.version,
            "saved": saved,
            "name": name,
        }
        if problem is not None:
            return request.with_problem("reports/saved.html", problem, **values)
        return request.page("reports/saved.html", **values)
