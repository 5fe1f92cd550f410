"""Scripted outcomes of deliveries in sandboxes, for payments created with a plan for them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.providers.simulation.outcome_catalog import OutcomeEffect, ScriptedStep
from landbridge.providers.simulation.outcome_plans import PlannedOutcome
from landbridge.providers.simulation.scripted_outcomes import ScriptedOutcomes

_NO_ANSWER = "no answer, as scripted in the sandbox"


@dataclass(frozen=True, slots=True)
class ScriptedDelivery:
    """Scripted outcome of each delivery of a payment's events.

    `fails_until`: until then attempts fail with `error`, and nothing is sent. `waits_until`: before
    then nothing is tried. `is_twice`: each request is sent twice at once. Times are the
    organisation's.
    """

    fails_until: datetime | None = None
    waits_until: datetime | None = None
    is_twice: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class ScriptedDeliveries:
    """Reads plans; production has none."""

    scripted_outcomes: ScriptedOutcomes

    async def of(
        self, org_id: UUID, events: Collection[tuple[UUID, datetime]]
    ) -> Mapping[UUID, ScriptedDelivery]:
        """Return the plans by record; events are (object, when it happened).

        A plan's delay starts with the first event that is read here, and then never changes.
        """
        first_at: dict[UUID, datetime] = {}
        for object_id, at in events:
            first_at[object_id] = min(at, first_at.get(object_id, at))
        plans = await self.scripted_outcomes.list_plans(org_id, first_at.keys())
        found: dict[UUID, ScriptedDelivery] = {}
        for record_id, plan in plans.items():
            planned = plan.outcomes.get(ScriptedStep.WEBHOOK)
            if planned is None:
                continue
            # All events of a record form one sequence, so the first is always next.
            claim = await self.scripted_outcomes.claim_step(
                org_id, record_id, ScriptedStep.WEBHOOK, key=record_id, at=first_at[record_id]
            )
            assert claim is not None, "all events of a record have one key"
            found[record_id] = _delivery(planned, claim.first_reached_at)
        return found


def _delivery(planned: PlannedOutcome, first_at: datetime) -> ScriptedDelivery:
    until = first_at + planned.delay
    match planned.effect:
        case OutcomeEffect.UNAVAILABLE:
            return ScriptedDelivery(fails_until=until, error=_NO_ANSWER)
        case OutcomeEffect.SETTLE_LATE:
            return ScriptedDelivery(waits_until=until)
        case OutcomeEffect.TWICE:
            return ScriptedDelivery(is_twice=True)
        case _:
            raise AssertionError(f"{planned} is not an outcome of a delivery")
