"""Content of schedules: validation when one is created, and reading when a report is made."""

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from landbridge.platform.core.errors import FieldInvalid, FieldsInvalid
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller
from landbridge.reporting.date_params import check_zone
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.custom.model import at_version
from landbridge.reporting.metrics.params import as_json, as_stored
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.rollups.model import UTC_ZONE
from landbridge.reporting.schedules import periods
from landbridge.reporting.schedules.model import (
    NAME_LENGTH_MAX,
    PARAMS_BYTES_MAX,
    ReportDefinition,
    ReportSchedule,
    SchedulePlan,
)
from landbridge.reporting.schedules.schemas import NewSchedule

# Parameters that a schedule sets for each period.
_OWN_PARAMS = frozenset({"createdAfter", "createdBefore", "timeZone"})


async def validate(
    calculator: Calculator,
    saved_metrics: SavedMetrics,
    caller: Caller,
    request: NewSchedule,
    now: datetime,
) -> tuple[str, SchedulePlan, ReportDefinition]:
    """Validate a request; return name, plan and content to store. Raises `FieldsInvalid`."""
    faults: dict[str, str] = {}
    name, zone = request.name, UTC_ZONE
    definition: ReportDefinition | None = None
    try:
        name = check_text("name", request.name, length_max=NAME_LENGTH_MAX)
    except FieldInvalid as error:
        faults["name"] = error.message
    try:
        zone = await check_zone(calculator.sources.rollups, caller.org_id, request.time_zone)
    except FieldInvalid as error:
        faults["timeZone"] = error.message
    plan = SchedulePlan(request.every, time.fromisoformat(request.at), zone)
    period = periods.first_due(plan, now)
    ended = periods.preceding(plan, period)
    try:
        definition = _definition(request)
        template, params = await content_of(saved_metrics, caller.org_id, definition)
        found = await calculator.find(caller.org_id, template)
        query = await calculator.parse(caller, found, period_params(params, plan, ended))
        if definition.metric_id is None:
            definition = ReportDefinition(None, found.reference, _stored_params(query.given))
    except FieldsInvalid as error:
        faults |= error.fields
    if faults or definition is None:
        raise FieldsInvalid(faults)
    return name, plan, definition


async def content_of(
    saved_metrics: SavedMetrics, org_id: UUID, definition: ReportDefinition
) -> tuple[str, Mapping[str, Any]]:
    """Return template and parameters of a report; a saved metric has its current ones."""
    if definition.metric_id is None:
        return definition.template or "", definition.params or {}
    metric = await saved_metrics.get(org_id, definition.metric_id)
    return metric.template, metric.params


async def template_at(
    calculator: Calculator, caller: Caller, schedule: ReportSchedule, version: int
) -> str:
    """Return the reference of the schedule's own template in another version.

    Raises `FieldsInvalid` if the schedule's parameters do not fit that version.
    """
    definition, plan = schedule.definition, schedule.plan
    if definition.template is None or definition.params is None:
        raise FieldsInvalid({"templateVersion": "templateVersion: the saved metric has its own"})
    template = at_version(definition.template, version)
    if template != definition.template:
        ended = periods.preceding(plan, schedule.period)
        await calculator.parse(caller, template, period_params(definition.params, plan, ended))
    return template


def _definition(request: NewSchedule) -> ReportDefinition:
    """Return the report's content; raises `FieldsInvalid` unless exactly one of both is given."""
    if request.metric_id is not None:
        extra = [name for name in ("template", "params") if getattr(request, name) is not None]
        if extra:
            sentence = "leave it out: the saved metric has its own"
            raise FieldsInvalid({name: f"{name}: {sentence}" for name in extra})
        return ReportDefinition(request.metric_id, None, None)
    if request.template is None:
        raise FieldsInvalid({"template": "name a template, or a saved metric by metricId"})
    return ReportDefinition(None, request.template, request.params or {})


def _stored_params(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the valid parameters that the schedule does not set itself, as stored.

    Raises `FieldsInvalid` if they are too long.
    """
    stored = {name: each for name, each in params.items() if name not in _OWN_PARAMS}
    if len(as_json(stored).encode()) > PARAMS_BYTES_MAX:
        raise FieldsInvalid({"params": f"params have more than {PARAMS_BYTES_MAX} bytes"})
    return as_stored(stored)


def period_params(params: Mapping[str, Any], plan: SchedulePlan, period: date) -> Mapping[str, Any]:
    """Return the parameters for the report of one period."""
    return {
        **params,
        "createdAfter": period.isoformat(),
        "createdBefore": periods.end_of(plan, period).isoformat(),
        "timeZone": plan.zone,
    }
