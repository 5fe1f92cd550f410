"""What a sandbox makes of deliveries, for payments that were created with a plan for them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.simulation.forcing import Forcing
from landbridge.simulation.outcomes import Effect, Step
from landbridge.simulation.plans import Forced

_NO_ANSWER = "no answer, as the sandbox was asked"


@dataclass(frozen=True, slots=True)
class ForcedDelivery:
    """What becomes of each delivery of a payment's events.

    `fails_until`: until then attempts fail with `error`, and nothing is sent. `waits_until`: before
    then nothing is tried. `is_twice`: what is sent is sent twice at once. Times are the
    organisation's.
    """

    fails_until: datetime | None = None
    waits_until: datetime | None = None
    is_twice: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class ForcedDeliveries:
    """Looks plans up; in production there are none."""

    forcing: Forcing

    async def of(
        self, org_id: UUID, events: Collection[tuple[UUID, datetime]]
    ) -> Mapping[UUID, ForcedDelivery]:
        """By record, of those with such a plan; events are (object, when it happened).

        A plan's delay begins with the first event that is asked about here, whoever asks, and is
        the same ever after.
        """
        first_at: dict[UUID, datetime] = {}
        for object_id, at in events:
            first_at[object_id] = min(at, first_at.get(object_id, at))
        plans = await self.forcing.of(org_id, first_at.keys())
        found: dict[UUID, ForcedDelivery] = {}
        for record_id, plan in plans.items():
            forced = plan.outcomes.get(Step.WEBHOOK)
            if forced is None:
                continue
            # Of a record all events are one order, so it is always its turn.
            turn = await self.forcing.turn(
                org_id, record_id, Step.WEBHOOK, key=record_id, at=first_at[record_id]
            )
            assert turn is not None, "all events of a record have one key"
            found[record_id] = _delivery(forced, turn.first_at)
        return found


def _delivery(forced: Forced, first_at: datetime) -> ForcedDelivery:
    until = first_at + forced.delay
    match forced.effect:
        case Effect.AWAY:
            return ForcedDelivery(fails_until=until, error=_NO_ANSWER)
        case Effect.SETTLE_LATE:
            return ForcedDelivery(waits_until=until)
        case Effect.TWICE:
            return ForcedDelivery(is_twice=True)
        case _:
            raise AssertionError(f"{forced} is nothing that can become of deliveries")
