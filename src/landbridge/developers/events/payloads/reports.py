"""Payloads of scheduled reports: the result of one period."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.developers.events.model import Event
from landbridge.developers.events.service import PayloadBuilder
from landbridge.reporting.schedules.model import KIND
from landbridge.reporting.schedules.schemas import RunShape, run_shape
from landbridge.reporting.schedules.service import ReportSchedules


@dataclass(frozen=True, slots=True)
class ReportPayloads:
    """Payloads of scheduled reports of all organisations."""

    report_schedules: ReportSchedules
    # Prefix of addresses of this installation.
    base_url: str

    def families(self) -> Mapping[str, PayloadBuilder]:
        """Return the payload function of each family."""
        return {KIND: self.runs}

    async def runs(self, org_id: UUID, events: Sequence[Event]) -> Sequence[RunShape | None]:
        """Return the runs of these events, which never change; None past their retention."""
        ids = [each.change.object_id for each in events]
        found = await self.report_schedules.find_runs(org_id, set(ids))
        return [run_shape(found[each], self.base_url) if each in found else None for each in ids]
