"""Routes of limits: /v2/limits. Rules are set by commands and by admins who signed in, not here."""

import asyncio
from datetime import datetime
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter

from landbridge.core.clock import Clock
from landbridge.limits.document import Document, checked, written
from landbridge.limits.judging import plain
from landbridge.limits.model import Left, Over, Per, Window
from landbridge.limits.rehearsing import Met, Played, Rehearsing, Report
from landbridge.limits.service import Limits
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id
from landbridge.web.reply import Moment, Number, WireStruct, moment

_User = Annotated[
    str | None,
    QueryParameter(name="userId", description="Also what the rules leave this user."),
]
_DAYS_DEFAULT = 30


class LeftReply(WireStruct, frozen=True):
    """What a rule leaves in the present day or month; null where it has no bound."""

    rule: str
    per: Per
    window: Window
    left_usd: Number | None
    left_count: int | None


class LimitsReply(WireStruct, frozen=True):
    """The rules that hold; version 0 if none were ever set."""

    version: int
    set_at: Moment | None
    limits: Document
    left: list[LeftReply]


class Rehearsal(WireStruct, frozen=True):
    """Rules to try on the payments of the last `days`, 1 to 90."""

    limits: Document
    days: int = _DAYS_DEFAULT


class MetReply(WireStruct, frozen=True):
    """The payments that met one rule; the ids of the first twenty."""

    rule: str
    over: Over
    count: int
    usd: Number
    ids: list[UUID]


class PlayedReply(WireStruct, frozen=True):
    """What one set of rules would have done."""

    refused: int
    sent_to_approval: int
    rules: list[MetReply]


class RehearsalReply(WireStruct, frozen=True):
    """The payments since then, under the rules of the request and under those that hold.

    `isComplete` is false if there were more than are looked at in one request.
    """

    since: Moment
    count: int
    usd: Number
    is_complete: bool
    limits: PlayedReply
    today: PlayedReply


class LimitRoutes(Controller):
    """What users may pay."""

    path = "/v2/limits"
    tags = ("Limits",)

    @get(summary="Retrieve limits")
    async def retrieve(
        self,
        request: ApiRequest,
        limits: NamedDependency[Limits],
        clock: NamedDependency[Clock],
        user_id: _User = None,
    ) -> LimitsReply:
        """The rules of the organisation, and what they leave now."""
        caller, asked = request.user, optional_id("userId", user_id)
        at = clock.now(caller.clock_offset)
        book = await limits.rules(caller.org_id)
        left = await limits.left(caller.org_id, asked, at)
        return LimitsReply(
            version=book.version,
            set_at=_moment(book.set_at),
            limits=written(book.rules),
            left=[left_reply(each) for each in left],
        )

    @post("/rehearse", summary="Rehearse limits", status_code=200, looks=True)
    async def rehearse(
        self,
        request: ApiRequest,
        data: JSONBody[Rehearsal],
        limits: NamedDependency[Limits],
        rehearsing: NamedDependency[Rehearsing],
        clock: NamedDependency[Clock],
    ) -> RehearsalReply:
        """What other rules would have done to the payments of the last days; changes nothing."""
        caller = request.user
        # Lists of ten thousand addresses take a while.
        rules = await asyncio.to_thread(checked, data.limits, limits.kinds, under="limits.")
        report = await rehearsing.rehearse_bounded(
            caller.org_id,
            rules,
            days=data.days,
            now=clock.now(caller.clock_offset),
        )
        return _report(report)


def left_reply(left: Left) -> LeftReply:
    """What a rule leaves, as it is answered."""
    return LeftReply(
        rule=left.rule,
        per=left.per,
        window=left.window,
        left_usd=None if left.usd is None else _usd(left.usd),
        left_count=left.payment_count,
    )


def _report(report: Report) -> RehearsalReply:
    return RehearsalReply(
        since=moment(report.since),
        count=report.payment_count,
        usd=_usd(report.usd),
        is_complete=report.is_complete,
        limits=_played(report.asked),
        today=_played(report.today),
    )


def _played(played: Played) -> PlayedReply:
    return PlayedReply(
        refused=played.refused,
        sent_to_approval=played.sent_to_approval,
        rules=[_met(each) for each in played.met],
    )


def _met(met: Met) -> MetReply:
    return MetReply(
        rule=met.rule,
        over=met.over,
        count=met.payment_count,
        usd=_usd(met.usd),
        ids=list(met.record_ids),
    )


def _usd(usd: Decimal) -> Decimal:
    return Decimal(plain(usd))


def _moment(at: datetime | None) -> str | None:
    return None if at is None else moment(at)
