"""Routes of limits: /v2/limits. Rules are set by commands and by signed-in admins, not here."""

import asyncio
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from landbridge.payments.limits.document import LimitsDocument, document_of, validated
from landbridge.payments.limits.evaluation import plain
from landbridge.payments.limits.model import LimitAction, LimitRemaining, LimitScope, LimitWindow
from landbridge.payments.limits.service import Limits
from landbridge.payments.limits.simulation import (
    DAYS_MAX,
    LimitSimulation,
    LimitSimulationReport,
    RuleMatches,
    SimulatedRules,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import IDENTIFIER, number, query, with_schema
from landbridge.platform.http.list_query import optional_id
from landbridge.platform.http.responses import Moment, Number, WireStruct, moment

_User = Annotated[
    str | None,
    query("userId", IDENTIFIER, description="Also return this user's remaining amounts."),
]
_DAYS_DEFAULT = 30


class LimitRemainingReply(WireStruct, frozen=True):
    """Remaining amount of a rule in the current day or month; null where it has no bound."""

    rule: str
    per: LimitScope
    window: LimitWindow
    left_usd: Number | None
    left_count: int | None


class LimitsReply(WireStruct, frozen=True):
    """The rules in force; version 0 if none were ever set."""

    version: int
    set_at: Moment | None
    limits: LimitsDocument
    left: list[LimitRemainingReply]


class LimitSimulationRequest(WireStruct, frozen=True):
    """Rules to simulate on the payments of the last `days`, 1 to 90."""

    limits: LimitsDocument
    days: Annotated[int, with_schema(number(1, DAYS_MAX))] = _DAYS_DEFAULT


class RuleMatchReply(WireStruct, frozen=True):
    """The payments that matched one rule; the ids of the first twenty."""

    rule: str
    over: LimitAction
    count: int
    usd: Number
    ids: list[UUID]


class SimulatedRulesReply(WireStruct, frozen=True):
    """Outcomes of one set of rules."""

    refused: int
    sent_to_approval: int
    rules: list[RuleMatchReply]


class LimitSimulationReply(WireStruct, frozen=True):
    """The simulated payments under the submitted rules and under the rules in force.

    `isComplete` is false if there were more than one request evaluates.
    """

    since: Moment
    count: int
    usd: Number
    is_complete: bool
    limits: SimulatedRulesReply
    today: SimulatedRulesReply


class LimitRoutes(Controller):
    """Limits on users' payments."""

    path = "/v2/limits"
    tags = ("Limits",)

    @get(summary="Retrieve limits", operation_id="limits.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        limits: NamedDependency[Limits],
        clock: NamedDependency[Clock],
        user_id: _User = None,
    ) -> LimitsReply:
        """Get the rules of the organisation and their remaining amounts."""
        caller, submitted = request.user, optional_id("userId", user_id)
        at = clock.now(caller.clock_offset)
        book = await limits.rules(caller.org_id)
        left = await limits.left(caller.org_id, submitted, at)
        return LimitsReply(
            version=book.version,
            set_at=None if book.set_at is None else moment(book.set_at),
            limits=document_of(book.rules),
            left=[remaining_reply(each) for each in left],
        )

    @post(
        "/simulate",
        summary="Simulate limits",
        status_code=200,
        is_read=True,
        costly=True,
        operation_id="limits.simulate",
    )
    async def simulate(
        self,
        request: ApiRequest,
        data: JSONBody[LimitSimulationRequest],
        limits: NamedDependency[Limits],
        limit_simulation: NamedDependency[LimitSimulation],
        clock: NamedDependency[Clock],
    ) -> LimitSimulationReply:
        """Simulate other rules on the payments of the last days; changes nothing."""
        caller = request.user
        # In a thread, because a list of ten thousand addresses takes a while to parse.
        rules = await asyncio.to_thread(validated, data.limits, limits.kinds, under="limits.")
        report = await limit_simulation.simulate_bounded(
            caller.org_id,
            rules,
            days=data.days,
            now=clock.now(caller.clock_offset),
        )
        return _report(report)


def remaining_reply(left: LimitRemaining) -> LimitRemainingReply:
    """Build the reply of a remaining amount."""
    return LimitRemainingReply(
        rule=left.rule,
        per=left.per,
        window=left.window,
        left_usd=None if left.usd is None else _usd(left.usd),
        left_count=left.payment_count,
    )


def _report(report: LimitSimulationReport) -> LimitSimulationReply:
    return LimitSimulationReply(
        since=moment(report.since),
        count=report.payment_count,
        usd=_usd(report.usd),
        is_complete=report.is_complete,
        limits=_simulated(report.submitted),
        today=_simulated(report.today),
    )


def _simulated(outcome: SimulatedRules) -> SimulatedRulesReply:
    return SimulatedRulesReply(
        refused=outcome.refused,
        sent_to_approval=outcome.sent_to_approval,
        rules=[_met(each) for each in outcome.matches],
    )


def _met(met: RuleMatches) -> RuleMatchReply:
    return RuleMatchReply(
        rule=met.rule,
        over=met.over,
        count=met.payment_count,
        usd=_usd(met.usd),
        ids=list(met.record_ids),
    )


def _usd(usd: Decimal) -> Decimal:
    return Decimal(plain(usd))
