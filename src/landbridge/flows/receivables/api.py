"""Routes of receivables: /v2/reviews/receivables. Ours; for reviewers' keys."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from landbridge.core.pages import Window
from landbridge.flows.receivables.model import Receivable, Status
from landbridge.flows.receivables.service import Receivables
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id, words
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment

# Times have microseconds, so this is the next moment after one.
_NEXT = timedelta(microseconds=1)


class ReceivableReply(WireStruct, frozen=True):
    """What a user owes: `transferId` is the payment of which the bank took the fiat back."""

    id: UUID
    status: Status
    user_id: UUID
    transfer_id: UUID
    transfer_type: str
    amount: str
    currency: str
    reason: str
    created_at: Moment
    updated_at: Moment


class ReceivableList(WireStruct, frozen=True):
    """A page of receivables, oldest first; `nextCursor` goes back as `createdAfter`."""

    count: int
    reviews: list[ReceivableReply]
    next_cursor: Moment | None


class ReceivableRoutes(Controller):
    """What users owe; for reviewers' keys."""

    path = "/v2/reviews/receivables"
    tags = ("Reviews",)

    @get(summary="List receivables")
    async def page(
        self,
        request: ApiRequest,
        *,
        receivables: NamedDependency[Receivables],
        window: NamedDependency[Window],
        status: Annotated[
            list[str] | None,
            QueryParameter(description="OPEN if left out; any with transferId."),
        ] = None,
        transfer_id: Annotated[
            str | None,
            QueryParameter(name="transferId", description="Only the receivable of this payment."),
        ] = None,
    ) -> ReceivableList:
        """The longest waiting first; with `transferId`, the receivable of this payment."""
        payment_id = optional_id("transferId", transfer_id)
        statuses = words("status", status, Status)
        if payment_id is None:
            found = await receivables.queue(request.user, statuses or {Status.OPEN}, window)
        else:
            one = await receivables.find_of(request.user, payment_id)
            is_wanted = one is not None and (statuses is None or one.status in statuses)
            found = [one] if one is not None and is_wanted else []
        is_page = payment_id is None and len(found) > 0
        return ReceivableList(
            count=len(found),
            reviews=[_reply(each) for each in found],
            next_cursor=moment(found[-1].record.created_at + _NEXT) if is_page else None,
        )

    @get("/{receivableId:str}", summary="Retrieve a receivable")
    async def retrieve(
        self,
        request: ApiRequest,
        receivableId: FromPath[str],
        receivables: NamedDependency[Receivables],
    ) -> ReceivableReply:
        """Open or closed."""
        wanted = known_id(receivableId, "receivable")
        return _reply(await receivables.get(request.user, wanted))


def _reply(receivable: Receivable) -> ReceivableReply:
    record, details, amount = receivable.record, receivable.details, receivable.amount
    return ReceivableReply(
        id=record.id,
        status=receivable.status,
        user_id=record.user_id,
        transfer_id=details.payment_id,
        transfer_type=details.payment_kind,
        amount=str(amount),
        currency=amount.asset.currency,
        reason=details.reason,
        created_at=moment(record.created_at),
        updated_at=moment(record.updated_at),
    )
