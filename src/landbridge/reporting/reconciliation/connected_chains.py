"""Chains that reconciliation reads, and the check that all processes read the same ones."""

import time
from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from landbridge.platform.core.errors import ResourceConflict, Unavailable
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.records import ChainRecords
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation import store


@dataclass(frozen=True, slots=True)
class ConnectedChain:
    """Reader of a chain, and its patience: how long one side of a payment may be early."""

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


# Consecutive calls without an answer after which a chain is not called for a while.
_FAILURES: Final = 3
_PAUSE_S: Final = 30


class SilentChains:
    """Counts calls without an answer in a row, by chain, within a run over many organisations.

    Each call to such a chain lasts until its timeout. One call for each organisation would delay
    the comparison of all others by hours.
    """

    def __init__(self) -> None:
        self._failures: dict[Chain, int] = defaultdict(int)
        self._until_s: dict[Chain, float] = {}

    @contextmanager
    def asking(self, chain: Chain) -> Generator[None]:
        """Count whether a call is answered; raise `Unavailable` at once if recent ones were not."""
        if self._until_s.get(chain, 0) > time.monotonic():
            raise Unavailable(f"{chain} has not answered for other organisations")
        try:
            yield
        except Unavailable:
            self._failures[chain] += 1
            if self._failures[chain] >= _FAILURES:
                self._until_s[chain] = time.monotonic() + _PAUSE_S
            raise
        self._failures[chain] = 0
