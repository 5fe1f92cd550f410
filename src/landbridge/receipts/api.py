"""Routes of deposits that nobody takes: /v2/reviews/deposits. Ours; for people who decide."""

from datetime import timedelta
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.core.errors import FieldInvalid
from landbridge.core.pages import Window
from landbridge.receipts.model import Receipt, Status
from landbridge.receipts.reviewing import DepositReviews
from landbridge.web.caller import ApiRequest
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment

# Times have microseconds, so this is the next moment after one.
_NEXT = timedelta(microseconds=1)


class DepositMatch(WireStruct, frozen=True):
    """What a deposit pays, one of the two, and how that was found out."""

    comment: str
    transfer_id: UUID | None = None
    virtual_account_id: UUID | None = None


class DepositReturn(WireStruct, frozen=True):
    """Why a deposit goes back."""

    comment: str


class DepositSettlement(WireStruct, frozen=True):
    """How the sender got a deposit back, as evidence."""

    comment: str


class DepositSender(WireStruct, frozen=True):
    """Who sent it, as far as the bank says."""

    name: str | None
    bank_name: str | None
    routing_number: str | None
    account_number: str | None


class DepositReview(WireStruct, frozen=True):
    """A deposit as a reviewer sees it; `accountNumber` is the one that it arrived on.

    What was personal is null once its user was erased. `decidedBy` and `comment` are the person's
    who decided, `transferId` is what it pays.
    """

    id: UUID
    status: Status
    amount: str
    currency: str
    payment_rail: str
    bank_reference: str
    account_number: str
    reference: str | None
    description: str | None
    sender: DepositSender | None
    transfer_id: UUID | None
    decided_by: str | None
    comment: str | None
    received_at: Moment
    updated_at: Moment


class DepositReviewPage(WireStruct, frozen=True):
    """A page of deposits that wait, oldest first; `nextCursor` goes back as `createdAfter`."""

    count: int
    reviews: list[DepositReview]
    next_cursor: Moment | None


class DepositReviewRoutes(Controller):
    """Deposits that wait for a person; for reviewers' keys."""

    path = "/v2/reviews/deposits"
    tags = ("Reviews",)

    @get(summary="List deposits that nobody takes")
    async def page(
        self,
        request: ApiRequest,
        deposit_reviews: NamedDependency[DepositReviews],
        window: NamedDependency[Window],
    ) -> DepositReviewPage:
        """Those that wait for a person, the longest waiting first."""
        found = await deposit_reviews.queue(request.user, window)
        return DepositReviewPage(
            count=len(found),
            reviews=[_reply(each) for each in found],
            next_cursor=moment(found[-1].received_at + _NEXT) if found else None,
        )

    @get("/{receiptId:str}", summary="Retrieve a deposit")
    async def retrieve(
        self,
        request: ApiRequest,
        receiptId: FromPath[str],
        deposit_reviews: NamedDependency[DepositReviews],
    ) -> DepositReview:
        """Whatever has become of it."""
        return _reply(await deposit_reviews.get(request.user, _known(receiptId)))

    @post("/{receiptId:str}/match", status_code=200, summary="Match a deposit by hand")
    async def match(
        self,
        request: ApiRequest,
        receiptId: FromPath[str],
        data: JSONBody[DepositMatch],
        deposit_reviews: NamedDependency[DepositReviews],
    ) -> DepositReview:
        """With an onramp that waits for exactly this amount, or with a virtual account."""
        receipt_id, comment = _known(receiptId), data.comment
        match data.transfer_id, data.virtual_account_id:
            case UUID() as transfer_id, None:
                matched = await deposit_reviews.match_transfer(
                    request.user, receipt_id, transfer_id, comment=comment
                )
            case None, UUID() as account_id:
                matched = await deposit_reviews.match_account(
                    request.user, receipt_id, account_id, comment=comment
                )
            case _:
                raise FieldInvalid(
                    "tell one of transferId and virtualAccountId", field="transferId"
                )
        return _reply(matched)

    @post("/{receiptId:str}/return", status_code=200, summary="Send a deposit back")
    async def send_back(
        self,
        request: ApiRequest,
        receiptId: FromPath[str],
        data: JSONBody[DepositReturn],
        deposit_reviews: NamedDependency[DepositReviews],
    ) -> DepositReview:
        """Whole, by the way it came, to whoever sent it."""
        receipt_id = _known(receiptId)
        sent = await deposit_reviews.send_back(request.user, receipt_id, comment=data.comment)
        return _reply(sent)

    @post("/{receiptId:str}/settle", status_code=200, summary="Settle a return outside")
    async def settle(
        self,
        request: ApiRequest,
        receiptId: FromPath[str],
        data: JSONBody[DepositSettlement],
        deposit_reviews: NamedDependency[DepositReviews],
    ) -> DepositReview:
        """The sender has the deposit back by other means; for a bank that refuses to carry it."""
        settled = await deposit_reviews.settle_outside(
            request.user, _known(receiptId), comment=data.comment
        )
        return _reply(settled)


def _reply(receipt: Receipt) -> DepositReview:
    sender = receipt.sender
    return DepositReview(
        id=receipt.id,
        status=receipt.status,
        amount=str(receipt.money),
        currency=receipt.money.asset.currency,
        payment_rail=receipt.rail,
        bank_reference=receipt.bank_reference,
        account_number=receipt.account_number,
        reference=receipt.reference,
        description=receipt.description,
        sender=sender
        and DepositSender(
            name=sender.name,
            bank_name=sender.bank_name,
            routing_number=sender.routing_number,
            account_number=sender.account_number,
        ),
        transfer_id=receipt.transfer_id,
        decided_by=receipt.decided_by,
        comment=receipt.comment,
        received_at=moment(receipt.received_at),
        updated_at=moment(receipt.updated_at),
    )


def _known(text: str) -> UUID:
    return known_id(text, "deposit")
