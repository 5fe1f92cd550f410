"""Routes of receivables: /v2/reviews/receivables. Ours; for reviewers' keys."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.payments.receivables.model import Receivable, ReceivableStatus
from landbridge.payments.receivables.service import Receivables
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import IDENTIFIER, query, some_of
from landbridge.platform.http.list_query import cursor_after, optional_id, parse_choices
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, reply_of


class ReceivableReply(WireStruct, frozen=True):
    """Receivable of a user; `transferId` is the payment of which the bank took the fiat back."""

    id: UUID
    status: ReceivableStatus
    user_id: UUID
    transfer_id: UUID
    transfer_type: str
    amount: DecimalText
    currency: str
    reason: str
    created_at: Moment
    updated_at: Moment


class ReceivableList(WireStruct, frozen=True):
    """Page of receivables, oldest first; `nextCursor` goes into `cursor`."""

    count: int
    reviews: list[ReceivableReply]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class ReceivableRoutes(Controller):
    """Routes of receivables, for reviewers' keys."""

    path = "/v2/reviews/receivables"
    tags = ("Reviews",)

    @get(summary="List receivables", operation_id="receivables.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        receivables: NamedDependency[Receivables],
        queue: NamedDependency[QueueWindow],
        status: Annotated[
            list[str] | None,
            query(
                None,
                some_of(ReceivableStatus),
                description="OPEN if left out; any with transferId.",
            ),
        ] = None,
        transfer_id: Annotated[
            str | None,
            query("transferId", IDENTIFIER, description="Only the receivable of this payment."),
        ] = None,
    ) -> ReceivableList:
        """List receivables, the oldest first; with `transferId`, the receivable of that payment."""
        payment_id = optional_id("transferId", transfer_id)
        statuses = parse_choices("status", status, ReceivableStatus)
        if payment_id is None:
            found = await receivables.queue(
                request.user, statuses or {ReceivableStatus.OPEN}, queue
            )
        else:
            one = await receivables.find_of(request.user, payment_id)
            is_selected = one is not None and (statuses is None or one.status in statuses)
            found = [one] if one is not None and is_selected else []
        return ReceivableList(
            count=len(found),
            reviews=[_reply(each) for each in found],
            next_cursor=cursor_after([each.record for each in found] if payment_id is None else []),
        )

    @get(
        "/{receivableId:str}", summary="Retrieve a receivable", operation_id="receivables.retrieve"
    )
    async def retrieve(
        self,
        request: ApiRequest,
        receivableId: FromPath[str],
        receivables: NamedDependency[Receivables],
    ) -> ReceivableReply:
        """Return a receivable, open or closed."""
        receivable_id = known_id(receivableId, "receivable")
        return _reply(await receivables.get(request.user, receivable_id))


def _reply(receivable: Receivable) -> ReceivableReply:
    record, details, amount = receivable.record, receivable.details, receivable.amount
    return reply_of(
        record,
        ReceivableReply,
        status=receivable.status,
        transfer_id=details.payment_id,
        transfer_type=details.payment_kind,
        amount=str(amount),
        currency=amount.asset.currency,
        reason=details.reason,
    )
