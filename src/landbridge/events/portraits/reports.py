"""Portraits of scheduled reports: what came of a schedule for one period."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.events.model import Event
from landbridge.events.service import Portraits
from landbridge.reporting.schedules.model import KIND
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.reporting.schedules.shapes import RunShape, run_shape


@dataclass(frozen=True, slots=True)
class ReportPortraits:
    """Portraits of scheduled reports of all organisations."""

    report_schedules: ReportSchedules
    # What addresses of our own begin with.
    base_url: str

    def families(self) -> Mapping[str, Portraits]:
        """Whose portraits these are."""
        return {KIND: self.runs}

    async def runs(self, org_id: UUID, events: Sequence[Event]) -> Sequence[RunShape | None]:
        """The runs of these events, which never change; None once they were kept long enough."""
        ids = [each.change.object_id for each in events]
        found = await self.report_schedules.find_runs(org_id, set(ids))
        return [run_shape(found[each], self.base_url) if each in found else None for each in ids]
