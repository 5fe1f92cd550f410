"""Chains that reconciliation reads, and that this process reads the same ones as the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.records import ChainRecords
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation import store


@dataclass(frozen=True, slots=True)
class ConnectedChain:
    """Record of a chain, and how long one side of a payment may be early there."""

    records: ChainRecords
    patience: timedelta
    is_simulated: bool = False


async def check_connected(database: Database, chains: Mapping[Chain, ConnectedChain]) -> None:
    """Raise `ResourceConflict` if this process simulates a chain that others follow on a node.

    It would compare coins on the node with those of the simulation.
    """
    simulated = [chain for chain, each in chains.items() if each.is_simulated]
    if followed := await database.single(lambda tx: store.followed(tx, simulated)):
        raise ResourceConflict(
            f"other processes follow {', '.join(followed)} on nodes: set LANDBRIDGE_CHAINS_FILE "
            "for this one, too"
        )
