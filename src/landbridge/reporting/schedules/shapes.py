"""Schedules and runs on the wire."""

from typing import Annotated, Any
from uuid import UUID

import msgspec

from landbridge.reporting.exports.model import Format
from landbridge.reporting.schedules.model import KEPT, NAME_LENGTH_MAX, Every, Run, Schedule
from landbridge.web.reply import Moment, WireStruct, moment

_OK = "success"

# The length is said, too: to a pattern a line break at the end is none of the text.
_Time = Annotated[
    str, msgspec.Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", max_length=len("23:59"))
]


class NewSchedule(WireStruct, frozen=True):
    """A schedule to be made: of a saved metric (`metricId`), or of `template` and `params`.

    `at` is a time of the day after each period, by the clocks of `timeZone`. The dates and the zone
    of `params` are not needed, and passed over.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_LENGTH_MAX)]
    every: Every
    metric_id: UUID | None = None
    template: str | None = None
    params: dict[str, Any] | None = None
    at: _Time = "00:00"
    time_zone: str = "UTC"
    format: Format = Format.CSV


class ScheduleShape(WireStruct, frozen=True):
    """A schedule; the next report is of the period from `nextPeriodStart` on, at `nextRunAt`."""

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


class RunShape(WireStruct, frozen=True):
    """What came of a schedule for one period: `READY` with a file, `FAILED` with a `reason`.

    The period goes from the day `periodStart` to before `periodEnd`, in `timeZone`. `dueAt` is when
    the report was due, `createdAt` when it was made, `expiresAt` when it goes. The file is
    downloaded with the API key; without `downloadUrl` there is none, or newer ones took its room.
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


def schedule_reply(each: Schedule) -> ScheduleReply:
    """The answer about one schedule."""
    return ScheduleReply(status=_OK, data=_schedule(each), metadata={})


def schedule_list(found: list[Schedule]) -> ScheduleList:
    """The answer about these schedules."""
    shapes = [_schedule(each) for each in found]
    return ScheduleList(status=_OK, data=shapes, metadata={"count": len(shapes)})


def run_reply(run: Run, base_url: str) -> RunReply:
    """The answer about one run."""
    return RunReply(status=_OK, data=run_shape(run, base_url), metadata={})


def run_list(found: list[Run], base_url: str) -> RunList:
    """The answer about these runs."""
    shapes = [run_shape(each, base_url) for each in found]
    return RunList(status=_OK, data=shapes, metadata={"count": len(shapes)})


def run_shape(run: Run, base_url: str) -> RunShape:
    """A run, as routes and events show it."""
    is_ready = run.failed_reason is None
    return RunShape(
        id=run.id,
        schedule_id=run.schedule_id,
        name=run.name,
        status="READY" if is_ready else "FAILED",
        reason=run.failed_reason,
        period_start=run.period.isoformat(),
        period_end=run.until.isoformat(),
        time_zone=run.zone,
        format=run.format.value,
        file_name=run.file_name,
        bytes=run.bytes,
        due_at=moment(run.due_at),
        created_at=moment(run.created_at),
        expires_at=moment(run.created_at + KEPT),
        download_url=f"{base_url}/v2/reporting/runs/{run.id}/download" if run.is_kept else None,
    )


def _schedule(each: Schedule) -> ScheduleShape:
    asked, plan = each.asked, each.plan
    return ScheduleShape(
        id=each.id,
        name=each.name,
        metric_id=asked.metric_id,
        template=asked.template,
        params=None if asked.params is None else dict(asked.params),
        every=plan.every.value,
        at=plan.at.strftime("%H:%M"),
        time_zone=plan.zone,
        format=each.format.value,
        next_period_start=each.period.isoformat(),
        next_run_at=moment(each.next_at),
        created_at=moment(each.created_at),
    )
