"""Logged requests of an organisation, for its developers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """A request and its response; the bodies are redacted JSON texts.

    `occurred_at` is real time, not the organisation's: when the response began.
    """

    org_id: UUID
    id: UUID
    occurred_at: datetime
    # As in the response header; an id chosen by the caller may occur in several entries.
    x_request_id: str
    # The `requestId` of the body, if present.
    request_id: UUID | None
    method: str
    route: str
    path: str
    # The query parameters as JSON.
    query: str
    status: int
    duration: timedelta
    # None for a member who signed in.
    key_id: UUID | None
    # None if absent, not JSON, or beyond the limit per second.
    request_body: str | None
    response_body: str | None
    # How many requests right after this one were dropped.
    omitted_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLogFilters:
    """Filters of the log; None matches everything."""

    method: str | None = None
    # Both bounds are inclusive.
    statuses: tuple[int, int] | None = None
    # Prefix of the path.
    path: str | None = None
    x_request_id: str | None = None
    request_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class RequestLogPage:
    """Entries, newest first; `next` is the next cursor, None at the end."""

    lines: list[LoggedCall]
    next: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedRequest:
    """A captured request before redaction: never stored in this form."""

    org_id: UUID
    key_id: UUID | None
    occurred_at: datetime
    x_request_id: str
    method: str
    route: str
    path_params: Mapping[str, object]
    path: str
    query: bytes
    headers: list[tuple[bytes, bytes]]
    status: int
    duration: timedelta
    request_body: bytes | None
    response_body: bytes | None
