"""Manages schedules and makes their reports.

Guarantees:
- Each ended period has exactly one run, except that at most the last `MISSED_MAX` missed reports
  are made. A run is stored in one transaction with its event and the schedule's next period.
- A report is calculated outside that transaction. A process that ends meanwhile delays it by a
  minute; two processes that make the same report only duplicate work.
- Each organisation gets one report before any gets a second one, even if it has missed more.
- The files of an organisation total at most `KEPT_BYTES_MAX`: the oldest are removed, not the runs.
- E-mails about a run are queued in the run's transaction.
- A report is made once all changes with a time in its period are committed; statuses may change.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from time import monotonic
from uuid import UUID

import structlog

from landbridge.platform.changes.service import SPREAD, append_change, append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    Busy,
    FieldsInvalid,
    Refused,
    ResourceConflict,
    ResourceNotFound,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.retry_policy import pause_after
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.idempotency.model import Claim, no_claim
from landbridge.reporting.date_params import start_of_day
from landbridge.reporting.exports.service import Exports
from landbridge.reporting.metrics.custom.service import check_exists
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.schedules import periods, store
from landbridge.reporting.schedules.content import content_of, period_params, template_at, validate
from landbridge.reporting.schedules.emails import ReportEmails
from landbridge.reporting.schedules.model import (
    CONTENT_BYTES_MAX,
    KEPT,
    KEPT_BYTES_MAX,
    KIND,
    SCHEDULE_KIND,
    SCHEDULES_MAX,
    ReportFailure,
    ReportFile,
    ReportRun,
    ReportSchedule,
    SchedulePlan,
)
from landbridge.reporting.schedules.schemas import NewSchedule, ScheduleChange
from landbridge.reporting.schedules.summary import summary_lines

_log = structlog.stdlib.get_logger()

ACTOR = "worker"
# Reports made at once; each takes tens of milliseconds.
_AT_ONCE = 16
_AT_ONCE_OF_AN_ORG = 4
# Time that a worker holds the reports it has taken, which is longer than a round takes.
_HOLD = timedelta(minutes=1)
_SWEPT_AT_ONCE = 100
# Attempts before a report is recorded as failed, after about two hours.
_TRIES_MAX = 8
_ERROR_TEXT = "the report could not be made; the server's log says why"


@dataclass(frozen=True, slots=True)
class ReportSchedules:
    """Manages schedules and makes their reports; all times are organisation time."""

    database: Database
    clock: Clock
    exports: Exports
    saved_metrics: SavedMetrics
    emails: ReportEmails

    async def create(
        self, caller: Caller, request: NewSchedule, *, claim: Claim = no_claim
    ) -> ReportSchedule:
        """Create a schedule; its first report is the next one due.

        The content is validated as if it were calculated for the period that ended last. Raises
        `FieldsInvalid`, `ResourceNotFound` for the metric, and `ResourceConflict` at the maximum.
        """
        check_editor(caller)
        now = self.clock.now(caller.clock_offset)
        name, plan, definition = await validate(
            calculator=self.exports.calculator,
            saved_metrics=self.saved_metrics,
            caller=caller,
            request=request,
            now=now,
        )
        period = periods.first_due(plan, now)
        schedule = ReportSchedule(
            org_id=caller.org_id,
            id=new_id(),
            name=name,
            definition=definition,
            plan=plan,
            format=request.format,
            recipient_ids=tuple(dict.fromkeys(request.recipient_ids or ())),
            created_at=self.clock.stamp(caller.clock_offset),
            period=period,
            next_at=periods.due_at(plan, period),
            attempts=0,
        )

        async def work(tx: Tx) -> ReportSchedule:
            await store.lock_org(tx, schedule.org_id)
            known = await store.find(tx, schedule.org_id, schedule.id)
            if known is not None:
                # Created by an attempt whose commit reply was lost.
                return known
            await claim(tx, schedule.id)
            if len(await store.page(tx, schedule.org_id)) >= SCHEDULES_MAX:
                raise ResourceConflict(
                    f"an organisation has at most {SCHEDULES_MAX} schedules; delete one first"
                )
            if definition.template is not None:
                await check_exists(tx, schedule.org_id, definition.template)
            await self.emails.check(tx, schedule.org_id, schedule.recipient_ids)
            await store.add(tx, schedule, try_at=_try_at(plan, schedule))
            await self._record(tx, schedule, "create", actor=caller.actor, at=schedule.created_at)
            return schedule

        return await self.database.transact(work)

    async def page(self, org_id: UUID) -> list[ReportSchedule]:
        """Return all schedules, newest first."""
        return await self.database.single(lambda tx: store.page(tx, org_id))

    async def get(self, org_id: UUID, schedule_id: UUID) -> ReportSchedule:
        """Return a schedule; raises `ResourceNotFound`."""
        found = await self.database.single(lambda tx: store.find(tx, org_id, schedule_id))
        if found is None:
            raise _unknown(schedule_id)
        return found

    async def delete(self, caller: Caller, schedule_id: UUID) -> ReportSchedule:
        """Delete a schedule and return it; its runs stay."""
        check_editor(caller)
        at = self.clock.stamp(caller.clock_offset)
        deleted: ReportSchedule | None = None

        async def work(tx: Tx) -> ReportSchedule:
            nonlocal deleted
            found = await store.delete(tx, caller.org_id, schedule_id)
            if found is None:
                if deleted is not None:
                    return deleted  # by an attempt whose commit reply was lost
                raise _unknown(schedule_id)
            deleted = found
            await self._record(tx, found, "delete", actor=caller.actor, at=at)
            return found

        return await self.database.transact(work)

    async def update(
        self, caller: Caller, schedule_id: UUID, change: ScheduleChange
    ) -> ReportSchedule:
        """Change the recipients, or move to another version of the organisation's own template.

        Does nothing if both are as before. Raises `FieldsInvalid` for recipients that are no
        members, and if the parameters do not fit that version; and `ResourceNotFound`.
        """
        check_editor(caller)
        schedule = await self.get(caller.org_id, schedule_id)
        if change.template_version is None and change.recipient_ids is None:
            raise FieldsInvalid({"recipientIds": "give recipientIds, or templateVersion"})
        template, recipients = schedule.definition.template, schedule.recipient_ids
        if change.template_version is not None:
            template = await template_at(
                self.exports.calculator, caller, schedule, change.template_version
            )
        if change.recipient_ids is not None:
            recipients = tuple(dict.fromkeys(change.recipient_ids))
        if (template, recipients) == (schedule.definition.template, schedule.recipient_ids):
            return schedule
        at = self.clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            await store.lock_org(tx, caller.org_id)
            if await store.lock(tx, caller.org_id, schedule_id) is None:
                raise _unknown(schedule_id)
            if change.template_version is not None and template is not None:
                await check_exists(tx, caller.org_id, template)
                await store.set_template(tx, caller.org_id, schedule_id, template)
            if change.recipient_ids is not None:
                await self.emails.check(tx, caller.org_id, recipients)
                await store.set_recipients(tx, caller.org_id, schedule_id, recipients)
            await self._record(tx, schedule, "update", actor=caller.actor, at=at)

        await self.database.transact(work)
        return await self.get(caller.org_id, schedule_id)

    async def runs(self, org_id: UUID, schedule_id: UUID) -> list[ReportRun]:
        """Return the runs of a schedule, newest period first; raises `ResourceNotFound`."""
        await self.get(org_id, schedule_id)
        return await self.database.single(lambda tx: store.runs(tx, org_id, schedule_id))

    async def run(self, org_id: UUID, run_id: UUID) -> ReportRun:
        """Return one run; raises `ResourceNotFound`, also after it expired."""
        found = await self.find_runs(org_id, [run_id])
        if run_id not in found:
            raise ResourceNotFound(f"there is no run {run_id}")
        return found[run_id]

    async def find_runs(self, org_id: UUID, run_ids: Collection[UUID]) -> Mapping[UUID, ReportRun]:
        """Return the existing ones of these runs."""
        found = await self.database.single(lambda tx: store.find_runs(tx, org_id, run_ids))
        return {each.id: each for each in found}

    async def file(self, org_id: UUID, run_id: UUID) -> tuple[ReportRun, ReportFile]:
        """Return the file of a run; raises `ResourceNotFound`, with the reason if there is none."""
        run = await self.run(org_id, run_id)
        found = await self.database.single(lambda tx: store.file(tx, org_id, run_id))
        if found is None:
            limit_mb = KEPT_BYTES_MAX // 1_000_000
            why = run.failed_reason or f"newer ones took its room, which is {limit_mb} MB"
            raise ResourceNotFound(f"the run {run_id} has no file: {why}")
        return run, found

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Make all due reports, except those held by other workers."""
        while await self.run_due(offsets):
            pass

    async def run_until(self, offsets: Mapping[UUID, timedelta], until_s: float) -> None:
        """Make due reports one by one until this monotonic time."""
        while monotonic() < until_s and await self.run_due(offsets, limit=1):
            pass

    async def run_due(self, offsets: Mapping[UUID, timedelta], *, limit: int = _AT_ONCE) -> bool:
        """Make some due reports, a few per organisation; returns whether more may be due."""
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
        """Remove expired runs; returns whether more may be expired."""
        until = {org_id: self.clock.now(offset) - KEPT for org_id, offset in offsets.items()}
        swept = await self.database.single(lambda tx: store.sweep(tx, until, limit=_SWEPT_AT_ONCE))
        return swept == _SWEPT_AT_ONCE

    async def _make(self, due: ReportSchedule, offset: timedelta) -> None:
        """Make the next report of a schedule, or postpone it for another attempt."""
        now = self.clock.now(offset)
        period = periods.next_to_make(due.plan, due.period, now)
        try:
            await self._store(due, period, offset, await self._calculate(due, period, offset))
        except ResourceConflict as error:
            await self._postpone(due, now, offset, reason=error.message)
        except Busy as error:
            _log.warning("reports.busy", schedule=str(due.id), reason=str(error))
            await self._postpone(due, now, offset, reason=_ERROR_TEXT)
        except Exception as error:  # noqa: BLE001  one report must not stop the others
            _log.error("reports.not_made", schedule=str(due.id), exc_info=error)
            await self._postpone(due, now, offset, reason=_ERROR_TEXT)

    async def _calculate(
        self, due: ReportSchedule, period: date, offset: timedelta
    ) -> ReportFile | ReportFailure:
        """Build the report of a period; raises `ResourceConflict`, or `Busy` while rollups lag."""
        caller = Caller(due.org_id, None, offset)
        try:
            template, params = await content_of(self.saved_metrics, due.org_id, due.definition)
            report_params = period_params(params, due.plan, period)
            name, content = await self.exports.result_file(
                caller, template, report_params, due.format
            )
            summary: tuple[str, ...] = ()
            if due.recipient_ids and self.emails.can_send:
                summary = await summary_lines(
                    *(self.exports.calculator, caller, due.plan, period),
                    template=template,
                    params=params,
                )
        except ResourceConflict:
            raise
        except Refused as error:
            return ReportFailure(error.message)
        if len(content) > CONTENT_BYTES_MAX:
            limit_mb = CONTENT_BYTES_MAX // 1_000_000
            return ReportFailure(
                f"the file has more than {limit_mb} MB: use fewer breakdowns, or "
                "download the metric"
            )
        return ReportFile(name, content, summary)

    async def _postpone(
        self, due: ReportSchedule, now: datetime, offset: timedelta, *, reason: str
    ) -> None:
        """Retry later, or record a failure after the last attempt."""
        if due.attempts + 1 >= _TRIES_MAX:
            period = periods.next_to_make(due.plan, due.period, now)
            await self._store(due, period, offset, ReportFailure(reason))
            return
        try_at = now + pause_after(due.attempts + 1)
        await self.database.single(lambda tx: store.postpone(tx, due, try_at))

    async def _store(
        self,
        due: ReportSchedule,
        period: date,
        offset: timedelta,
        result: ReportFile | ReportFailure,
    ) -> None:
        """Store the result of a period once, if the schedule exists, and advance the schedule."""
        plan, run_id = due.plan, new_id()
        file = result if isinstance(result, ReportFile) else None

        async def work(tx: Tx) -> None:
            now = await store.lock(tx, due.org_id, due.id)
            if now is None or now.period != due.period:
                return
            run = ReportRun(
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
                failed_reason=result.reason if isinstance(result, ReportFailure) else None,
                file_name=file and file.name,
                bytes=file and len(file.content),
                is_kept=file is not None,
            )
            after = periods.following(plan, period)
            moved = replace(due, period=after, next_at=periods.due_at(plan, after))
            await store.add_run(tx, run, file)
            await self.emails.put(tx, run, now.recipient_ids, file.summary if file else ())
            await store.trim(tx, run.org_id, KEPT_BYTES_MAX)
            await store.move(
                tx=tx, each=due, period=after, next_at=moved.next_at, try_at=_try_at(plan, moved)
            )
            await append_change(
                tx,
                org_id=run.org_id,
                object_id=run.id,
                seq=1,
                kind=KIND,
                change_type="failed" if file is None else "ready",
                actor=ACTOR,
                at=run.created_at,
                facts={"scheduleId": str(due.id), "period": period.isoformat()},
            )

        await self.database.transact(work)

    async def _record(
        self, tx: Tx, schedule: ReportSchedule, change_type: str, *, actor: str, at: datetime
    ) -> None:
        await append_next_change(
            tx,
            org_id=schedule.org_id,
            object_id=schedule.id,
            kind=SCHEDULE_KIND,
            change_type=change_type,
            actor=actor,
            at=at,
        )


def _try_at(plan: SchedulePlan, schedule: ReportSchedule) -> datetime:
    """Return when a report is due, but not before everything in its period is committed."""
    ended = start_of_day(periods.end_of(plan, schedule.period), plan.zone)
    return max(schedule.next_at, ended + SPREAD)


def _unknown(schedule_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no schedule {schedule_id}")
