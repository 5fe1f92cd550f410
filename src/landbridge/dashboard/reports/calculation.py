"""Calculation of a report over the API."""

from collections.abc import Mapping
from typing import Any

from landbridge.dashboard.reports.names import NAMES
from landbridge.dashboard.reports.report_query import Template, reference_of
from landbridge.dashboard.reports.results import ReportView, report_of
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_PREVIEW = "/v2/reporting/metrics/preview"


async def calculate_report(
    interface: InternalClient, template: Template, params: Mapping[str, Any], measure: str
) -> ReportView:
    """Calculate a template and return its chart and table."""
    reply = await interface.post(_PREVIEW, {"template": reference_of(template), "params": params})
    return report_of(
        template["name"],
        reply,
        measure,
        others=_("All others"),
        all_=NAMES["titles"].get(template["name"], template["displayName"]),
        definition=template.get("definition"),
    )
