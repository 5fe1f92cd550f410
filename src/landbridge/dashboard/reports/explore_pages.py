"""Pages of reports: the list, a report as a chart, its downloads; and of saved reports."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from landbridge.dashboard.charts import sparkline
from landbridge.dashboard.json_text import JsonObject, as_texts
from landbridge.dashboard.named_users import names_of_users, split_users, user_ids_of
from landbridge.dashboard.page_request import Page, PageRequest, read_form, redirect
from landbridge.dashboard.rendering import headers
from landbridge.dashboard.reports.calculation import TEMPLATES, calculate_report, read_template
from landbridge.dashboard.reports.comparison import ReportComparison, ReportReader
from landbridge.dashboard.reports.names import NAMES
from landbridge.dashboard.reports.report_query import (
    Params,
    filters,
    intervals_of,
    last_day,
    params_of,
    period_presets,
    query_of,
    reference_of,
    used_reference,
)
from landbridge.dashboard.reports.results import ReportView
from landbridge.dashboard.reports.template_form import definition_summary
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient
from landbridge.reporting.metrics.custom.definition import VERSIONS_MAX
from landbridge.reporting.metrics.measure_labels import MEASURES
from landbridge.reporting.metrics.saved_schemas import MetricEnvelope, MetricList, MetricReply
from landbridge.reporting.metrics.template_api import TemplateList
from landbridge.reporting.metrics.template_schemas import TemplateReply

_USERS = "userIds"
_METRICS = "/v2/reporting/metrics"


class ExplorePages(Controller):
    """`/dashboard/reports`: templates and saved metrics; `explore` shows one report."""

    path = "/reports"

    @get("/")
    async def index(
        self, request: PageRequest, reader: NamedDependency[ReportReader]
    ) -> Response[str]:
        """List the templates and the saved reports."""
        templates = (await request.interface.read(TemplateList, TEMPLATES)).data
        saved = (await request.interface.read(MetricList, _METRICS)).data
        now, zone = request.now(), request.user.zone
        return request.page(
            "reports/index.html",
            saved_tiles=await saved_tiles(reader, saved),
            template_tiles=await template_tiles(reader, templates, now, zone),
            templates=templates,
            titles={each.name: each.display_name for each in templates},
            saved=saved,
            names=NAMES,
        )

    @get("/explore")
    async def explore(
        self, request: PageRequest, reader: NamedDependency[ReportReader]
    ) -> Response[str]:
        """Show a report with its form, chart and table; the address has all parameters."""
        template, params = await requested_report(request)
        language = request.user.language
        try:
            params = await with_user_ids(request.interface, params)
            report = await calculate_report(
                request.interface, template, params, request.query_params.get("measure", "")
            )
        except Refused as problem:
            if problem.field == "createdBefore":
                problem.field = "until"
            return request.with_problem(
                "reports/explore.html",
                problem,
                **report_values(template, params, None, language=language),
                **await shown_users(request.interface, params),
            )
        values = report_values(
            template,
            params,
            report,
            language=language,
            comparison=await reader.compare(template, params, report),
        )
        today = request.now().astimezone(request.user.zone).date()
        presets = period_presets(reference_of(template), params, today, report.measure)
        users = await shown_users(request.interface, params)
        return request.page("reports/explore.html", presets=presets, **values, **users)

    @get("/download")
    async def download(self, request: PageRequest) -> ASGIApp:
        """Download a report, or the transactions behind it."""
        template, params = await requested_report(request)
        params = await with_user_ids(request.interface, params)
        return request.interface.passing(
            f"{_METRICS}/preview/download",
            body={"template": reference_of(template), "params": params},
            around=headers(),
            format=request.query_params.get("format"),
            content=request.query_params.get("content"),
        )

    @post("/save")
    async def save(self, request: PageRequest) -> Page:
        """Save the current report under a name."""
        form = await read_form(request)
        template = await read_template(request.interface, form.text("template"))
        now = request.now()
        params = params_of(template.params, form.fields, now, request.user.zone)
        body = {"template": reference_of(template), "name": form.text("name"), "params": params}
        try:
            created = await request.interface.submit(MetricEnvelope, _METRICS, body)
        except Refused as problem:
            return request.with_problem(
                "reports/explore.html",
                problem,
                **report_values(
                    template, params, None, name=form.text("name"), language=request.user.language
                ),
                **await shown_users(request.interface, params),
            )
        return redirect(f"/dashboard/reports/saved/{created.data.id}", notice=_("Report saved"))


async def requested_report(request: PageRequest) -> tuple[TemplateReply, JsonObject]:
    """Return the template and the parameters of the address."""
    query = request.query_params
    name = query.get("template") or "GROSS_VOLUME"
    template = await read_template(request.interface, name)
    fields = {each: query.getall(each) for each in query}
    return template, params_of(template.params, fields, request.now(), request.user.zone)


async def with_user_ids(interface: InternalClient, params: Params) -> JsonObject:
    """Return the parameters with the ids of users in place of names and e-mails.

    Raises `FieldInvalid` for a text that is not one user's.
    """
    if _USERS not in params:
        return dict(params)
    return {**params, _USERS: await user_ids_of(interface, as_texts(params[_USERS]), field=_USERS)}


async def shown_users(interface: InternalClient, params: Params) -> dict[str, object]:
    """Return the values of the form's filter by user: chosen ones, names, and any other text."""
    ids, text = split_users(as_texts(params.get(_USERS)))
    users = await names_of_users(interface, ids)
    return {"user_ids": ids, "users": users, "user_text": text}


def report_values(
    template: TemplateReply,
    params: Params,
    report: ReportView | None,
    *,
    language: str,
    name: str = "",
    comparison: ReportComparison | None = None,
) -> dict[str, object]:
    """Return the values that the template of a report page uses."""
    definition = template.definition or None
    return {
        "template": template,
        "params": params,
        "filters": filters(template),
        "breakdowns": template.breakdown_options,
        "until": last_day(params),
        "report": report,
        "comparison": comparison,
        "measures": MEASURES,
        "names": NAMES,
        "intervals": intervals_of(template.params),
        "reference": reference_of(template),
        "here": query_of(reference_of(template), params),
        "words": None if definition is None else definition_summary(definition, language),
        "name": name,
    }


# Reports with numbers on one page; later ones are linked alone.
TILES_MAX: Final = 12


@dataclass(frozen=True, slots=True)
class ReportTile:
    """Numbers of a report; without data it has no `points`, and `comparison` may be None."""

    measure_label: str
    unit: str
    comparison: ReportComparison | None
    points: str


async def saved_tiles(
    reader: ReportReader, saved: Sequence[MetricReply]
) -> Mapping[UUID, ReportTile]:
    """Return the tiles of saved reports by their ids; a report that is refused has none."""

    async def load(metric: MetricReply) -> ReportTile | None:
        template = await read_template(reader.interface, used_reference(metric))
        return await _tile(reader, template, metric.params)

    first = saved[:TILES_MAX]
    found = await asyncio.gather(*(load(each) for each in first))
    return {each.id: tile for each, tile in zip(first, found, strict=True) if tile is not None}


async def template_tiles(
    reader: ReportReader, templates: Sequence[TemplateReply], now: datetime, zone: ZoneInfo
) -> Mapping[str, ReportTile]:
    """Return the tiles of templates by their names, over their default period."""
    first = templates[:TILES_MAX]
    found = await asyncio.gather(
        *(_tile(reader, each, params_of(each.params, {}, now, zone)) for each in first)
    )
    return {each.name: tile for each, tile in zip(first, found, strict=True) if tile is not None}


async def _tile(reader: ReportReader, template: TemplateReply, params: Params) -> ReportTile | None:
    try:
        report = await calculate_report(reader.interface, template, params, "")
    except Refused:
        return None
    return ReportTile(
        report.measure_label,
        report.unit,
        await reader.compare(template, params, report),
        "" if report.chart.is_empty else sparkline(report.chart),
    )


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
