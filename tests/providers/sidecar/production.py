"""Production mode for tests: providers of a file, and a chain that is simulated."""

from msgspec import structs

from landbridge.app.settings import Settings
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.model import Mode
from landbridge.providers.chains.sandbox import SandboxChains
from landbridge.providers.simulation.scripted_outcomes import ScriptedOrders, ScriptedOutcomes
from landbridge.providers.simulation.service import SimulatedState
from tests.tenants import SETTINGS


def production_settings(providers_file: str) -> Settings:
    """Return the settings of production; no rails but the providers."""
    return structs.replace(SETTINGS, mode=Mode.PRODUCTION, providers_file=providers_file)


def sandbox_chains(database: Database) -> SandboxChains:
    """Return the simulated chains, which production does not have."""
    outcomes = ScriptedOutcomes(database, is_sandbox=True, has_bank=False)
    return SandboxChains(ScriptedOrders(SimulatedState(database), outcomes))
