"""What waits for longer than it should: /v2/stuck. Ours; docs/concepts/stuck-money.md."""

from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.core.pages import LIMIT_MAX
from landbridge.payments.timelines import Stuck, Timelines
from landbridge.payments.waits import Party
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import Moment, WireStruct, moment


class StuckReply(WireStruct, frozen=True):
    """A payment, or a deposit of fiat (`RECEIPT`), that waits for longer than it should.

    `waitsUntil` is when that should have ended; null where nobody can say. `attention` is why a
    person has to decide (POST /v2/reviews/resolutions); null while the worker goes on by itself.
    """

    id: UUID
    type: str
    status: str
    waits_for: Party
    waits_since: Moment
    waits_until: Moment | None
    attention: str | None


class StuckList(WireStruct, frozen=True):
    """The longest first."""

    count: int
    stuck: list[StuckReply]


class StuckRoutes(Controller):
    """What is stuck."""

    path = "/v2/stuck"
    tags = ("Transactions",)

    @get(summary="List what is stuck")
    async def all(
        self,
        request: ApiRequest,
        timelines: NamedDependency[Timelines],
    ) -> StuckList:
        """Payments and deposits that wait for longer than they should; a hundred of them."""
        caller = request.user
        found = await timelines.stuck({caller.org_id: caller.clock_offset}, limit=LIMIT_MAX)
        return StuckList(count=len(found), stuck=[_reply(each) for each in found])


def _reply(each: Stuck) -> StuckReply:
    return StuckReply(
        id=each.id,
        type=each.kind,
        status=each.status,
        waits_for=each.party,
        waits_since=moment(each.since),
        waits_until=None if each.until is None else moment(each.until),
        attention=each.attention,
    )
