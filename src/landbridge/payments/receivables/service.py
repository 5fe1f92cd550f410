"""Receivable service: creates and reads receivables.

A reviewer's resolution closes a receivable, once a second person has approved it, with the
transitions in transitions.py.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.ledger.locking import find_record
from landbridge.ledger.model import CommitOutcome, Transfer
from landbridge.ledger.record_queues import RecordQueues
from landbridge.ledger.service import Ledger
from landbridge.payments.receivables import transitions
from landbridge.payments.receivables.model import (
    KIND,
    TRANSITIONS,
    Receivable,
    ReceivableStatus,
    as_receivable,
)
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.reviewer_access import check_reviewer_access


@dataclass(frozen=True, slots=True)
class Receivables:
    """Manages receivables of all organisations."""

    ledger: Ledger
    queues: RecordQueues

    async def create_in(
        self, tx: Tx, payment: Transfer, money: Money, *, reason: str, actor: str, at: datetime
    ) -> Transfer:
        """Create the receivable of a payment because its bank took the fiat back.

        Must run in the caller's transaction. `reason` is a sentence of ours, without personal data.
        Raises `ResourceConflict` if the payment has one already: a caller that may repeat the call
        checks first whether an earlier attempt has created it.
        """
        creation = transitions.opened(
            payment, money, request_id=new_id(), reason=reason, actor=actor, at=at
        )
        opened = await self.ledger.create_in(tx, creation, TRANSITIONS)
        if isinstance(opened, CommitOutcome):
            raise InvariantBroken(f"creating receivable {creation.id} resulted in {opened}")
        if opened.is_replay:
            raise ResourceConflict(
                f"the deposit of {payment.kind} {payment.id} was reversed before: see receivable "
                f"{creation.id}"
            )
        return opened.transfer

    async def is_recovered_in(self, tx: Tx, payment: Transfer) -> bool | None:
        """Return whether the receivable of a payment was paid; None if there is no receivable."""
        found = await find_record(tx, payment.org_id, transitions.receivable_id(payment.id))
        return None if found is None else found.status == ReceivableStatus.RECOVERED

    async def get(self, caller: Caller, receivable_id: UUID) -> Receivable:
        """Return a receivable, open or closed; raises `RoleNotAllowed` and `ResourceNotFound`."""
        check_reviewer_access(caller)
        found = await self.ledger.find(caller.org_id, receivable_id)
        if found is None or found.kind != KIND:
            raise ResourceNotFound(f"there is no receivable {receivable_id}")
        return as_receivable(found)

    async def queue(
        self, caller: Caller, statuses: Collection[ReceivableStatus], window: QueueWindow
    ) -> Sequence[Receivable]:
        """Return receivables of these statuses, the oldest first; raises `RoleNotAllowed`."""
        check_reviewer_access(caller)
        found = await self.queues.oldest(caller.org_id, KIND, statuses, window)
        return [as_receivable(each) for each in found]

    async def find_of(self, caller: Caller, payment_id: UUID) -> Receivable | None:
        """Return the receivable of a payment, None if it has none; raises `RoleNotAllowed`."""
        check_reviewer_access(caller)
        found = await self.ledger.find(caller.org_id, transitions.receivable_id(payment_id))
        return None if found is None else as_receivable(found)
