"""Proofs of reserves: the statement of a closed day, as texts that an outsider verifies offline.

The first line has the statement, and the proof that two people have confirmed its digest: the last
change of the close in the provable books. Each further line is a part of a liability tree, in tree
order: either a piece with its salt, or the hash and the units of a subtree.
"""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from landbridge.customers.wallets.service import Wallets
from landbridge.platform.core.errors import ResourceConflict, ResourceNotFound
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.proofs.transfer_proofs import TransferProofs
from landbridge.reporting.reconciliation import close_store
from landbridge.reporting.reconciliation.close_model import CloseStatus
from landbridge.reporting.reserves.model import ReserveStatement
from landbridge.reporting.reserves.service import Reserves


@dataclass(frozen=True, slots=True)
class ReserveProofs:
    """Proofs of the reserves of all organisations."""

    database: Database
    wallets: Wallets
    reserves: Reserves
    transfers: TransferProofs

    async def statement(self, org_id: UUID, close_id: UUID) -> str:
        """Return a statement with its proof, in one line.

        Raises `ResourceNotFound`, and `ResourceConflict` for a close without one, before a second
        person has confirmed it, or before a checkpoint covers it.
        """

        async def work(tx: Tx) -> str:
            return await self._first_line(tx, org_id, await _find(tx, org_id, close_id), close_id)

        return await self.database.transact(work)

    async def of_user(self, org_id: UUID, close_id: UUID, user_id: UUID) -> str:
        """Return a statement with the proof that a user's balances are in the liabilities.

        Raises as `statement`, and `ResourceNotFound` if the user had nothing.
        """

        async def work(tx: Tx) -> str:
            found = await _find(tx, org_id, close_id)
            wallet_ids = await self.wallets.ids_of(tx, org_id, user_id)
            lines = await self.reserves.lines_of(tx, org_id, found.day, user_id, wallet_ids)
            if not lines:
                raise ResourceNotFound(f"the user {user_id} had no balance in the close")
            return "\n".join([await self._first_line(tx, org_id, found, close_id), *lines, ""])

        return await self.database.transact(work)

    async def lines(self, org_id: UUID, close_id: UUID) -> AsyncIterator[str]:
        """Yield the lines of a statement with all of its trees; raises as `statement`."""
        yield await self.statement(org_id, close_id)
        found = await self.database.single(lambda tx: _find(tx, org_id, close_id))
        async for line in self.reserves.all_lines(org_id, found.day):
            yield line

    async def addresses(
        self, org_id: UUID, close_id: UUID
    ) -> tuple[date, Mapping[str, tuple[bytes, list[str]]]]:
        """Return the day of a statement, with salt and addresses of each source."""
        found = await self.database.single(lambda tx: _find(tx, org_id, close_id))
        return found.day, await self.reserves.addresses(org_id, found.day)

    async def _first_line(
        self, tx: Tx, org_id: UUID, statement: ReserveStatement, close_id: UUID
    ) -> str:
        proof = await self.transfers.of_last_change(tx, org_id, close_id, "close")
        return json.dumps({"statement": statement.text, "proof": proof}, separators=(",", ":"))


async def _find(tx: Tx, org_id: UUID, close_id: UUID) -> ReserveStatement:
    close = await close_store.get(tx, org_id, close_id)
    if close is None:
        raise ResourceNotFound(f"there is no close {close_id}")
    if close.status is not CloseStatus.COMPLETED:
        raise ResourceConflict(
            f"the close of {close.day} is {close.status}: nobody has confirmed it"
        )
    if (statement := close.content.statement) is None:
        raise ResourceConflict(f"the close of {close.day} has no statement of reserves")
    return statement
