"""Review queues: how many items wait in each, and since when."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Renderer
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.core.pagination import LIMIT_MAX
from landbridge.platform.formats.translations import later
from landbridge.platform.http.internal_client import InternalClient


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """A queue: its page, its API route, and the timestamp by which it is ordered.

    The overview shows an `is_low_priority` queue only for stuck items, as its items may wait long,
    or as it has an item of its own for each status.
    `status` filters waiting items where the route lists others too; `member` is the list's field in
    the response.
    """

    name: str
    title: str
    since: str
    is_low_priority: bool = False
    status: str | None = None
    member: str = "reviews"


_QUEUES: Final[Sequence[ReviewQueue]] = (
    ReviewQueue("kyc", later("Verifications"), "submittedAt"),
    ReviewQueue("accounts", later("Bank accounts"), "createdAt"),
    ReviewQueue("transfers", later("Requests for information"), "createdAt", is_low_priority=True),
    ReviewQueue("deposits", later("Unmatched deposits"), "receivedAt"),
    ReviewQueue("deposit-screenings", later("Held deposits"), "updatedAt", status="HELD"),
    ReviewQueue("payment-screenings", later("Held payments"), "updatedAt", status="HELD"),
    ReviewQueue("bank-lines", later("Bank statement lines"), "createdAt"),
    ReviewQueue("receivables", later("Receivables"), "createdAt", is_low_priority=True),
    # Low priority, as each also waits in the list of approvals.
    ReviewQueue(
        "resolutions",
        later("Stuck payment resolutions"),
        "createdAt",
        is_low_priority=True,
        status="PENDING_APPROVAL",
        member="resolutions",
    ),
)


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """Number of waiting items; None without permission. `has_more`: more exist than counted."""

    queue: ReviewQueue
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
        interface: NamedDependency[InternalClient],
    ) -> Response[str]:
        """Show all queues."""
        queues = await waiting_queues(interface)
        return renderer.page(request, "approvals/queues.html", queues=queues)


async def waiting_queues(interface: InternalClient) -> Sequence[QueueStatus]:
    """Return all queues with their numbers of waiting items."""
    return await asyncio.gather(*(_waiting(interface, each) for each in _QUEUES))


async def _waiting(interface: InternalClient, queue: ReviewQueue) -> QueueStatus:
    try:
        found = await interface.get(
            f"/v2/reviews/{queue.name}", status=queue.status, limit=LIMIT_MAX
        )
    except RoleNotAllowed:
        return QueueStatus(queue, None, has_more=False, since=None)
    reviews: Sequence[Any] = found[queue.member]
    since = min((_since(each, queue) for each in reviews), default=None)
    return QueueStatus(queue, len(reviews), has_more=len(reviews) == LIMIT_MAX, since=since)


def _since(review: Any, queue: ReviewQueue) -> str:
    # A payment waits since its first question, not since its creation.
    return str((review.get("rfi") or review)[queue.since])
