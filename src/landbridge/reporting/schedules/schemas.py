"""Schedules and runs on the wire."""

from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar.params import BodyKwarg

from landbridge.platform.formats.schemas import line
from landbridge.platform.http.constraints import ZONE_NAME, with_schema
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of
from landbridge.reporting.exports.model import ExportFormat
from landbridge.reporting.metrics.custom.definition import VERSIONS_MAX
from landbridge.reporting.metrics.custom.model import split_reference
from landbridge.reporting.metrics.templates import TEMPLATES
from landbridge.reporting.schedules.model import (
    KEPT,
    NAME_LENGTH_MAX,
    RECIPIENTS_MAX,
    ReportRun,
    ReportSchedule,
    ScheduleInterval,
)

_OK = "success"
# Name of a template of Landbridge or of the organisation; `NAME@2` is version 2.
_Template = Annotated[
    str, BodyKwarg(description=f"One of {', '.join(TEMPLATES)}, or the organisation's own.")
]

# The length is limited, too, because a pattern's `$` also matches before a final line break.
_Time = Annotated[
    str, msgspec.Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", max_length=len("23:59"))
]

_Recipients = Annotated[
    list[UUID],
    msgspec.Meta(max_length=RECIPIENTS_MAX),
    BodyKwarg(description="Members of the organisation who get an e-mail about each run."),
]


class ScheduleChange(WireStruct, frozen=True):
    """Version of an organisation's own template that a schedule moves to, or its recipients.

    Members that are left out stay as they are; one of both is required.
    """

    template_version: Annotated[int, msgspec.Meta(ge=1, le=VERSIONS_MAX)] | None = None
    recipient_ids: _Recipients | None = None


class NewSchedule(WireStruct, frozen=True):
    """Schedule to create: of a saved metric (`metricId`), or of `template` and `params`.

    `at` is a time of day after each period, in `timeZone`. The dates and the zone of `params` are
    ignored.
    """

    name: Annotated[
        str, with_schema(line(NAME_LENGTH_MAX), min_length=1, max_length=NAME_LENGTH_MAX)
    ]
    every: ScheduleInterval
    metric_id: UUID | None = None
    template: _Template | None = None
    params: dict[str, Any] | None = None
    at: _Time = "00:00"
    time_zone: Annotated[str, with_schema(ZONE_NAME)] = "UTC"
    format: ExportFormat = ExportFormat.CSV
    recipient_ids: _Recipients | None = None


class ScheduleShape(WireStruct, frozen=True):
    """Schedule; the next report covers the period from `nextPeriodStart`, at `nextRunAt`.

    `recipientIds` may name members who were removed since: they get no e-mail.
    """

    id: UUID
    name: str
    metric_id: UUID | None
    template: str | None
    params: dict[str, Any] | None
    every: str
    at: str
    time_zone: str
    format: str
    next_period_start: str
    next_run_at: Moment
    created_at: Moment
    recipient_ids: list[UUID]
    template_version: int | msgspec.UnsetType = msgspec.UNSET


class RunShape(WireStruct, frozen=True):
    """Run of a schedule for one period: `READY` with a file, `FAILED` with a `reason`.

    The period runs from the day `periodStart` to before `periodEnd`, in `timeZone`. `dueAt` is when
    the report was due, `createdAt` when it was made, `expiresAt` when it is deleted. The file is
    downloaded with the API key; without `downloadUrl` there is no file, or it was removed to make
    room for newer ones.
    """

    id: UUID
    schedule_id: UUID
    name: str
    status: str
    reason: str | None
    period_start: str
    period_end: str
    time_zone: str
    format: str
    file_name: str | None
    bytes: int | None
    due_at: Moment
    created_at: Moment
    expires_at: Moment
    download_url: str | None


class ScheduleReply(WireStruct, frozen=True):
    """One schedule."""

    status: str
    data: ScheduleShape
    metadata: dict[str, Any]


class ScheduleList(WireStruct, frozen=True):
    """`metadata.count` is the number of schedules."""

    status: str
    data: list[ScheduleShape]
    metadata: dict[str, int]


class RunReply(WireStruct, frozen=True):
    """One run."""

    status: str
    data: RunShape
    metadata: dict[str, Any]


class RunList(WireStruct, frozen=True):
    """`metadata.count` is the number of runs."""

    status: str
    data: list[RunShape]
    metadata: dict[str, int]


def schedule_reply(each: ReportSchedule) -> ScheduleReply:
    """Return the response with one schedule."""
    return ScheduleReply(status=_OK, data=_schedule(each), metadata={})


def schedule_list(found: list[ReportSchedule]) -> ScheduleList:
    """Return the response with these schedules."""
    shapes = [_schedule(each) for each in found]
    return ScheduleList(status=_OK, data=shapes, metadata={"count": len(shapes)})


def run_reply(run: ReportRun, base_url: str) -> RunReply:
    """Return the response with one run."""
    return RunReply(status=_OK, data=run_shape(run, base_url), metadata={})


def run_list(found: list[ReportRun], base_url: str) -> RunList:
    """Return the response with these runs."""
    shapes = [run_shape(each, base_url) for each in found]
    return RunList(status=_OK, data=shapes, metadata={"count": len(shapes)})


def run_shape(run: ReportRun, base_url: str) -> RunShape:
    """Return the wire form of a run, for routes and events."""
    is_ready = run.failed_reason is None
    return reply_of(
        run,
        RunShape,
        status="READY" if is_ready else "FAILED",
        reason=run.failed_reason,
        period_start=run.period.isoformat(),
        period_end=run.until.isoformat(),
        time_zone=run.zone,
        format=run.format.value,
        expires_at=moment(run.created_at + KEPT),
        download_url=f"{base_url}/v2/reporting/runs/{run.id}/download" if run.is_kept else None,
    )


def _schedule(each: ReportSchedule) -> ScheduleShape:
    definition, plan = each.definition, each.plan
    name, version = split_reference(definition.template or "")
    return ScheduleShape(
        id=each.id,
        name=each.name,
        metric_id=definition.metric_id,
        template=name or None,
        params=None if definition.params is None else dict(definition.params),
        every=plan.cadence.value,
        at=plan.at.strftime("%H:%M"),
        time_zone=plan.zone,
        format=each.format.value,
        next_period_start=each.period.isoformat(),
        next_run_at=moment(each.next_at),
        created_at=moment(each.created_at),
        recipient_ids=list(each.recipient_ids),
        template_version=msgspec.UNSET if version is None else version,
    )
