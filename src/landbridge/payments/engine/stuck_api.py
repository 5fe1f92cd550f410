"""Routes of stuck payments: /v2/stuck. Ours; docs/concepts/stuck-money.md."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.payments.engine.stuck_causes import StuckCause, StuckFilter
from landbridge.payments.engine.timelines import StuckTransfer, Timelines
from landbridge.payments.engine.wait_states import WaitParty
from landbridge.platform.core.pagination import LIMIT_MAX, PagePosition
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import integer, query, some_of
from landbridge.platform.http.list_query import (
    PositionCursor,
    parse_choices,
    parse_limit,
    parse_position,
    position_text,
)
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, reply_of
from landbridge.providers.rails.currencies import AT_BANK


class StuckReply(WireStruct, frozen=True):
    """Payment, or incoming fiat payment (`INCOMING_PAYMENT`), that takes longer than it should.

    `waitsUntil` is when that should have ended; null if unknown. `attention` is why a person has to
    decide (POST /v2/reviews/resolutions); null while the worker continues by itself. `amount` is
    what is sent, of a deposit what was received; `chain` is null for fiat.
    """

    id: UUID
    type: str
    status: str
    waits_for: WaitParty
    cause: StuckCause
    waits_since: Moment
    waits_until: Moment | None
    attention: str | None
    amount: DecimalText
    currency: str
    chain: str | None


class StuckList(WireStruct, frozen=True):
    """A page of stuck payments, the longest waiting first; pass `nextCursor` back as `cursor`."""

    count: int
    stuck: list[StuckReply]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class StuckRoutes(Controller):
    """Routes of stuck payments."""

    path = "/v2/stuck"
    tags = ("Transactions",)

    @get(summary="List stuck payments", operation_id="transactions.listStuck")
    async def all(
        self,
        request: ApiRequest,
        timelines: NamedDependency[Timelines],
        *,
        cause: Annotated[
            list[str] | None,
            query(None, some_of(StuckCause), description="One or several (default all)."),
        ] = None,
        type_: Annotated[
            list[str] | None,
            query(
                "type",
                {"type": "array", "items": {"type": "string"}},
                description="Kinds of record, one or several (default all).",
            ),
        ] = None,
        limit: Annotated[
            str | None,
            query(
                "limit",
                integer(1, LIMIT_MAX),
                description="Records per page, 1 to 100; 100 if left out.",
            ),
        ] = None,
        cursor: PositionCursor = None,
    ) -> StuckList:
        """List payments and deposits that take longer than they should, the longest first."""
        caller = request.user
        chosen = StuckFilter(
            causes=parse_choices("cause", cause, StuckCause),
            kinds=parse_choices("type", type_, timelines.kinds),
            after=parse_position(cursor),
        )
        found = await timelines.stuck(
            {caller.org_id: caller.clock_offset},
            limit=LIMIT_MAX if limit is None else parse_limit(limit),
            chosen=chosen,
        )
        return StuckList(
            count=len(found),
            stuck=[_reply(each) for each in found],
            next_cursor=position_text(PagePosition(found[-1].since, found[-1].id))
            if found
            else msgspec.UNSET,
        )


def _reply(each: StuckTransfer) -> StuckReply:
    return reply_of(
        each,
        StuckReply,
        type=each.kind,
        waits_for=each.party,
        waits_since=each.since,
        waits_until=each.until,
        amount=str(each.amount),
        currency=each.amount.asset.currency,
        chain=None if each.amount.asset.chain == AT_BANK else each.amount.asset.chain,
    )
