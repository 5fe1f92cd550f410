"""Routes of the log of requests: /v2/request-log."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from landbridge.developers.request_log.model import LoggedCall, RequestLogFilters
from landbridge.developers.request_log.service import UNKNOWN, RequestLog
from landbridge.platform.core.errors import FieldInvalid, ResourceNotFound
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import IDENTIFIER, one_of, pattern_schema, query, text
from landbridge.platform.http.list_query import optional_id, parse_choice
from landbridge.platform.http.responses import Moment, Number, WireStruct, moment

_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_STATUS = re.compile(r"([1-5])(?:[0-9]{2}|xx)")
_PATH_LENGTH_MAX = 200
_X_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

_Method = Annotated[
    str | None, query("method", one_of(_METHODS), description="Only this method, as in POST.")
]
_Status = Annotated[
    str | None,
    query(
        "status",
        pattern_schema(f"^({_STATUS.pattern})$"),
        description="Only this status, as in 409, or a class, as 4xx.",
    ),
]
_Path = Annotated[
    str | None,
    query(
        "path",
        text(_PATH_LENGTH_MAX),
        description="Only paths that begin like this, as in /v2/users.",
    ),
]
_XRequestId = Annotated[
    str | None,
    QueryParameter(name="xRequestId", description="Only answers with this X-Request-Id."),
]
_RequestId = Annotated[
    str | None,
    query("requestId", IDENTIFIER, description="Only requests with this id in their body."),
]


class LoggedRequest(WireStruct, frozen=True):
    """A request and its response; possibly personal values are `[redacted]`.

    `at` is real time, when the response began. `leftOutAfter` is how many requests right after it
    were not logged because there were too many.
    """

    x_request_id: str
    request_id: UUID | None
    at: Moment
    method: str
    route: str
    path: str
    query: dict[str, Any]
    status: int
    milliseconds: Number
    key_id: UUID | None
    left_out_after: int


class LoggedBodies(LoggedRequest, frozen=True):
    """A logged request with both bodies.

    A body is null if it was absent, not JSON or longer than 16 KB, and beyond twenty requests a
    second.
    """

    request_body: Any
    answer_body: Any


class LoggedPage(WireStruct, frozen=True):
    """A page, newest first; send `nextCursor` back as `createdBefore` or as `cursor`."""

    count: int
    requests: list[LoggedRequest]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class RequestLogRoutes(Controller):
    """Routes of the organisation's request log."""

    path = "/v2/request-log"
    tags = ("Service",)

    @get(summary="List requests", operation_id="requestLog.list")
    async def page(  # noqa: PLR0917  as many as there are filters
        self,
        request: ApiRequest,
        request_log: NamedDependency[RequestLog],
        window: NamedDependency[PageWindow],
        method: _Method = None,
        status: _Status = None,
        path: _Path = None,
        x_request_id: _XRequestId = None,
        request_id: _RequestId = None,
    ) -> LoggedPage:
        """Newest first, kept for a week; the last second may still be missing."""
        filters = RequestLogFilters(
            method=None if method is None else parse_choice("method", method, _METHODS),
            statuses=_statuses(status),
            path=_begin(path),
            x_request_id=x_request_id,
            request_id=optional_id("requestId", request_id),
        )
        found = await request_log.page(request.user.org_id, filters, window)
        return LoggedPage(
            count=len(found.lines),
            requests=[LoggedRequest(**_shape(line)) for line in found.lines],
            next_cursor=msgspec.UNSET if found.next is None else moment(found.next),
        )

    @get("/{xRequestId:str}", summary="Retrieve a request", operation_id="requestLog.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        xRequestId: FromPath[str],
        request_log: NamedDependency[RequestLog],
    ) -> LoggedBodies:
        """The newest request that was answered with this X-Request-Id, with both bodies."""
        if not _X_REQUEST_ID.fullmatch(xRequestId):
            raise ResourceNotFound(UNKNOWN)
        line = await request_log.get(request.user.org_id, xRequestId)
        return LoggedBodies(
            **_shape(line),
            request_body=_json(line.request_body),
            answer_body=_json(line.response_body),
        )


def _statuses(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    if not _STATUS.fullmatch(text):
        raise FieldInvalid("status must be as 404 or 4xx", field="status")
    return int(text.replace("x", "0")), int(text.replace("x", "9"))


def _begin(text: str | None) -> str | None:
    if text is not None and len(text) > _PATH_LENGTH_MAX:
        raise FieldInvalid(f"path must have at most {_PATH_LENGTH_MAX} characters", field="path")
    return text


def _shape(line: LoggedCall) -> dict[str, Any]:
    return {
        "x_request_id": line.x_request_id,
        "request_id": line.request_id,
        "at": moment(line.occurred_at),
        "method": line.method,
        "route": line.route,
        "path": line.path,
        "query": _json(line.query),
        "status": line.status,
        "milliseconds": Decimal(line.duration // timedelta(microseconds=1)) / 1000,
        "key_id": line.key_id,
        "left_out_after": line.omitted_count,
    }


def _json(text: str | None) -> Any:
    return None if text is None else msgspec.json.decode(text)
