"""Routes of scheduled reports: /v2/reporting/schedules and /v2/reporting/runs. Ours."""

from litestar import Controller, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.path_params import known_id
from landbridge.platform.idempotency.service import IdempotencyKeys
from landbridge.reporting.file_downloads import file_headers
from landbridge.reporting.schedules.schemas import (
    NewSchedule,
    RunList,
    RunReply,
    ScheduleChange,
    ScheduleList,
    ScheduleReply,
    run_list,
    run_reply,
    schedule_list,
    schedule_reply,
)
from landbridge.reporting.schedules.service import ReportSchedules


class ScheduleRoutes(Controller):
    """Scheduled reports."""

    path = "/v2/reporting/schedules"
    tags = ("Reporting",)

    @post(
        status_code=201,
        summary="Create a schedule",
        keyed=True,
        operation_id="reportSchedules.create",
    )
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewSchedule],
        report_schedules: NamedDependency[ReportSchedules],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> ScheduleReply:
        """Schedule a report after each day, week or month. At most 100."""
        schedule = await idempotency_keys.run(
            request,
            data,
            lambda claim: report_schedules.create(request.user, data, claim=claim),
            lambda key: report_schedules.get(key.org_id, key.object_id),
        )
        return schedule_reply(schedule)

    @get(summary="List schedules", operation_id="reportSchedules.list")
    async def list_all(
        self, request: ApiRequest, report_schedules: NamedDependency[ReportSchedules]
    ) -> ScheduleList:
        """List all, newest first."""
        return schedule_list(await report_schedules.page(request.user.org_id))

    @get(
        "/{scheduleId:str}", summary="Retrieve a schedule", operation_id="reportSchedules.retrieve"
    )
    async def retrieve(
        self,
        request: ApiRequest,
        scheduleId: FromPath[str],
        report_schedules: NamedDependency[ReportSchedules],
    ) -> ScheduleReply:
        """Return one schedule, with the time of its next report."""
        schedule_id = known_id(scheduleId, "schedule")
        return schedule_reply(await report_schedules.get(request.user.org_id, schedule_id))

    @post(
        "/{scheduleId:str}",
        status_code=200,
        summary="Update a schedule",
        operation_id="reportSchedules.update",
    )
    async def update(
        self,
        request: ApiRequest,
        scheduleId: FromPath[str],
        data: JSONBody[ScheduleChange],
        report_schedules: NamedDependency[ReportSchedules],
    ) -> ScheduleReply:
        """Change the recipients, or the version of the organisation's own template.

        Both apply from the next report on.
        """
        schedule_id = known_id(scheduleId, "schedule")
        return schedule_reply(await report_schedules.update(request.user, schedule_id, data))

    @delete(
        "/{scheduleId:str}",
        status_code=200,
        summary="Delete a schedule",
        operation_id="reportSchedules.delete",
    )
    async def delete(
        self,
        request: ApiRequest,
        scheduleId: FromPath[str],
        report_schedules: NamedDependency[ReportSchedules],
    ) -> ScheduleReply:
        """Delete a schedule; existing reports can be downloaded as long as before."""
        schedule_id = known_id(scheduleId, "schedule")
        return schedule_reply(await report_schedules.delete(request.user, schedule_id))

    @get("/{scheduleId:str}/runs", summary="List runs", operation_id="reportSchedules.listRuns")
    async def runs(
        self,
        request: ApiRequest,
        scheduleId: FromPath[str],
        report_schedules: NamedDependency[ReportSchedules],
        public_url: NamedDependency[str],
    ) -> RunList:
        """List the runs of a schedule in the last 90 days, newest period first."""
        schedule_id = known_id(scheduleId, "schedule")
        found = await report_schedules.runs(request.user.org_id, schedule_id)
        return run_list(found, public_url)


class RunRoutes(Controller):
    """Runs of schedules."""

    path = "/v2/reporting/runs"
    tags = ("Reporting",)

    @get("/{runId:str}", summary="Retrieve a run", operation_id="reportRuns.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        runId: FromPath[str],
        report_schedules: NamedDependency[ReportSchedules],
        public_url: NamedDependency[str],
    ) -> RunReply:
        """Return the run of a schedule for one period."""
        run_id = known_id(runId, "run")
        return run_reply(await report_schedules.run(request.user.org_id, run_id), public_url)

    @get("/{runId:str}/download", summary="Download a report", operation_id="reportRuns.download")
    async def download(
        self,
        request: ApiRequest,
        runId: FromPath[str],
        report_schedules: NamedDependency[ReportSchedules],
    ) -> Response[bytes]:
        """Download the file of a run, as CSV or Parquet."""
        run_id = known_id(runId, "run")
        run, file = await report_schedules.file(request.user.org_id, run_id)
        return Response(
            file.content,
            media_type=run.format.media_type,
            headers=file_headers(file.name),
        )
