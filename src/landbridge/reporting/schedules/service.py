"""Reports on a schedule: what is made when, and what was made.

Guarantees:
- each period that has ended has exactly one run, but that of reports that were missed no more than
  the last `MISSED_MAX` are made. Whoever makes it, and however often it is tried: a run is stored
  in one transaction with its event and with the schedule's next period, and only there;
- a report is calculated outside of that transaction, so a process that ends meanwhile leaves
  nothing but a minute for which others leave it alone; two that make the same waste work alone;
- of each organisation one report comes before another's second one, whatever each has missed;
- the files of an organisation have no more than `KEPT_BYTES_MAX`: the oldest go, their runs stay;
- a report is made once all that was stamped in its period is committed: nothing is created in it
  any more, though what was may still change its status.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from time import monotonic
from typing import Any
from uuid import UUID

import structlog

from landbridge.changes.service import SPREAD, tell, tell_next
from landbridge.core.clock import Clock
from landbridge.core.errors import (
    Busy,
    FieldInvalid,
    FieldsInvalid,
    Refused,
    ResourceConflict,
    ResourceNotFound,
)
from landbridge.core.ids import new_id
from landbridge.core.tries import pause_after
from landbridge.db.pool import Database, Tx
from landbridge.formats.texts import check_text
from landbridge.reporting.exports.service import Exports
from landbridge.reporting.metrics.params_json import as_json, as_stored
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.moments import check_zone, start_of_day
from landbridge.reporting.rollups.model import UTC_ZONE
from landbridge.reporting.schedules import periods, store
from landbridge.reporting.schedules.model import (
    CONTENT_BYTES_MAX,
    KEPT,
    KEPT_BYTES_MAX,
    KIND,
    NAME_LENGTH_MAX,
    PARAMS_BYTES_MAX,
    SCHEDULE_KIND,
    SCHEDULES_MAX,
    Asked,
    Failed,
    File,
    Plan,
    Run,
    Schedule,
)
from landbridge.reporting.schedules.shapes import NewSchedule
from landbridge.web.caller import Caller, check_editor

_log = structlog.stdlib.get_logger()

ACTOR = "worker"
# Each is a report that takes tens of milliseconds.
_AT_ONCE = 16
_AT_ONCE_OF_AN_ORG = 4
# Whoever takes a report has it to itself for so long; longer than all of a round take.
_HOLD = timedelta(minutes=1)
_SWEPT_AT_ONCE = 100
# A report that can't be made is tried for two hours, then told to have failed.
_TRIES_MAX = 8
_NOT_MADE = "the report could not be made; the server's log says why"
# What a schedule says itself, of all that a metric is calculated with.
_OWN_PARAMS = frozenset({"createdAfter", "createdBefore", "timeZone"})


@dataclass(frozen=True, slots=True)
class ReportSchedules:
    """Keeps schedules and makes their reports; all times are the organisation's own."""

    database: Database
    clock: Clock
    exports: Exports
    saved_metrics: SavedMetrics
    # What addresses of our own begin with.
    base_url: str

    async def create(self, caller: Caller, told: NewSchedule) -> Schedule:
        """Make a schedule; its first report is the next one that is due.

        What is asked for is checked as if it were calculated for the period that ended last.
        Raises `FieldsInvalid`, `ResourceNotFound` for the metric, and `ResourceConflict` where
        there are enough.
        """
        check_editor(caller)
        name, plan, asked = await self._checked(caller, told)
        period = periods.first_due(plan, self.clock.now(caller.clock_offset))
        schedule = Schedule(
            org_id=caller.org_id,
            id=new_id(),
            name=name,
            asked=asked,
            plan=plan,
            format=told.format,
            created_at=self.clock.stamp(caller.clock_offset),
            period=period,
            next_at=periods.due_at(plan, period),
            tries=0,
        )

        async def work(tx: Tx) -> Schedule:
            await store.lock_org(tx, schedule.org_id)
            known = await store.find(tx, schedule.org_id, schedule.id)
            if known is not None:
                # Made by an attempt whose commit was not heard of.
                return known
            if len(await store.page(tx, schedule.org_id)) >= SCHEDULES_MAX:
                raise ResourceConflict(
                    f"an organisation has at most {SCHEDULES_MAX} schedules; delete one first"
                )
            await store.add(tx, schedule, try_at=_try_at(plan, schedule))
            await self._tell(tx, schedule, "create", actor=caller.actor, at=schedule.created_at)
            return schedule

        return await self.database.transact(work)

    async def page(self, org_id: UUID) -> list[Schedule]:
        """All schedules, newest first."""
        return await self.database.single(lambda tx: store.page(tx, org_id))

    async def get(self, org_id: UUID, schedule_id: UUID) -> Schedule:
        """One schedule; raises `ResourceNotFound`."""
        found = await self.database.single(lambda tx: store.find(tx, org_id, schedule_id))
        if found is None:
            raise _unknown(schedule_id)
        return found

    async def delete(self, caller: Caller, schedule_id: UUID) -> Schedule:
        """End a schedule; what came of it stays. Answers how it was."""
        check_editor(caller)
        at = self.clock.stamp(caller.clock_offset)
        deleted: Schedule | None = None

        async def work(tx: Tx) -> Schedule:
            nonlocal deleted
            found = await store.delete(tx, caller.org_id, schedule_id)
            if found is None:
                if deleted is not None:
                    return deleted  # by an attempt whose commit was not heard of
                raise _unknown(schedule_id)
            deleted = found
            await self._tell(tx, found, "delete", actor=caller.actor, at=at)
            return found

        return await self.database.transact(work)

    async def runs(self, org_id: UUID, schedule_id: UUID) -> list[Run]:
        """What came of a schedule, the newest period first; raises `ResourceNotFound`."""
        await self.get(org_id, schedule_id)
        return await self.database.single(lambda tx: store.runs(tx, org_id, schedule_id))

    async def run(self, org_id: UUID, run_id: UUID) -> Run:
        """One run; raises `ResourceNotFound`, also of one that was kept for long enough."""
        found = await self.find_runs(org_id, [run_id])
        if run_id not in found:
            raise ResourceNotFound(f"there is no run {run_id}")
        return found[run_id]

    async def find_runs(self, org_id: UUID, run_ids: Collection[UUID]) -> Mapping[UUID, Run]:
        """Those of these runs that there are."""
        found = await self.database.single(lambda tx: store.find_runs(tx, org_id, run_ids))
        return {each.id: each for each in found}

    async def file(self, org_id: UUID, run_id: UUID) -> tuple[Run, File]:
        """What a run made; raises `ResourceNotFound`, with the reason why there is no file."""
        run = await self.run(org_id, run_id)
        found = await self.database.single(lambda tx: store.file(tx, org_id, run_id))
        if found is None:
            most = KEPT_BYTES_MAX // 1_000_000
            why = run.failed_reason or f"newer ones took its room, which is {most} MB"
            raise ResourceNotFound(f"the run {run_id} has no file: {why}")
        return run, found

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Make all that is due, but for what somebody else is making."""
        while await self.run_due(offsets):
            pass

    async def run_until(self, offsets: Mapping[UUID, timedelta], until_s: float) -> None:
        """Make what is due, one by one, until then (of the monotonic clock)."""
        while monotonic() < until_s and await self.run_due(offsets, limit=1):
            pass

    async def run_due(self, offsets: Mapping[UUID, timedelta], *, limit: int = _AT_ONCE) -> bool:
        """Make some of what is due, of each organisation a few; whether there may be more."""
        clocks = {org_id: self.clock.stamp(offset) for org_id, offset in offsets.items()}
        due = await self.database.transact(
            lambda tx: store.take(
                tx, clocks, limit=limit, each_limit=_AT_ONCE_OF_AN_ORG, hold=_HOLD
            )
        )
        for each in due:
            await self._make(each, offsets[each.org_id])
        return bool(due)

    async def sweep(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Remove runs that were kept for long enough; whether there may be more."""
        until = {org_id: self.clock.now(offset) - KEPT for org_id, offset in offsets.items()}
        swept = await self.database.single(lambda tx: store.sweep(tx, until, limit=_SWEPT_AT_ONCE))
        return swept == _SWEPT_AT_ONCE

    async def _make(self, due: Schedule, offset: timedelta) -> None:
        """Make the next report of a schedule, or see to it that it is tried again."""
        now = self.clock.now(offset)
        period = periods.next_to_make(due.plan, due.period, now)
        try:
            await self._store(due, period, offset, await self._made(due, period, offset))
        except ResourceConflict as error:
            await self._put_off(due, now, offset, reason=error.message)
        except Busy as error:
            _log.warning("reports.busy", schedule=str(due.id), reason=str(error))
            await self._put_off(due, now, offset, reason=_NOT_MADE)
        except Exception as error:  # noqa: BLE001  one report must not stop the others
            _log.error("reports.not_made", schedule=str(due.id), exc_info=error)
            await self._put_off(due, now, offset, reason=_NOT_MADE)

    async def _made(self, due: Schedule, period: date, offset: timedelta) -> File | Failed:
        """The report of a period; raises `ResourceConflict` and `Busy` if it is not to be had now.

        Days of another zone may still be being made.
        """
        caller = Caller(due.org_id, None, offset)
        try:
            template, params = await self._metric(due.org_id, due.asked)
            asked = _params(params, due.plan, period)
            name, content = await self.exports.result_file(caller, template, asked, due.format)
        except ResourceConflict:
            raise
        except Refused as error:
            return Failed(error.message)
        if len(content) > CONTENT_BYTES_MAX:
            most = CONTENT_BYTES_MAX // 1_000_000
            return Failed(
                f"the file has more than {most} MB: tell fewer rows apart, or download the metric"
            )
        return File(name, content)

    async def _put_off(
        self, due: Schedule, now: datetime, offset: timedelta, *, reason: str
    ) -> None:
        """Try it again later; for the last time it has failed."""
        if due.tries + 1 >= _TRIES_MAX:
            period = periods.next_to_make(due.plan, due.period, now)
            await self._store(due, period, offset, Failed(reason))
            return
        try_at = now + pause_after(due.tries + 1)
        await self.database.single(lambda tx: store.postpone(tx, due, try_at))

    async def _store(
        self, due: Schedule, period: date, offset: timedelta, made: File | Failed
    ) -> None:
        """Keep what was made for a period, or why nothing was, and go on to the next period.

        Nothing happens if somebody else was first, or the schedule is gone.
        """
        plan, run_id = due.plan, new_id()
        file = made if isinstance(made, File) else None

        async def work(tx: Tx) -> None:
            now = await store.lock(tx, due.org_id, due.id)
            if now is None or now.period != due.period:
                return
            run = Run(
                org_id=due.org_id,
                id=run_id,
                schedule_id=due.id,
                name=due.name,
                period=period,
                until=periods.end_of(plan, period),
                zone=plan.zone,
                format=due.format,
                due_at=periods.due_at(plan, period),
                created_at=self.clock.stamp(offset),
                failed_reason=made.reason if isinstance(made, Failed) else None,
                file_name=file and file.name,
                bytes=file and len(file.content),
                is_kept=file is not None,
            )
            after = periods.following(plan, period)
            moved = replace(due, period=after, next_at=periods.due_at(plan, after))
            await store.add_run(tx, run, file)
            await store.trim(tx, run.org_id, KEPT_BYTES_MAX)
            await store.move(*(tx, due, after), next_at=moved.next_at, try_at=_try_at(plan, moved))
            await tell(
                tx,
                org_id=run.org_id,
                object_id=run.id,
                seq=1,
                kind=KIND,
                what="failed" if file is None else "ready",
                actor=ACTOR,
                at=run.created_at,
                facts={"scheduleId": str(due.id), "period": period.isoformat()},
            )

        await self.database.transact(work)

    async def _checked(self, caller: Caller, told: NewSchedule) -> tuple[str, Plan, Asked]:
        """What is kept: name, plan, parameters; raises `FieldsInvalid` with all that is wrong."""
        faults: dict[str, str] = {}
        name, zone, calculator = told.name, UTC_ZONE, self.exports.calculator
        asked: Asked | None = None
        try:
            name = check_text("name", told.name, length_max=NAME_LENGTH_MAX)
        except FieldInvalid as error:
            faults["name"] = error.message
        try:
            zone = await check_zone(calculator.sources.rollups, caller.org_id, told.time_zone)
        except FieldInvalid as error:
            faults["timeZone"] = error.message
        plan = Plan(told.every, time.fromisoformat(told.at), zone)
        period = periods.first_due(plan, self.clock.now(caller.clock_offset))
        ended = periods.preceding(plan, period)
        try:
            asked = _asked(told)
            template, params = await self._metric(caller.org_id, asked)
            question = await calculator.ask(caller, template, _params(params, plan, ended))
            if asked.metric_id is None:
                asked = Asked(None, template, _kept(question.told))
        except FieldsInvalid as error:
            faults |= error.fields
        if faults or asked is None:
            raise FieldsInvalid(faults)
        return name, plan, asked

    async def _metric(self, org_id: UUID, asked: Asked) -> tuple[str, Mapping[str, Any]]:
        """Template and parameters, of a saved metric as it is now."""
        if asked.metric_id is None:
            return asked.template or "", asked.params or {}
        metric = await self.saved_metrics.get(org_id, asked.metric_id)
        return metric.template, metric.params

    async def _tell(
        self, tx: Tx, schedule: Schedule, what: str, *, actor: str, at: datetime
    ) -> None:
        await tell_next(
            tx,
            org_id=schedule.org_id,
            object_id=schedule.id,
            kind=SCHEDULE_KIND,
            what=what,
            actor=actor,
            at=at,
        )


def _asked(told: NewSchedule) -> Asked:
    """What is asked for; raises `FieldsInvalid` unless it is one of both."""
    if told.metric_id is not None:
        extra = [name for name in ("template", "params") if getattr(told, name) is not None]
        if extra:
            sentence = "leave it out: the saved metric has its own"
            raise FieldsInvalid({name: f"{name}: {sentence}" for name in extra})
        return Asked(told.metric_id, None, None)
    if told.template is None:
        raise FieldsInvalid({"template": "name a template, or a saved metric by metricId"})
    return Asked(None, told.template, told.params or {})


def _kept(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of parameters that were understood those that a schedule has not itself, as they are stored.

    Raises `FieldsInvalid` if they are too long.
    """
    kept = {name: each for name, each in params.items() if name not in _OWN_PARAMS}
    if len(as_json(kept).encode()) > PARAMS_BYTES_MAX:
        raise FieldsInvalid({"params": f"params have more than {PARAMS_BYTES_MAX} bytes"})
    return as_stored(kept)


def _params(params: Mapping[str, Any], plan: Plan, period: date) -> Mapping[str, Any]:
    """The parameters of a report of one period."""
    return {
        **params,
        "createdAfter": period.isoformat(),
        "createdBefore": periods.end_of(plan, period).isoformat(),
        "timeZone": plan.zone,
    }


def _try_at(plan: Plan, schedule: Schedule) -> datetime:
    """When a report is due, but not before all that happened in its period is written down."""
    ended = start_of_day(periods.end_of(plan, schedule.period), plan.zone)
    return max(schedule.next_at, ended + SPREAD)


def _unknown(schedule_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no schedule {schedule_id}")
