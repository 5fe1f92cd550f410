"""Schedules of reports and their runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.reporting.exports.model import ExportFormat

# Kinds in the change log: those of runs send events, those of schedules do not.
KIND = "REPORT"
SCHEDULE_KIND = "REPORT.SCHEDULE"

NAME_LENGTH_MAX = 100
SCHEDULES_MAX = 100
RECIPIENTS_MAX = 10
# Most missed reports that are made after an outage.
MISSED_MAX = 31
# Most bytes of a schedule's parameters, because one response lists all schedules.
PARAMS_BYTES_MAX = 100_000
CONTENT_BYTES_MAX = 5_000_000
# Most bytes of an organisation's files; the oldest files are removed first.
KEPT_BYTES_MAX = 200_000_000
KEPT = timedelta(days=90)


class ScheduleInterval(StrEnum):
    """Length of a period; weeks begin on Mondays."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class SchedulePlan:
    """Plan of reports: each is due after its period, at local time `at` in `zone` (IANA name)."""

    cadence: ScheduleInterval
    at: time
    zone: str


@dataclass(frozen=True, slots=True)
class ReportDefinition:
    """Content of a report: a saved metric, or a template with parameters."""

    metric_id: UUID | None
    template: str | None
    params: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSchedule:
    """Recurring report.

    `period` is the first day of the next period to report, `next_at` when it is due, and `attempts`
    the number of failed attempts for it. `recipient_ids` are members who get an e-mail about each
    run; those who were removed since get none.
    """

    org_id: UUID
    id: UUID
    name: str
    definition: ReportDefinition
    plan: SchedulePlan
    format: ExportFormat
    recipient_ids: tuple[UUID, ...]
    created_at: datetime
    period: date
    next_at: datetime
    attempts: int


@dataclass(frozen=True, slots=True)
class ReportFile:
    """Downloadable report, and lines with its figures for e-mails."""

    name: str
    content: bytes
    summary: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportFailure:
    """Reason why there is no report, as a sentence for users."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRun:
    """Run of a schedule for one period: a file, or the reason why there is none.

    The period runs from one day to before another (`until`), in the zone. `is_kept` is False if the
    run has no file or the file was removed to make room for newer ones.
    """

    org_id: UUID
    id: UUID
    schedule_id: UUID
    name: str
    period: date
    until: date
    zone: str
    format: ExportFormat
    due_at: datetime
    created_at: datetime
    failed_reason: str | None
    file_name: str | None
    bytes: int | None
    is_kept: bool
