"""Reports: which there are, one of them as a chart, and its files."""

from collections.abc import Mapping, Sequence
from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.types import ASGIApp

from landbridge.core.errors import Refused
from landbridge.dashboard.forms import read_form
from landbridge.dashboard.pages import Page, Renderer, go, headers
from landbridge.dashboard.reports.asking import (
    INTERVALS,
    Template,
    filters,
    last_day,
    params_of,
    query_of,
)
from landbridge.dashboard.reports.names import NAMES
from landbridge.dashboard.reports.results import MEASURES, Report, report_of
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface

_TEMPLATES, _METRICS = "/v2/reporting/templates", "/v2/reporting/metrics"


class ExplorePages(Controller):
    """`/dashboard/reports`: templates and saved metrics; `explore` shows one."""

    path = "/reports"

    @get("/")
    async def index(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """What can be asked, and what was saved."""
        templates = (await interface.get(_TEMPLATES))["data"]
        saved = (await interface.get(_METRICS))["data"]
        return renderer.page(
            request,
            "reports/index.html",
            templates=templates,
            titles={each["name"]: each["displayName"] for each in templates},
            saved=saved,
            names=NAMES,
        )

    @get("/explore")
    async def explore(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """A report: its form, its chart, its numbers. Everything is in the address."""
        template, params = await asked(request, renderer, interface)
        try:
            report = await calculated(
                interface, template, params, request.query_params.get("measure", "")
            )
        except Refused as problem:
            if problem.field == "createdBefore":
                problem.field = "until"
            return renderer.again(
                request, "reports/explore.html", problem, **shown(template, params, None)
            )
        return renderer.page(request, "reports/explore.html", **shown(template, params, report))

    @get("/download")
    async def download(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> ASGIApp:
        """The file of a report, or of the transactions behind it."""
        template, params = await asked(request, renderer, interface)
        return interface.passing(
            f"{_METRICS}/preview/download",
            body={"template": template["name"], "params": params},
            around=headers(),
            format=request.query_params.get("format"),
            content=request.query_params.get("content"),
        )

    @post("/save")
    async def save(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Save the report that is shown under a name."""
        form = await read_form(request)
        template = (await interface.get(f"{_TEMPLATES}/{form.text('template')}"))["data"]
        now = renderer.now(request)
        params = params_of(template, form.fields, now, request.user.zone)
        body = {"template": template["name"], "name": form.text("name"), "params": params}
        try:
            made = await interface.post(_METRICS, body)
        except Refused as problem:
            return renderer.again(
                request,
                "reports/explore.html",
                problem,
                **shown(template, params, None, name=form.text("name")),
            )
        return go(f"/dashboard/reports/saved/{made['data']['id']}", said=_("The report was saved."))


async def asked(
    request: PageRequest, renderer: Renderer, interface: Interface
) -> tuple[Template, dict[str, Any]]:
    """The template and the parameters that the address has."""
    query = request.query_params
    name = query.get("template") or "GROSS_VOLUME"
    template = (await interface.get(f"{_TEMPLATES}/{name}"))["data"]
    told = {each: query.getall(each) for each in query}
    return template, params_of(template, told, renderer.now(request), request.user.zone)


async def calculated(
    interface: Interface, template: Template, params: Mapping[str, Any], measure: str
) -> Report:
    """What a template comes to."""
    answer = await interface.post(
        f"{_METRICS}/preview", {"template": template["name"], "params": params}
    )
    return report_of(
        template["name"], answer, measure, others=_("All others"), all_=template["displayName"]
    )


def shown(
    template: Template, params: Mapping[str, Any], report: Report | None, *, name: str = ""
) -> dict[str, Any]:
    """What the page of a report is told."""
    breakdowns: Sequence[str] = template["breakdownOptions"]
    return {
        "template": template,
        "params": params,
        "filters": filters(template),
        "breakdowns": breakdowns,
        "until": last_day(params),
        "report": report,
        "measures": MEASURES,
        "names": NAMES,
        "intervals": INTERVALS,
        "here": query_of(template["name"], params),
        "name": name,
    }
