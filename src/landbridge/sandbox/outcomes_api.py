"""Route that lists the outcomes that can be scripted: /v2/sandbox/outcomes."""

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.platform.http.responses import WireStruct
from landbridge.providers.simulation.outcome_catalog import CATALOGUE, ScriptedOutcome
from landbridge.providers.simulation.outcome_plans import HEADER, format_delay
from landbridge.providers.simulation.scripted_outcomes import ScriptedOutcomes


class OutcomeReply(WireStruct, frozen=True):
    """One outcome of a step, for payments of these types.

    `defaultDelay` applies if no delay is given, as in `3d`; null for an outcome without a delay.
    """

    step: str
    outcome: str
    description: str
    transfer_types: tuple[str, ...]
    default_delay: str | None


class OutcomesReply(WireStruct, frozen=True):
    """All outcomes, in the order of a payment's steps, and the header that scripts them."""

    header: str
    outcomes: list[OutcomeReply]


class OutcomeRoutes(Controller):
    """List outcomes that can be scripted; refused in production."""

    path = "/v2/sandbox/outcomes"
    tags = ("Sandbox",)

    @get(summary="List what can be forced", operation_id="sandbox.listOutcomes")
    async def outcomes(self, scripted_outcomes: NamedDependency[ScriptedOutcomes]) -> OutcomesReply:
        """Every step=outcome that the header Landbridge-Sandbox of a create accepts."""
        scripted_outcomes.check_sandbox()
        return OutcomesReply(header=HEADER, outcomes=[_reply(each) for each in CATALOGUE])


def _reply(outcome: ScriptedOutcome) -> OutcomeReply:
    return OutcomeReply(
        step=outcome.step,
        outcome=outcome.name,
        description=outcome.description,
        transfer_types=outcome.kinds,
        default_delay=None if outcome.delay is None else format_delay(outcome.delay),
    )
