"""Deposits that come back after they were returned to their sender.

Guarantees:
- only an onramp that has returned its deposit is reopened, and only for fiat that is here again;
- the record is locked first and everything happens in the caller's transaction, so of any number
  of callers one reopens the onramp.

The worker returns the deposit again a day later, by another payment: until then a reviewer may
settle it in another way.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from landbridge.core.errors import Broken, Refused, ResourceConflict
from landbridge.core.money import Money
from landbridge.db.pool import Tx
from landbridge.flows.onramps import moves
from landbridge.flows.onramps.model import KIND, MOVES, RETURN, Onramp, Status, as_onramp
from landbridge.ledger.corrected import check_uncorrected
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.locking import lock_record, postpone_record
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.insistence import StillRefused, refused_again
from landbridge.users.erased import is_erased

# The same bank account has just refused it.
AGAIN_AFTER: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DepositReturns:
    """Reopens onramps whose returned deposit came back."""

    ledger: Ledger

    async def return_came_back_in(
        self,
        tx: Tx,
        org_id: UUID,
        onramp_id: UUID,
        *,
        received: Money,
        actor: str,
        at: datetime,
    ) -> Onramp:
        """Reopen an onramp: `received` of the deposit that it has returned is here again.

        Raises `TransactionNotFound`, and `ResourceConflict` with what stands in the way.
        """
        record = await lock_record(tx, org_id, onramp_id)
        if record is None or record.kind != KIND:
            raise TransactionNotFound(f"there is no onramp {onramp_id}")
        onramp = as_onramp(record)
        if refusal := why_not_returned(onramp, received):
            raise refusal
        await check_uncorrected(tx, record)
        if await is_erased(tx, org_id, record.user_id):
            raise ResourceConflict(
                f"the user of onramp {onramp_id} was erased, and the sender's account with it: "
                "settle it with the bank, and resolve the line as HANDLED"
            )
        due_at = at + AGAIN_AFTER
        move = moves.return_came_back(onramp, received, actor=actor, at=at, due_at=due_at)
        moved = await self.ledger.advance_in(tx, move, MOVES)
        if not isinstance(moved, Transfer):
            raise Broken(f"reopening onramp {onramp_id}, which is locked, came out as {moved}")
        # Its payment is done under the key that it had; the next one has the next key.
        facts = refused_again(moved, StillRefused(RETURN, "it came back"))
        await postpone_record(tx, moved, due_at, facts)
        return as_onramp(replace(moved, facts={**moved.facts, **facts}))


def why_not_returned(onramp: Onramp, received: Money) -> Refused | None:
    """The refusal of a return, by the onramp itself; None if `received` may reopen it."""
    name, deposit = f"onramp {onramp.record.id}", onramp.deposit
    match onramp.status:
        case Status.FIAT_RETURNED if onramp.details.is_reversed:
            return ResourceConflict(f"{name} has returned nothing: the bank took its deposit back")
        case Status.FIAT_RETURNED if (
            received.asset != deposit.asset or not 0 < received.units <= deposit.units
        ):
            return ResourceConflict(
                f"{name} has returned {deposit} {deposit.asset.currency}, and {received} "
                f"{received.asset.currency} came back"
            )
        case Status.FIAT_RETURNED:
            return None
        case status:
            return ResourceConflict(
                f"{name} is {status}: resolve it once it is FIAT_RETURNED, as it will be when the "
                "worker learns that the return was settled"
            )
