"""Tiles of the page of reports: total, change and a small line of each."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from landbridge.dashboard.charts import sparkline
from landbridge.dashboard.json_text import JsonObject, as_object
from landbridge.dashboard.reports.calculation import calculate_report
from landbridge.dashboard.reports.comparison import ReportComparison, ReportReader
from landbridge.dashboard.reports.report_query import Params, Template, params_of
from landbridge.platform.core.errors import Refused

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
    reader: ReportReader, saved: Sequence[JsonObject]
) -> Mapping[str, ReportTile]:
    """Return the tiles of saved reports by their ids; a report that is refused has none."""

    async def load(metric: JsonObject) -> ReportTile | None:
        version = metric.get("templateVersion")
        name = metric["template"] if version is None else f"{metric['template']}@{version}"
        template = (await reader.interface.get(f"/v2/reporting/templates/{name}"))["data"]
        return await _tile(reader, template, as_object(metric["params"]))

    first = saved[:TILES_MAX]
    found = await asyncio.gather(*(load(each) for each in first))
    return {
        str(each["id"]): tile for each, tile in zip(first, found, strict=True) if tile is not None
    }


async def template_tiles(
    reader: ReportReader, templates: Sequence[Template], now: datetime, zone: ZoneInfo
) -> Mapping[str, ReportTile]:
    """Return the tiles of templates by their names, over their default period."""
    first = templates[:TILES_MAX]
    found = await asyncio.gather(
        *(_tile(reader, each, params_of(each, {}, now, zone)) for each in first)
    )
    return {
        str(each["name"]): tile for each, tile in zip(first, found, strict=True) if tile is not None
    }


async def _tile(reader: ReportReader, template: Template, params: Params) -> ReportTile | None:
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
