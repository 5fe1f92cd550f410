"""Calculation of a report over the API."""

from landbridge.dashboard.json_text import as_object
from landbridge.dashboard.reports.names import NAMES
from landbridge.dashboard.reports.report_query import Params, Template, reference_of
from landbridge.dashboard.reports.results import ReportView, report_of
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient
from landbridge.reporting.metrics.schemas import MetricResultReply

_PREVIEW = "/v2/reporting/metrics/preview"


async def calculate_report(
    interface: InternalClient, template: Template, params: Params, measure: str
) -> ReportView:
    """Calculate a template and return its chart and table."""
    body = {"template": reference_of(template), "params": params}
    reply = await interface.submit(MetricResultReply, _PREVIEW, body)
    name, definition = str(template["name"]), template.get("definition")
    return report_of(
        name,
        reply,
        measure,
        others=_("All others"),
        all_=NAMES["titles"].get(name, str(template["displayName"])),
        definition=None if definition is None else as_object(definition),
    )
