"""Routes of scheduled reports: /v2/reporting/schedules and /v2/reporting/runs. Ours."""

from litestar import Controller, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.reporting.files import file_headers
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.reporting.schedules.shapes import (
    NewSchedule,
    RunList,
    RunReply,
    ScheduleList,
    ScheduleReply,
    run_list,
    run_reply,
    schedule_list,
    schedule_reply,
)
from landbridge.web.caller import ApiRequest
from landbridge.web.paths import known_id


class ScheduleRoutes(Controller):
    """Reports that are made again and again."""

    path = "/v2/reporting/schedules"
    tags = ("Reporting",)

    @post(status_code=201, summary="Create a schedule", unkeyed=True)
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewSchedule],
        report_schedules: NamedDependency[ReportSchedules],
    ) -> ScheduleReply:
        """A report of each day, week or month once it has ended. At most 100."""
        return schedule_reply(await report_schedules.create(request.user, data))

    @get(summary="List schedules")
    async def list_all(
        self, request: ApiRequest, report_schedules: NamedDependency[ReportSchedules]
    ) -> ScheduleList:
        """All of them, newest first."""
        return schedule_list(await report_schedules.page(request.user.org_id))

    @get("/{scheduleId:str}", summary="Retrieve a schedule")
    async def retrieve(
        self,
        request: ApiRequest,
        scheduleId: FromPath[str],
        report_schedules: NamedDependency[ReportSchedules],
    ) -> ScheduleReply:
        """One of them, with the time of its next report."""
        schedule_id = known_id(scheduleId, "schedule")
        return schedule_reply(await report_schedules.get(request.user.org_id, schedule_id))

    @delete("/{scheduleId:str}", status_code=200, summary="Delete a schedule")
    async def delete(
        self,
        request: ApiRequest,
        scheduleId: FromPath[str],
        report_schedules: NamedDependency[ReportSchedules],
    ) -> ScheduleReply:
        """No more reports are made; those that were can be downloaded for as long as before."""
        schedule_id = known_id(scheduleId, "schedule")
        return schedule_reply(await report_schedules.delete(request.user, schedule_id))

    @get("/{scheduleId:str}/runs", summary="List runs")
    async def runs(
        self,
        request: ApiRequest,
        scheduleId: FromPath[str],
        report_schedules: NamedDependency[ReportSchedules],
        public_url: NamedDependency[str],
    ) -> RunList:
        """What came of a schedule in the last 90 days, the newest period first."""
        schedule_id = known_id(scheduleId, "schedule")
        found = await report_schedules.runs(request.user.org_id, schedule_id)
        return run_list(found, public_url)


class RunRoutes(Controller):
    """What came of schedules."""

    path = "/v2/reporting/runs"
    tags = ("Reporting",)

    @get("/{runId:str}", summary="Retrieve a run")
    async def retrieve(
        self,
        request: ApiRequest,
        runId: FromPath[str],
        report_schedules: NamedDependency[ReportSchedules],
        public_url: NamedDependency[str],
    ) -> RunReply:
        """What came of a schedule for one period."""
        run_id = known_id(runId, "run")
        return run_reply(await report_schedules.run(request.user.org_id, run_id), public_url)

    @get("/{runId:str}/download", summary="Download a report")
    async def download(
        self,
        request: ApiRequest,
        runId: FromPath[str],
        report_schedules: NamedDependency[ReportSchedules],
    ) -> Response[bytes]:
        """The file that was made, as CSV or Parquet."""
        run_id = known_id(runId, "run")
        run, file = await report_schedules.file(request.user.org_id, run_id)
        return Response(
            file.content,
            media_type=run.format.media_type,
            headers=file_headers(file.name),
        )
