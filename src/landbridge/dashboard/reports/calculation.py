"""Calculation of a report over the API."""

from landbridge.dashboard.reports.names import NAMES
from landbridge.dashboard.reports.report_query import Params, reference_of
from landbridge.dashboard.reports.results import ReportView, report_of
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient
from landbridge.reporting.metrics.schemas import MetricResultReply
from landbridge.reporting.metrics.template_api import TemplateEnvelope
from landbridge.reporting.metrics.template_schemas import TemplateReply

TEMPLATES = "/v2/reporting/templates"
PREVIEW = "/v2/reporting/metrics/preview"


async def read_template(interface: InternalClient, name: str) -> TemplateReply:
    """Return a template by its name, or a version of it by `NAME@2`."""
    return (await interface.read(TemplateEnvelope, f"{TEMPLATES}/{name}")).data


async def calculate_report(
    interface: InternalClient, template: TemplateReply, params: Params, measure: str
) -> ReportView:
    """Calculate a template and return its chart and table."""
    body = {"template": reference_of(template), "params": params}
    reply = await interface.submit(MetricResultReply, PREVIEW, body)
    return report_of(
        template.name,
        reply,
        measure,
        others=_("All others"),
        all_=NAMES["titles"].get(template.name, template.display_name),
        definition=template.definition or None,
    )
