"""Builders of the services behind the sandbox's chains and banks."""

from landbridge.platform.db.pool import Database
from landbridge.providers.simulation.scripted_outcomes import ScriptedOrders, ScriptedOutcomes
from landbridge.providers.simulation.service import SimulatedState


def make_scripted_outcomes(database: Database) -> ScriptedOutcomes:
    """Build scripted outcomes of a sandbox with its own bank."""
    return ScriptedOutcomes(database, is_sandbox=True, has_bank=True)


def make_scripted_orders(
    database: Database, simulated_state: SimulatedState | None = None
) -> ScriptedOrders:
    """Build the scripted orders of chains and banks."""
    return ScriptedOrders(
        simulated_state or SimulatedState(database), make_scripted_outcomes(database)
    )
