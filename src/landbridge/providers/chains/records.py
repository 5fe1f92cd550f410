"""Port to what a chain itself records of an organisation's addresses.

Reconciliation compares it with the ledger, so an adapter answers from the chain alone. Every call
raises `Unavailable` if the chain does not answer.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class RecordedBlock:
    """Block that is final; the hash also stands for all blocks below."""

    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class AddressMovement:
    """Coins that one transaction moved into the given addresses; below zero, out of them.

    Movements between them count as zero. `asset` is a code.
    """

    transaction_hash: str
    asset: str
    units: int


@dataclass(frozen=True, slots=True)
class MovementPage:
    """Movements of all blocks after those of the previous page, up to `block`."""

    block: RecordedBlock
    movements: Sequence[AddressMovement]


class ChainRecords(Protocol):
    """Reads final blocks; never called inside a database transaction."""

    async def final_block(self, org_id: UUID, chain: str, at: datetime) -> RecordedBlock:
        """Return the last final block at `at` (organisation time)."""
        ...

    async def has_block(self, org_id: UUID, chain: str, block: RecordedBlock) -> bool:
        """Return whether the chain still has a block that was final."""
        ...

    async def position(
        self, org_id: UUID, chain: str, addresses: Collection[str], block: RecordedBlock
    ) -> Mapping[str, int]:
        """Return what the addresses held together at a block, by asset code."""
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
        """Yield the movements of the blocks after `after`, in pages; the last ends at `until`."""
        ...
