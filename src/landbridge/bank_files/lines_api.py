"""Routes of what banks tell and nothing could be made of: /v2/reviews/bank-lines. Ours."""

from datetime import date, timedelta
from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.bank_files.line_model import Line, LineKind, LineStatus, LineWords, Resolution
from landbridge.bank_files.lines import LineReviews
from landbridge.bank_files.returning import Reversed
from landbridge.core.pages import Window
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import words
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment

# Times have microseconds, so this is the next moment after one.
_NEXT = timedelta(microseconds=1)


class LineResolution(WireStruct, frozen=True):
    """What a line was, and what was done about it.

    A REVERSAL says what the bank took back: the onramp that the deposit has paid (`transferId`), or
    a deposit that has paid nothing (`depositId`).
    """

    resolution: Resolution
    comment: str
    transfer_id: UUID | None = None
    deposit_id: UUID | None = None


class ToldByBank(WireStruct, frozen=True):
    """What the bank wrote; `codes` as it spells them, `note` is ours, on balances."""

    statement_id: str | None
    bank_reference: str | None
    end_to_end_id: str | None
    trace_number: str | None
    account_number: str | None
    party_name: str | None
    party_account: str | None
    party_bank: str | None
    remittance: str | None
    codes: list[str]
    corrected: str | None
    file_name: str | None
    note: str | None


class BankLine(WireStruct, frozen=True):
    """A line and why it waits; `told` and `comment` are null once they are not needed any more.

    `paymentKey` is of the payment that it names, `fileId` of the bank's file that it stood in,
    `transferId` of the record that was reopened or reversed when it was resolved.
    """

    id: UUID
    kind: LineKind
    status: LineStatus
    reason: str | None
    amount: str | None
    currency: str
    booked_on: date | None
    came_back: bool
    payment_key: UUID | None
    receipt_id: UUID | None
    transfer_id: UUID | None
    file_id: UUID
    told: ToldByBank | None
    resolution: Resolution | None
    resolved_by: str | None
    comment: str | None
    created_at: Moment
    updated_at: Moment


class BankLinePage(WireStruct, frozen=True):
    """A page of lines, oldest first; `nextCursor` goes back as `createdAfter`."""

    count: int
    reviews: list[BankLine]
    next_cursor: Moment | None


class BankLineRoutes(Controller):
    """Lines of bank files that wait for a person; for reviewers' keys."""

    path = "/v2/reviews/bank-lines"
    tags = ("Reviews",)

    @get(summary="List bank lines")
    async def page(
        self,
        request: ApiRequest,
        *,
        line_reviews: NamedDependency[LineReviews],
        window: NamedDependency[Window],
        status: Annotated[
            list[str] | None, QueryParameter(description="UNMATCHED if left out.")
        ] = None,
    ) -> BankLinePage:
        """The longest waiting first."""
        statuses = words("status", status, LineStatus) or {LineStatus.UNMATCHED}
        found = await line_reviews.queue(request.user, statuses, window)
        return BankLinePage(
            count=len(found),
            reviews=[_reply(each) for each in found],
            next_cursor=moment(found[-1].created_at + _NEXT) if found else None,
        )

    @get("/{lineId:str}", summary="Retrieve a bank line")
    async def retrieve(
        self,
        request: ApiRequest,
        lineId: FromPath[str],
        line_reviews: NamedDependency[LineReviews],
    ) -> BankLine:
        """Whatever has become of it."""
        return _reply(await line_reviews.get(request.user, _known(lineId)))

    @post("/{lineId:str}/resolve", status_code=200, summary="Resolve a bank line")
    async def resolve(
        self,
        request: ApiRequest,
        lineId: FromPath[str],
        data: JSONBody[LineResolution],
        line_reviews: NamedDependency[LineReviews],
    ) -> BankLine:
        """Says what it was; but for NO_ACTION, HANDLED and DUPLICATE, what follows is done too."""
        resolved = await line_reviews.resolve(
            *(request.user, _known(lineId), data.resolution),
            comment=data.comment,
            of=Reversed(data.transfer_id, data.deposit_id),
        )
        return _reply(resolved)


def _reply(line: Line) -> BankLine:
    return BankLine(
        id=line.id,
        kind=line.kind,
        status=line.status,
        reason=line.reason,
        amount=None if line.money is None else str(line.money),
        currency=line.currency,
        booked_on=line.booked_on,
        came_back=line.is_back,
        payment_key=line.payment_key,
        receipt_id=line.receipt_id,
        transfer_id=line.transfer_id,
        file_id=line.file_id,
        told=None if line.words is None else _told(line.words),
        resolution=line.resolution,
        resolved_by=line.resolved_by,
        comment=None if line.words is None else line.words.comment,
        created_at=moment(line.created_at),
        updated_at=moment(line.updated_at),
    )


def _told(told: LineWords) -> ToldByBank:
    return ToldByBank(
        statement_id=told.statement_id,
        bank_reference=told.bank_reference,
        end_to_end_id=told.end_to_end_id,
        trace_number=told.trace_number,
        account_number=told.account_number,
        party_name=told.party_name,
        party_account=told.party_account,
        party_bank=told.party_bank,
        remittance=told.remittance,
        codes=list(told.codes),
        corrected=told.corrected,
        file_name=told.file_name,
        note=told.note,
    )


def _known(text: str) -> UUID:
    return known_id(text, "bank line")
