"""Routes of statement lines in manual review: /v2/reviews/bank-lines. Our own."""

from datetime import date
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.payments.bank_files.returns import ReversedPayment
from landbridge.payments.bank_files.statement_line_model import (
    COMMENT_LENGTH_MAX,
    LineResolutionKind,
    StatementLine,
    StatementLineKind,
    StatementLineStatus,
    StatementLineTexts,
)
from landbridge.payments.bank_files.statement_lines import StatementLineReviews
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.formats.schemas import prose
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import query, some_of, with_schema
from landbridge.platform.http.list_query import cursor_after, parse_choices
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, reply_of


class LineResolution(WireStruct, frozen=True):
    """What a line was, and how it was resolved.

    A REVERSAL names what the bank recalled: the onramp that the deposit paid for (`transferId`), or
    an unmatched deposit (`depositId`).
    """

    resolution: LineResolutionKind
    comment: Annotated[str, with_schema(prose(COMMENT_LENGTH_MAX))]
    transfer_id: UUID | None = None
    deposit_id: UUID | None = None


class BankStatementText(WireStruct, frozen=True):
    """Content of the bank; `codes` as the bank spells them, `note` is our own, on balances."""

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
    """Line and its review reason; `statementText` and `comment` are null after their retention.

    `paymentKey` is that of the payment it names, `fileId` that of its bank file, `transferId` that
    of the record that its resolution reopened or reversed.
    """

    id: UUID
    kind: StatementLineKind
    status: StatementLineStatus
    reason: str | None
    amount: DecimalText | None
    currency: str
    booked_on: date | None
    returned: bool
    payment_key: UUID | None
    incoming_payment_id: UUID | None
    transfer_id: UUID | None
    file_id: UUID
    statement_text: BankStatementText | None
    resolution: LineResolutionKind | None
    resolved_by: str | None
    comment: str | None
    created_at: Moment
    updated_at: Moment


class BankLinePage(WireStruct, frozen=True):
    """Page of lines, oldest first; pass `nextCursor` as `cursor`."""

    count: int
    reviews: list[BankLine]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class BankLineRoutes(Controller):
    """Statement lines in manual review; for reviewers' keys."""

    path = "/v2/reviews/bank-lines"
    tags = ("Reviews",)

    @get(summary="List bank lines", operation_id="bankLines.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        statement_line_reviews: NamedDependency[StatementLineReviews],
        queue: NamedDependency[QueueWindow],
        status: Annotated[
            list[str] | None,
            query(None, some_of(StatementLineStatus), description="UNMATCHED if left out."),
        ] = None,
    ) -> BankLinePage:
        """List lines, the longest waiting first."""
        statuses = parse_choices("status", status, StatementLineStatus) or {
            StatementLineStatus.UNMATCHED
        }
        found = await statement_line_reviews.queue(request.user, statuses, queue)
        return BankLinePage(
            count=len(found),
            reviews=[_reply(each) for each in found],
            next_cursor=cursor_after(found),
        )

    @get("/{lineId:str}", summary="Retrieve a bank line", operation_id="bankLines.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        lineId: FromPath[str],
        statement_line_reviews: NamedDependency[StatementLineReviews],
    ) -> BankLine:
        """Return a line in any status."""
        return _reply(await statement_line_reviews.get(request.user, _known(lineId)))

    @post(
        "/{lineId:str}/resolve",
        status_code=200,
        summary="Resolve a bank line",
        operation_id="bankLines.resolve",
    )
    async def resolve(
        self,
        request: ApiRequest,
        lineId: FromPath[str],
        data: JSONBody[LineResolution],
        statement_line_reviews: NamedDependency[StatementLineReviews],
    ) -> BankLine:
        """Resolve a line. All but NO_ACTION, HANDLED and DUPLICATE have further effects."""
        resolved = await statement_line_reviews.resolve(
            request.user,
            _known(lineId),
            data.resolution,
            comment=data.comment,
            of=ReversedPayment(data.transfer_id, data.deposit_id),
        )
        return _reply(resolved)


def _reply(line: StatementLine) -> BankLine:
    return reply_of(
        line,
        BankLine,
        amount=None if line.money is None else str(line.money),
        returned=line.is_back,
        statement_text=None if line.texts is None else _statement_text(line.texts),
        comment=None if line.texts is None else line.texts.comment,
    )


def _statement_text(texts: StatementLineTexts) -> BankStatementText:
    return reply_of(texts, BankStatementText, codes=list(texts.codes))


def _known(text: str) -> UUID:
    return known_id(text, "bank line")
