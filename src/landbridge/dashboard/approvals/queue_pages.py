"""Review queues: how many items wait in each, and since when."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from litestar import Controller, Response, get

from landbridge.dashboard.page_request import PageRequest
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.core.pagination import LIMIT_MAX
from landbridge.platform.formats.translations import later
from landbridge.platform.http.internal_client import InternalClient
from landbridge.platform.http.responses import Moment, WireStruct


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """A queue: its page, its API route, and the timestamp by which it is ordered.

    The overview shows an `is_low_priority` queue only for stuck items, as its items may wait long,
    or as it has an item of its own for each status.
    `status` filters waiting items where the route lists others too.
    """

    name: str
    title: str
    since: str
    is_low_priority: bool = False
    status: str | None = None


_QUEUES: Final[Sequence[ReviewQueue]] = (
    ReviewQueue("kyc", later("Verifications"), "submitted_at"),
    ReviewQueue("accounts", later("Bank accounts"), "created_at"),
    ReviewQueue(
        "transfers",
        later("Requests for information"),
        "created_at",
        is_low_priority=True,
    ),
    ReviewQueue("deposits", later("Unmatched deposits"), "received_at"),
    ReviewQueue("deposit-screenings", later("Held deposits"), "updated_at", status="HELD"),
    ReviewQueue("payment-screenings", later("Held payments"), "updated_at", status="HELD"),
    ReviewQueue("bank-lines", later("Bank statement lines"), "created_at"),
    ReviewQueue("receivables", later("Receivables"), "created_at", is_low_priority=True),
    # Low priority, as each also waits in the list of approvals.
    ReviewQueue(
        "resolutions",
        later("Stuck payment resolutions"),
        "created_at",
        is_low_priority=True,
        status="PENDING_APPROVAL",
    ),
)


class _WaitingItem(WireStruct, frozen=True):
    """Item of any queue, with the timestamps by which queues are ordered."""

    submitted_at: Moment = ""
    created_at: Moment = ""
    received_at: Moment = ""
    updated_at: Moment = ""
    rfi: "_WaitingItem | None" = None


class _WaitingPage(WireStruct, frozen=True):
    """Page of any queue."""

    reviews: tuple[_WaitingItem, ...] = ()
    resolutions: tuple[_WaitingItem, ...] = ()


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
    async def page(self, request: PageRequest) -> Response[str]:
        """Show all queues."""
        queues = await waiting_queues(request.interface)
        return request.page("approvals/queues.html", queues=queues)


async def waiting_queues(interface: InternalClient) -> Sequence[QueueStatus]:
    """Return all queues with their numbers of waiting items."""
    return await asyncio.gather(*(_waiting(interface, each) for each in _QUEUES))


async def _waiting(interface: InternalClient, queue: ReviewQueue) -> QueueStatus:
    try:
        found = await interface.read(
            _WaitingPage, f"/v2/reviews/{queue.name}", status=queue.status, limit=LIMIT_MAX
        )
    except RoleNotAllowed:
        return QueueStatus(queue, None, has_more=False, since=None)
    reviews = found.reviews or found.resolutions
    # A payment waits since its first question, not since its creation.
    since = min((getattr(each.rfi or each, queue.since) for each in reviews), default=None)
    return QueueStatus(queue, len(reviews), has_more=len(reviews) == LIMIT_MAX, since=since)
