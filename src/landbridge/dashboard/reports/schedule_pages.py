"""Pages of schedules, their runs and the generated files."""

from dataclasses import dataclass

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from landbridge.customers.team.service import Team
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.reporting.metrics.saved_schemas import MetricList
from landbridge.reporting.schedules.model import RECIPIENTS_MAX
from landbridge.reporting.schedules.schemas import RunList, ScheduleList, ScheduleReply
from landbridge.reporting.schedules.service import ReportSchedules

_SCHEDULES = "/v2/reporting/schedules"
_RECIPIENTS = "recipientIds"
_PAGE_PATH = "/dashboard/reports/schedules"
_FIELDS = ("name", "metricId", "every", "at", "timeZone", "format")


@dataclass(frozen=True, slots=True)
class RecipientChoices:
    """Members who can get e-mails about the runs of a schedule."""

    team: Team
    schedules: ReportSchedules

    async def values(self, request: PageRequest) -> dict[str, object]:
        """Return the values of the form's part."""
        people = await self.team.list_members(request.user.caller.org_id)
        return {
            "people": [each for each in people if not (each.removed_at or each.is_invited)],
            "recipients_max": RECIPIENTS_MAX,
            "can_mail": self.schedules.emails.can_send,
        }


def provide_recipients(
    team: NamedDependency[Team], report_schedules: NamedDependency[ReportSchedules]
) -> RecipientChoices:
    """Provide the choices to page handlers."""
    return RecipientChoices(team, report_schedules)


class SchedulePages(Controller):
    """`/dashboard/reports/schedules`, and the files of runs."""

    path = "/reports"

    @get("/schedules")
    async def index(
        self, request: PageRequest, recipients: NamedDependency[RecipientChoices]
    ) -> Response[str]:
        """List the schedules, with the form of a new one."""
        return request.page("reports/schedules.html", **await _listed(request, recipients, Form()))

    @post("/schedules")
    async def create(
        self, request: PageRequest, recipients: NamedDependency[RecipientChoices]
    ) -> Page:
        """Create a schedule."""
        form = await read_form(request)
        try:
            body = {each: form.text(each) for each in _FIELDS}
            created = await request.interface.submit(
                ScheduleReply, _SCHEDULES, {**body, _RECIPIENTS: form.texts(_RECIPIENTS)}
            )
        except Refused as problem:
            values = await _listed(request, recipients, form)
            return request.with_problem("reports/schedules.html", problem, **values)
        return redirect(f"{_PAGE_PATH}/{created.data.id}", notice=_("Schedule created"))

    @get("/schedules/{scheduleId:str}")
    async def show(
        self,
        request: PageRequest,
        scheduleId: FromPath[str],
        recipients: NamedDependency[RecipientChoices],
    ) -> Response[str]:
        """Show a schedule and its runs."""
        values = await _shown(request, recipients, scheduleId)
        return request.page("reports/schedule.html", **values)

    @post("/schedules/{scheduleId:str}")
    async def set_recipients(
        self,
        request: PageRequest,
        scheduleId: FromPath[str],
        recipients: NamedDependency[RecipientChoices],
    ) -> Page:
        """Change who gets an e-mail about each run."""
        chosen = (await read_form(request)).texts(_RECIPIENTS)
        try:
            await request.interface.post(f"{_SCHEDULES}/{scheduleId}", {_RECIPIENTS: chosen})
        except Refused as problem:
            values = await _shown(request, recipients, scheduleId)
            values["chosen"] = chosen
            return request.with_problem("reports/schedule.html", problem, **values)
        return redirect(f"{_PAGE_PATH}/{scheduleId}", notice=_("Recipients saved"))

    @post("/schedules/{scheduleId:str}/delete")
    async def delete(self, request: PageRequest, scheduleId: FromPath[str]) -> Page:
        """Delete a schedule."""
        await request.interface.delete(f"{_SCHEDULES}/{scheduleId}")
        return redirect(_PAGE_PATH, notice=_("Schedule deleted"))

    @get("/runs/{runId:str}/file")
    async def file(self, request: PageRequest, runId: FromPath[str]) -> ASGIApp:
        """Download a generated file."""
        return request.interface.passing(f"/v2/reporting/runs/{runId}/download")


async def _listed(
    request: PageRequest, recipients: RecipientChoices, form: Form
) -> dict[str, object]:
    saved = (await request.interface.read(MetricList, "/v2/reporting/metrics")).data
    return {
        "schedules": (await request.interface.read(ScheduleList, _SCHEDULES)).data,
        "saved": saved,
        "choices": [(str(each.id), each.name) for each in saved],
        "zones": [(name, name) for name in dict.fromkeys(["UTC", request.user.zone.key])],
        "form": form,
        "chosen": form.texts(_RECIPIENTS),
        **await recipients.values(request),
    }


async def _shown(
    request: PageRequest, recipients: RecipientChoices, schedule_id: str
) -> dict[str, object]:
    path = f"{_SCHEDULES}/{schedule_id}"
    schedule = (await request.interface.read(ScheduleReply, path)).data
    return {
        "schedule": schedule,
        "runs": (await request.interface.read(RunList, f"{path}/runs")).data,
        "chosen": [str(each) for each in schedule.recipient_ids],
        **await recipients.values(request),
    }
