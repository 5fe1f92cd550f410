"""Tiles of the page of reports: total, change and a small line of each."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.dashboard.charts import sparkline
from landbridge.dashboard.reports.calculation import calculate_report, read_template
from landbridge.dashboard.reports.comparison import ReportComparison, ReportReader
from landbridge.dashboard.reports.report_query import Params, params_of, used_reference
from landbridge.platform.core.errors import Refused
from landbridge.reporting.metrics.saved_schemas import MetricReply
from landbridge.reporting.metrics.template_schemas import TemplateReply

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
