"""Pages of API logs: requests of the organisation's API keys, and the responses."""

import asyncio
from collections.abc import Sequence
from shlex import quote
from urllib.parse import quote as quote_url
from urllib.parse import urlencode

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.dashboard.json_text import JsonValue, pretty
from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.page_request import PageRequest
from landbridge.developers.request_log.api import LoggedBodies, LoggedPage
from landbridge.developers.request_log.service import RequestLog
from landbridge.platform.http.responses import encode
from landbridge.platform.orgs.service import Orgs

_LOG = "/v2/request-log"
_FILTERS = ("method", "status", "path", "requestId", "xRequestId")
_METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
_STATUSES = ("2xx", "4xx", "5xx", "400", "401", "403", "404", "409", "422", "429", "500", "503")


class RequestPages(Controller):
    """`/dashboard/requests`."""

    path = "/requests"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        orgs: NamedDependency[Orgs],
        request_log: NamedDependency[RequestLog],
    ) -> Response[str]:
        """List requests, newest first."""
        query = read_list_query(request, *_FILTERS)
        (found, filter_error), keys = await asyncio.gather(
            load_list(
                request.interface.read(
                    LoggedPage, _LOG, **query.filters, limit=PAGE_SIZE, cursor=query.cursor
                ),
                LoggedPage(count=0, requests=[]),
            ),
            orgs.keys(request.user.caller.org_id),
        )
        return request.page(
            "developers/requests.html",
            requests=found.requests,
            older=query.older(found.next_cursor),
            list_query=query,
            keys={each.id: each for each in keys},
            methods=[(each, each) for each in _METHODS],
            statuses=_statuses(query.text("status")),
            filter_error=filter_error,
            is_on=request_log.is_on,
        )

    @get("/{x_request_id:str}")
    async def show(
        self, request: PageRequest, x_request_id: FromPath[str], orgs: NamedDependency[Orgs]
    ) -> Response[str]:
        """Show one request with both bodies."""
        logged, keys = await asyncio.gather(
            request.interface.read(LoggedBodies, f"{_LOG}/{x_request_id}"),
            orgs.keys(request.user.caller.org_id),
        )
        request_body: JsonValue = logged.request_body
        response_body: JsonValue = logged.answer_body
        return request.page(
            "developers/request.html",
            logged=logged,
            key=next((each for each in keys if each.id == logged.key_id), None),
            request_text=None if request_body is None else pretty(request_body),
            response_text=None if response_body is None else pretty(response_body),
            refusal=response_body
            if isinstance(response_body, dict) and "errorDetails" in response_body
            else None,
            query_text=pretty(logged.query) if logged.query else None,
            command=curl(logged, request.installation.base_url),
        )


def _statuses(selected: str) -> Sequence[tuple[str, str]]:
    """Return the status options, including the current one of the URL."""
    texts = _STATUSES if selected in {"", *_STATUSES} else (selected, *_STATUSES)
    return [(each, each) for each in texts]


# Its value stays out of sight, and out of the history of the shell.
_KEY = '"Authorization: Bearer $LANDBRIDGE_API_KEY"'


def curl(logged: LoggedBodies, base_url: str) -> str:
    """Return the command that repeats this request with the API key of the shell."""
    method, body = logged.method, logged.request_body
    query = urlencode(logged.query, doseq=True, safe="[]")
    url = base_url + quote_url(logged.path, safe="/[]") + (f"?{query}" if query else "")
    lines = ["curl -sS"]
    if "[" in url:
        # Without this option curl takes brackets for a range.
        lines[0] += " --globoff"
    if method != "GET":
        lines[0] += f" -X {quote(method)}"
    lines[0] += f" {quote(url)}"
    lines.append(f"-H {_KEY}")
    content = "" if body is None else encode(body).decode()
    if content:
        lines += ["-H 'Content-Type: application/json'", f"-d {quote(content)}"]
    return " \\\n  ".join(lines)
