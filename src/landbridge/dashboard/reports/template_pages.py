"""Pages of the organisation's templates: a definition in words, the reports that use it, delete."""

from litestar import Controller, Response, get, post
from litestar.params import FromPath
from msgspec import to_builtins

from landbridge.dashboard.page_request import Page, PageRequest, redirect
from landbridge.dashboard.reports.builder_pages import definition_text, own_template
from landbridge.dashboard.reports.names import FILTER_LABELS
from landbridge.dashboard.reports.report_query import filters
from landbridge.dashboard.reports.template_names import definition_summary
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _
from landbridge.reporting.metrics.saved_schemas import MetricList


class TemplatePages(Controller):
    """`/dashboard/reports/templates/{name}`."""

    path = "/reports/templates/{name:str}"

    @get("/")
    async def show(self, request: PageRequest, name: FromPath[str]) -> Response[str]:
        """Show the newest version of a template, or that of `NAME@2`."""
        return await _page(request, name)

    @post("/delete")
    async def delete(self, request: PageRequest, name: FromPath[str]) -> Page:
        """Delete all versions of a template; one in use is refused with what uses it."""
        try:
            await request.interface.delete(f"/v2/reporting/templates/{name}")
        except Refused as problem:
            return await _page(request, name, problem=problem)
        return redirect("/dashboard/reports", notice=_("Template deleted"))


async def _page(
    request: PageRequest, name: str, *, problem: Refused | None = None
) -> Response[str]:
    template, definition = await own_template(request.interface, name)
    saved = (await request.interface.read(MetricList, "/v2/reporting/metrics")).data
    gettext = catalogue(request.user.language).gettext
    values: dict[str, object] = {
        "template": template,
        "words": definition_summary(definition, request.user.language),
        "definition_text": definition_text(to_builtins(definition)),
        "filter_names": ", ".join(
            gettext(FILTER_LABELS.get(each.name, each.name)) for each in filters(template)
        ),
        "uses": [each for each in saved if each.template == template.name],
    }
    if problem is not None:
        return request.with_problem("reports/template.html", problem, **values)
    return request.page("reports/template.html", **values)
