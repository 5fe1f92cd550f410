"""Routes of screenings: /v2/reviews/payment-screenings. Ours; for reviewers' keys."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.deposit_screening.service import ScreeningReviews
from landbridge.customers.payment_screening.model import (
    KIND,
    PaymentScreeningStatus,
    as_payment_screening,
)
from landbridge.ledger.model import Transfer
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import query, some_of
from landbridge.platform.http.list_query import cursor_after, parse_choices
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment, reply_of

_WAITING = frozenset({PaymentScreeningStatus.IN_SCREENING, PaymentScreeningStatus.HELD})


class PaymentScreeningReply(WireStruct, frozen=True):
    """Screening of one destination of a payment.

    Coins have `chain`, `sourceAddress` and `destinationAddress`, fiat has `paymentRail`. `provider`
    and `reference` are null, and `categories` empty, before the provider has a final answer.
    `missing` names the data of the travel rule that the payment waits for.
    """

    id: UUID
    status: PaymentScreeningStatus
    transfer_id: UUID
    transfer_type: str
    user_id: UUID
    amount: DecimalText
    currency: str
    chain: str | None
    source_address: str | None
    destination_address: str | None
    payment_rail: str | None
    provider: str | None
    categories: list[str]
    missing: list[str]
    reference: str | None
    created_at: Moment
    updated_at: Moment


class PaymentScreeningList(WireStruct, frozen=True):
    """Page of screenings, oldest first; `nextCursor` goes into `cursor`."""

    count: int
    reviews: list[PaymentScreeningReply]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class PaymentScreeningRoutes(Controller):
    """Screenings of payments, for reviewers' keys."""

    path = "/v2/reviews/payment-screenings"
    tags = ("Reviews",)

    @get(summary="List payment screenings", operation_id="paymentScreenings.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        screening_reviews: NamedDependency[ScreeningReviews],
        queue: NamedDependency[QueueWindow],
        status: Annotated[
            list[str] | None,
            query(
                None,
                some_of(PaymentScreeningStatus),
                description="IN_SCREENING and HELD if left out.",
            ),
        ] = None,
    ) -> PaymentScreeningList:
        """List screenings, the oldest first. A held payment is decided on by a resolution."""
        statuses = parse_choices("status", status, PaymentScreeningStatus) or _WAITING
        found = await screening_reviews.queue(request.user, KIND, statuses, queue)
        return PaymentScreeningList(
            count=len(found),
            reviews=[_reply(each) for each in found],
            next_cursor=cursor_after(found),
        )

    @get(
        "/{paymentScreeningId:str}",
        summary="Retrieve a payment screening",
        operation_id="paymentScreenings.retrieve",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        paymentScreeningId: FromPath[str],
        screening_reviews: NamedDependency[ScreeningReviews],
    ) -> PaymentScreeningReply:
        """Return a screening, open or closed."""
        screening_id = known_id(paymentScreeningId, "payment screening")
        return _reply(await screening_reviews.get(request.user, KIND, screening_id))


def _reply(record: Transfer) -> PaymentScreeningReply:
    screening = as_payment_screening(record)
    details, money = screening.details, screening.money
    return reply_of(
        details,
        PaymentScreeningReply,
        id=record.id,
        status=screening.status,
        transfer_type=details.transfer_kind,
        user_id=record.user_id,
        amount=str(money),
        currency=money.asset.currency,
        payment_rail=details.rail,
        categories=[each.value for each in details.categories],
        created_at=moment(record.created_at),
        updated_at=moment(record.updated_at),
    )
