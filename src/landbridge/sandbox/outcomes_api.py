"""The route that lists what later steps can be made to come to: /v2/sandbox/outcomes."""

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.simulation.forcing import Forcing
from landbridge.simulation.outcomes import CATALOGUE, Outcome
from landbridge.simulation.plans import HEADER, spell
from landbridge.web.reply import WireStruct


class OutcomeReply(WireStruct, frozen=True):
    """One outcome of a step, for payments of these types.

    `defaultDelay` is the delay that is meant if none is told, as in `3d`; null for an outcome that
    takes none.
    """

    step: str
    outcome: str
    description: str
    transfer_types: tuple[str, ...]
    default_delay: str | None


class OutcomesReply(WireStruct, frozen=True):
    """All outcomes, in the order in which payments meet their steps, and the header to ask with."""

    header: str
    outcomes: list[OutcomeReply]


class OutcomeRoutes(Controller):
    """What can be forced; refused in production."""

    path = "/v2/sandbox/outcomes"
    tags = ("Sandbox",)

    @get(summary="List what can be forced")
    async def outcomes(self, forcing: NamedDependency[Forcing]) -> OutcomesReply:
        """Every step=outcome that the header Landbridge-Sandbox of a create takes."""
        forcing.check_sandbox()
        return OutcomesReply(header=HEADER, outcomes=[_reply(each) for each in CATALOGUE])


def _reply(outcome: Outcome) -> OutcomeReply:
    return OutcomeReply(
        step=outcome.step,
        outcome=outcome.name,
        description=outcome.happens,
        transfer_types=outcome.kinds,
        default_delay=None if outcome.delay is None else spell(outcome.delay),
    )
