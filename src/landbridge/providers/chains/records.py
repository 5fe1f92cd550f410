"""Port to a chain's own records about an organisation's addresses.

Reconciliation compares these with the ledger, so an adapter uses only the chain as its source.
Every call raises `Unavailable` if the chain does not answer.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class RecordedBlock:
    """Final block; its hash also identifies all blocks below it."""

    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class AddressMovement:
    """Units that one transaction moved into the given addresses; negative if it moved them out.

    Movements between these addresses are zero. `asset` is an asset code.
    """

    transaction_hash: str
    asset: str
    units: int


@dataclass(frozen=True, slots=True)
class MovementPage:
    """Movements in the blocks from the end of the previous page up to `block`."""

    block: RecordedBlock
    movements: Sequence[AddressMovement]


class ChainRecords(Protocol):
    """Reads final blocks; never called inside a database transaction."""

    async def final_block(self, org_id: UUID, chain: str, at: datetime) -> RecordedBlock:
        """Return the last block that is final at `at` (organisation time)."""
        ...

    async def has_block(self, org_id: UUID, chain: str, block: RecordedBlock) -> bool:
        """Return whether the chain still has a block that was final before."""
        ...

    async def position(
        self, org_id: UUID, chain: str, addresses: Collection[str], block: RecordedBlock
    ) -> Mapping[str, int]:
        """Return the total balance of the addresses at a block, by asset code, in units."""
        ...

    def movements(
        self,
        org_id: UUID,
        chain: str,
        addresses: Collection[str],
        *,
        after: int,
        until: RecordedBlock,
    ) -> AsyncIterator[MovementPage]:
        """Yield the movements in the blocks after `after`, in pages; the last ends at `until`."""
        ...
