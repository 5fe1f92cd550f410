"""Records of the sandbox's chains; see the port (records.py)."""

from collections.abc import AsyncIterator, Collection, Mapping
from datetime import datetime
from uuid import UUID

from landbridge.providers.chains.records import AddressMovement, MovementPage, RecordedBlock
from landbridge.providers.simulation.movements import SimulatedMovements


class SandboxChainRecords:
    """Reads the records of the sandbox's chains, in which every block is final."""

    def __init__(self, simulated_movements: SimulatedMovements) -> None:
        self._simulated_movements = simulated_movements

    async def final_block(self, org_id: UUID, chain: str, at: datetime) -> RecordedBlock:
        """Return the last block, which contains everything that had settled at `at`."""
        return RecordedBlock(*await self._simulated_movements.mine(org_id, chain, at))

    async def has_block(self, org_id: UUID, chain: str, block: RecordedBlock) -> bool:
        """Return whether the chain has a block."""
        return await self._simulated_movements.find_hash(org_id, chain, block.number) == block.hash

    async def position(
        self, org_id: UUID, chain: str, addresses: Collection[str], block: RecordedBlock
    ) -> Mapping[str, int]:
        """Return the total balance of the addresses at a block; see the port."""
        return await self._simulated_movements.position(org_id, chain, addresses, block.number)

    async def movements(
        self,
        org_id: UUID,
        chain: str,
        addresses: Collection[str],
        *,
        after: int,
        until: RecordedBlock,
    ) -> AsyncIterator[MovementPage]:
        """Yield the movements after a block, in pages; see the port."""
        while after < until.number:
            rows = await self._simulated_movements.list_after(
                org_id, chain, addresses, after=after, until=until.number
            )
            if not rows:
                break
            last = rows[-1]
            after = last["block_number"]
            yield MovementPage(
                RecordedBlock(after, last["hash"]),
                [
                    AddressMovement(row["transaction_hash"], row["asset"], int(row["units"]))
                    for row in rows
                    if row["units"]
                ],
            )
        yield MovementPage(until, ())
