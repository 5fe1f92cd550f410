"""The log of requests: what programs of the organisation asked, and what they were answered."""

import asyncio
from collections.abc import Sequence

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.dashboard.developers.curl import curl
from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.pages import Renderer
from landbridge.dashboard.queries import PAGE_SIZE, asked, listed
from landbridge.dashboard.visitors import PageRequest
from landbridge.orgs.service import Orgs
from landbridge.request_log.service import RequestLog
from landbridge.web.inside import Interface

_LOG = "/v2/request-log"
_FILTERS = ("method", "status", "path", "requestId", "xRequestId")
_METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
_STATUSES = ("2xx", "4xx", "5xx", "400", "401", "403", "404", "409", "422", "429", "500", "503")
_UNPROCESSABLE = 422


class RequestPages(Controller):
    """`/dashboard/requests`."""

    path = "/requests"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        orgs: NamedDependency[Orgs],
        request_log: NamedDependency[RequestLog],
    ) -> Response[str]:
        """All of them, newest first."""
        told = asked(request, *_FILTERS)
        (found, wrong), keys = await asyncio.gather(
            listed(
                interface.get(_LOG, **told.filters, limit=PAGE_SIZE, cursor=told.cursor),
                {"requests": [], "nextCursor": None},
            ),
            orgs.keys(request.user.caller.org_id),
        )
        return renderer.page(
            request,
            "developers/requests.html",
            status=_UNPROCESSABLE if wrong else 200,
            requests=found["requests"],
            older=told.older(found["nextCursor"]),
            asked=told,
            keys={str(each.id): each for each in keys},
            methods=[(each, each) for each in _METHODS],
            statuses=_statuses(told.text("status")),
            wrong=wrong,
            is_on=request_log.is_on,
        )

    @get("/{x_request_id:str}")
    async def show(
        self,
        request: PageRequest,
        x_request_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        orgs: NamedDependency[Orgs],
    ) -> Response[str]:
        """One of them, with both bodies."""
        logged, keys = await asyncio.gather(
            interface.get(f"{_LOG}/{x_request_id}"), orgs.keys(request.user.caller.org_id)
        )
        asked_body, answer = logged["requestBody"], logged["answerBody"]
        return renderer.page(
            request,
            "developers/request.html",
            logged=logged,
            key=next((each for each in keys if str(each.id) == logged["keyId"]), None),
            asked_text=None if asked_body is None else pretty(asked_body),
            answer_text=None if answer is None else pretty(answer),
            refusal=answer if isinstance(answer, dict) and "errorDetails" in answer else None,
            query_text=pretty(logged["query"]) if logged["query"] else None,
            command=curl(logged, renderer.surroundings.base_url),
        )


def _statuses(told: str) -> Sequence[tuple[str, str]]:
    """What can be chosen; what the address has beside that stays."""
    texts = _STATUSES if told in {"", *_STATUSES} else (told, *_STATUSES)
    return [(each, each) for each in texts]
