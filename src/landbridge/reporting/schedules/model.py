"""Schedules of reports, and the runs that come of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.reporting.exports.model import Format

# Kinds of changes: of runs, which are told by events, and of schedules, which are not.
KIND = "REPORT"
SCHEDULE_KIND = "REPORT.SCHEDULE"

NAME_LENGTH_MAX = 100
SCHEDULES_MAX = 100
# Of reports that were missed, so many of the last are made.
MISSED_MAX = 31
# A hundred of them are listed in one answer.
PARAMS_BYTES_MAX = 100_000
CONTENT_BYTES_MAX = 5_000_000
# All files of an organisation; the oldest go first.
KEPT_BYTES_MAX = 200_000_000
KEPT = timedelta(days=90)


class Every(StrEnum):
    """How long a period is; weeks begin on Mondays."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Plan:
    """When reports are made: `at` by the clocks of `zone` (IANA's name), after each period."""

    every: Every
    at: time
    zone: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What a report shows: a saved metric, or else a template and its parameters."""

    metric_id: UUID | None
    template: str | None
    params: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A report that is made again and again.

    `period` is the first day of the next period that it is made of, `next_at` when that is, and
    `tries` how often it could not be made since.
    """

    org_id: UUID
    id: UUID
    name: str
    asked: Asked
    plan: Plan
    format: Format
    created_at: datetime
    period: date
    next_at: datetime
    tries: int


@dataclass(frozen=True, slots=True)
class File:
    """A report as it is downloaded."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no report: a sentence for people."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of a schedule for one period: a file, or a reason why there is none.

    The period goes from one day to before another (`until`), by the zone. `is_kept` is False once
    the file is gone, since newer ones took its room, and where there never was one.
    """

    org_id: UUID
    id: UUID
    schedule_id: UUID
    name: str
    period: date
    until: date
    zone: str
    format: Format
    due_at: datetime
    created_at: datetime
    failed_reason: str | None
    file_name: str | None
    bytes: int | None
    is_kept: bool
