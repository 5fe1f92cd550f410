"""Everything that waits for a person who reviews: how many of each, and since when."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.core.errors import RoleNotAllowed
from landbridge.core.pages import LIMIT_MAX
from landbridge.dashboard.pages import Renderer
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later
from landbridge.web.inside import Interface


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue: its page, its route, and the time by which each in it has its place.

    What may wait for long `is_calm`: the first page names it only once it is stuck. Where the route
    lists more than what waits, `status` is what does; `member` has the list in its answer.
    """

    name: str
    about: str
    since: str
    is_calm: bool = False
    status: str | None = None
    member: str = "reviews"


_QUEUES: Final[Sequence[Queue]] = (
    Queue("kyc", later("Verifications"), "submittedAt"),
    Queue("accounts", later("Bank accounts"), "createdAt"),
    Queue("transfers", later("Questions about payments"), "createdAt"),
    Queue("deposits", later("Deposits that nobody takes"), "receivedAt"),
    Queue("bank-lines", later("Lines of bank files"), "createdAt"),
    Queue("receivables", later("Receivables"), "createdAt", is_calm=True),
    # Calm, since each waits in the inbox of approvals too.
    Queue(
        "resolutions",
        later("Resolutions of stuck payments"),
        "createdAt",
        is_calm=True,
        status="PENDING_APPROVAL",
        member="resolutions",
    ),
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits in a queue: None who may not see that. `has_more` than were counted."""

    queue: Queue
    count: int | None
    has_more: bool
    since: str | None


class QueuePages(Controller):
    """`/dashboard/reviews`."""

    path = "/reviews"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """All queues."""
        queues = await waiting_queues(interface)
        return renderer.page(request, "approvals/queues.html", queues=queues)


async def waiting_queues(interface: Interface) -> Sequence[Waiting]:
    """All queues, with how many wait in each."""
    return await asyncio.gather(*(_waiting(interface, each) for each in _QUEUES))


async def _waiting(interface: Interface, queue: Queue) -> Waiting:
    try:
        found = await interface.get(
            f"/v2/reviews/{queue.name}", status=queue.status, limit=LIMIT_MAX
        )
    except RoleNotAllowed:
        return Waiting(queue, None, has_more=False, since=None)
    reviews: Sequence[Any] = found[queue.member]
    since = min((_since(each, queue) for each in reviews), default=None)
    return Waiting(queue, len(reviews), has_more=len(reviews) == LIMIT_MAX, since=since)


def _since(review: Any, queue: Queue) -> str:
    # A payment waits since it was asked about, not since it was made.
    return str((review.get("rfi") or review)[queue.since])
