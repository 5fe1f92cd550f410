"""Records of the sandbox's chains: movements of coins, blocks and balances of addresses.

Orders and simulated deposits write them; they are read only as a chain would be read. No code of
the ledger reads or writes them.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Database, Row
from landbridge.providers.simulation import movement_store
from landbridge.providers.simulation.model import SimulatedMovement

# Hash below the first block.
_GENESIS = (0, "0x" + "0" * 64)


class SimulatedMovements:
    """Stores movements, and puts them into blocks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, movement: SimulatedMovement) -> None:
        """Store a transaction of one movement; does nothing if its hash is stored."""
        await self._database.single(lambda tx: movement_store.add(tx, movement))

    async def mine(self, org_id: UUID, chain: str, at: datetime) -> tuple[int, str]:
        """Put all movements that had settled at `at` into blocks; return the last block."""
        while (
            await self._database.transact(lambda tx: movement_store.mine(tx, org_id, chain, at))
            is not None
        ):
            pass
        head = await self._database.single(lambda tx: movement_store.head(tx, org_id, chain))
        return head or _GENESIS

    async def find_hash(self, org_id: UUID, chain: str, number: int) -> str | None:
        """Return the hash of a block; None if there is none."""
        if number == 0:
            return _GENESIS[1]
        return await self._database.single(
            lambda tx: movement_store.find_hash(tx, org_id, chain, number)
        )

    async def position(
        self, org_id: UUID, chain: str, addresses: Collection[str], number: int
    ) -> Mapping[str, int]:
        """Return the total balance of the addresses at a block, by asset code, in units."""
        return await self._database.single(
            lambda tx: movement_store.position(tx, org_id, chain, addresses, number)
        )

    async def list_after(
        self, org_id: UUID, chain: str, addresses: Collection[str], *, after: int, until: int
    ) -> Sequence[Row]:
        """Return the units that transactions of the next blocks moved into the addresses."""
        return await self._database.single(
            lambda tx: movement_store.movements(
                tx, org_id, chain, addresses, after=after, until=until
            )
        )
