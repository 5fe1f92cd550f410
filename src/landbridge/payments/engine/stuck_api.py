"""Routes of stuck payments: /v2/stuck. Ours; docs/concepts/stuck-money.md."""

from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.payments.engine.timelines import StuckTransfer, Timelines
from landbridge.payments.engine.wait_states import WaitParty
from landbridge.platform.core.pagination import LIMIT_MAX
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.responses import Moment, WireStruct, moment


class StuckReply(WireStruct, frozen=True):
    """Payment, or incoming fiat payment (`INCOMING_PAYMENT`), that takes longer than it should.

    `waitsUntil` is when that should have ended; null if unknown. `attention` is why a person has to
    decide (POST /v2/reviews/resolutions); null while the worker continues by itself.
    """

    id: UUID
    type: str
    status: str
    waits_for: WaitParty
    waits_since: Moment
    waits_until: Moment | None
    attention: str | None


class StuckList(WireStruct, frozen=True):
    """List of stuck payments, the longest waiting first."""

    count: int
    stuck: list[StuckReply]


class StuckRoutes(Controller):
    """Routes of stuck payments."""

    path = "/v2/stuck"
    tags = ("Transactions",)

    @get(summary="List stuck payments", operation_id="transactions.listStuck")
    async def all(
        self,
        request: ApiRequest,
        timelines: NamedDependency[Timelines],
    ) -> StuckList:
        """List payments and deposits that take longer than they should; at most a hundred."""
        caller = request.user
        found = await timelines.stuck({caller.org_id: caller.clock_offset}, limit=LIMIT_MAX)
        return StuckList(count=len(found), stuck=[_reply(each) for each in found])


def _reply(each: StuckTransfer) -> StuckReply:
    return StuckReply(
        id=each.id,
        type=each.kind,
        status=each.status,
        waits_for=each.party,
        waits_since=moment(each.since),
        waits_until=None if each.until is None else moment(each.until),
        attention=each.attention,
    )
