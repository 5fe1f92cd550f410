"""Routes of screenings: /v2/reviews/deposit-screenings. Ours; for reviewers' keys."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.deposit_screening.model import (
    KIND,
    DepositSource,
    ScreeningStatus,
    as_screening,
)
from landbridge.customers.deposit_screening.service import ScreeningReviews
from landbridge.ledger.model import Transfer
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import query, some_of
from landbridge.platform.http.list_query import cursor_after, parse_choices
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment, reply_of

_WAITING = frozenset({ScreeningStatus.IN_SCREENING, ScreeningStatus.HELD})


class DepositScreeningReply(WireStruct, frozen=True):
    """Screening of a deposit. `userId` is null if the deposit is no user's yet.

    Coins have `chain`, `transactionHash` and `sourceAddress`, fiat has `paymentRail`. `provider`
    and `reference` are null, and `categories` empty, before the provider has a final answer.
    `missing` names the data of the travel rule that a held deposit waits for.
    """

    id: UUID
    status: ScreeningStatus
    source: DepositSource
    deposit_id: UUID
    user_id: UUID | None
    amount: DecimalText
    currency: str
    chain: str | None
    transaction_hash: str | None
    source_address: str | None
    payment_rail: str | None
    provider: str | None
    categories: list[str]
    missing: list[str]
    reference: str | None
    created_at: Moment
    updated_at: Moment


class DepositScreeningList(WireStruct, frozen=True):
    """Page of screenings, oldest first; `nextCursor` goes into `cursor`."""

    count: int
    reviews: list[DepositScreeningReply]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class DepositScreeningRoutes(Controller):
    """Screenings of deposits, for reviewers' keys."""

    path = "/v2/reviews/deposit-screenings"
    tags = ("Reviews",)

    @get(summary="List deposit screenings", operation_id="depositScreenings.list")
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
                some_of(ScreeningStatus),
                description="IN_SCREENING and HELD if left out.",
            ),
        ] = None,
    ) -> DepositScreeningList:
        """List screenings, the oldest first. A held deposit is decided on by a resolution."""
        statuses = parse_choices("status", status, ScreeningStatus) or _WAITING
        found = await screening_reviews.queue(request.user, KIND, statuses, queue)
        return DepositScreeningList(
            count=len(found),
            reviews=[_reply(each) for each in found],
            next_cursor=cursor_after(found),
        )

    @get(
        "/{screeningId:str}",
        summary="Retrieve a deposit screening",
        operation_id="depositScreenings.retrieve",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        screeningId: FromPath[str],
        screening_reviews: NamedDependency[ScreeningReviews],
    ) -> DepositScreeningReply:
        """Return a screening, open or closed."""
        screening_id = known_id(screeningId, "deposit screening")
        return _reply(await screening_reviews.get(request.user, KIND, screening_id))


def _reply(record: Transfer) -> DepositScreeningReply:
    screening = as_screening(record)
    details, money = screening.details, screening.money
    return reply_of(
        details,
        DepositScreeningReply,
        id=record.id,
        status=screening.status,
        user_id=None if record.user_id == record.org_id else record.user_id,
        amount=str(money),
        currency=money.asset.currency,
        chain=None if details.source is DepositSource.BANK else money.asset.chain,
        payment_rail=details.rail,
        categories=[each.value for each in details.categories],
        created_at=moment(record.created_at),
        updated_at=moment(record.updated_at),
    )
