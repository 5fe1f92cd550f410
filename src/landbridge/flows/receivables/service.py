"""Verbs on receivables: open one, get, list.

They are closed by a reviewer's resolution that a second person approves, with the moves of
moves.py.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.core.errors import Broken, ResourceConflict, ResourceNotFound
from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.flows.receivables import moves, store
from landbridge.flows.receivables.model import KIND, MOVES, Receivable, Status, as_receivable
from landbridge.ledger.model import Outcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.web.caller import Caller
from landbridge.web.lookers import check_looker


@dataclass(frozen=True, slots=True)
class Receivables:
    """Receivables of all organisations."""

    database: Database
    ledger: Ledger

    async def open_in(
        self, tx: Tx, payment: Transfer, money: Money, *, reason: str, actor: str, at: datetime
    ) -> Transfer:
        """Open the receivable of a payment whose fiat was taken back, in the caller's transaction.

        `reason` is a sentence of ours, without personal data. Raises `ResourceConflict` if the
        payment has one already: a caller that is run again first looks for its own work.
        """
        opening = moves.opened(
            payment, money, request_id=new_id(), reason=reason, actor=actor, at=at
        )
        opened = await self.ledger.open_in(tx, opening, MOVES)
        if isinstance(opened, Outcome):
            raise Broken(f"opening receivable {opening.id} came out as {opened}")
        if opened.is_replay:
            raise ResourceConflict(
                f"the deposit of {payment.kind} {payment.id} was reversed before: see receivable "
                f"{opening.id}"
            )
        return opened.transfer

    async def get(self, caller: Caller, receivable_id: UUID) -> Receivable:
        """A receivable, open or closed; raises `RoleNotAllowed` and `ResourceNotFound`."""
        check_looker(caller)
        found = await self.ledger.find(caller.org_id, receivable_id)
        if found is None or found.kind != KIND:
            raise ResourceNotFound(f"there is no receivable {receivable_id}")
        return as_receivable(found)

    async def queue(
        self, caller: Caller, statuses: Collection[Status], window: Window
    ) -> Sequence[Receivable]:
        """Those of these statuses, the oldest first; raises `RoleNotAllowed`."""
        check_looker(caller)
        org_id = caller.org_id
        found = await self.database.single(lambda tx: store.queue(tx, org_id, statuses, window))
        # Asked at once, so that the ledger looks them up together.
        records = await asyncio.gather(*(self.ledger.get(org_id, KIND, each) for each in found))
        return [as_receivable(each) for each in records]

    async def find_of(self, caller: Caller, payment_id: UUID) -> Receivable | None:
        """The receivable of a payment, if it has one; raises `RoleNotAllowed`."""
        check_looker(caller)
        found = await self.ledger.find(caller.org_id, moves.receivable_id(payment_id))
        return None if found is None else as_receivable(found)
