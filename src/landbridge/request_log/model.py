"""A request of an organisation, as it is kept for the people who integrate."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Line:
    """A request and its answer; the bodies are JSON texts without anything personal.

    `at` is real time, not the organisation's: when the answer began.
    """

    org_id: UUID
    id: UUID
    at: datetime
    # As in the header of the answer; a caller's own may stand on several lines.
    x_request_id: str
    # The one in the body, if there was one.
    request_id: UUID | None
    method: str
    route: str
    path: str
    # What stood behind the question mark, in JSON.
    query: str
    status: int
    took: timedelta
    # None for a member who signed in.
    key_id: UUID | None
    # None where there was none, where it is no JSON, or where there were too many at once.
    request_body: str | None
    answer_body: str | None
    # How many requests came right after this one that were too many to keep.
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which lines are wanted; None is any."""

    method: str | None = None
    # From and to, both included.
    statuses: tuple[int, int] | None = None
    # What the path begins with.
    path: str | None = None
    x_request_id: str | None = None
    request_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Lines, newest first; `next` is where to go on, None at the end."""

    lines: list[Line]
    next: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What was heard of one request, before anything is taken out of it: never kept as it is."""

    org_id: UUID
    key_id: UUID | None
    at: datetime
    x_request_id: str
    method: str
    route: str
    path_params: Mapping[str, object]
    path: str
    query: bytes
    headers: list[tuple[bytes, bytes]]
    status: int
    took: timedelta
    request_body: bytes | None
    answer_body: bytes | None
