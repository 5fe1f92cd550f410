"""Payouts that a bank gives back after they were settled.

Guarantees:
- only a completed offramp is reopened, once, and only for fiat that is here again;
- an offramp whose journals were corrected is refused: its user would have the coins twice;
- the record is locked first and everything happens in the caller's transaction, so of any number
  of callers one reopens the offramp.

From FIAT_FAILED the worker gives the coins back as after any other failed payout.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.core.errors import Broken, Refused, ResourceConflict
from landbridge.core.money import Money
from landbridge.db.pool import Tx
from landbridge.flows.offramps import moves
from landbridge.flows.offramps.model import KIND, MOVES, Offramp, Status, as_offramp
from landbridge.ledger.corrected import check_uncorrected
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.locking import lock_record
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.limits.service import Limits
from landbridge.users.erased import is_erased


@dataclass(frozen=True, slots=True)
class PayoutReturns:
    """Reopens offramps whose payout came back."""

    ledger: Ledger
    limits: Limits

    async def payout_returned_in(
        self,
        tx: Tx,
        org_id: UUID,
        offramp_id: UUID,
        *,
        received: Money,
        reason: str,
        actor: str,
        at: datetime,
    ) -> Offramp:
        """Reopen a completed offramp: `received` of its payout is here again.

        `reason` is a sentence of ours, without personal data. What the payment used of its user's
        limits is given back once the coins are. Raises `TransactionNotFound`, and
        `ResourceConflict` with what stands in the way.
        """
        record = await lock_record(tx, org_id, offramp_id)
        if record is None or record.kind != KIND:
            raise TransactionNotFound(f"there is no offramp {offramp_id}")
        offramp = as_offramp(record)
        if refusal := why_not_returned(offramp, received):
            raise refusal
        await _check_returnable(tx, offramp)
        move = moves.payout_returned(offramp, received, reason=reason, actor=actor, at=at)
        moved = await self.ledger.advance_in(tx, move, MOVES)
        if not isinstance(moved, Transfer):
            raise Broken(f"reopening offramp {offramp_id}, which is locked, came out as {moved}")
        await self.limits.reopen_in(tx, org_id, offramp_id, at=at)
        return as_offramp(moved)


def why_not_returned(offramp: Offramp, received: Money) -> Refused | None:
    """The refusal of a return, by the offramp itself; None if `received` may reopen it."""
    name, receive = f"offramp {offramp.record.id}", offramp.receive
    paid = f"{receive} {receive.asset.currency}"
    match offramp.status:
        case Status.COMPLETED if received.asset != receive.asset or received.units <= 0:
            return ResourceConflict(f"{name} paid {paid}, and nothing of that came back")
        case Status.COMPLETED if received.units > receive.units:
            return ResourceConflict(
                f"{name} paid {paid}, and {received} {received.asset.currency} came back: the rest "
                "belongs to something else"
            )
        case Status.COMPLETED:
            return None
        case Status.FIAT_FAILED | Status.CRYPTO_RETURNED:
            return ResourceConflict(
                f"{name} is {offramp.status}: its payout has failed already, and its coins are "
                "given back"
            )
        case status:
            return ResourceConflict(
                f"{name} is {status}: resolve it once it is COMPLETED, as it will be when the "
                "worker learns that its payout was settled"
            )


async def _check_returnable(tx: Tx, offramp: Offramp) -> None:
    """Raise `ResourceConflict` if the books were corrected, or the user can't get the coins."""
    record, details = offramp.record, offramp.details
    await check_uncorrected(tx, record)
    if details.return_account_id is None:
        return
    owner_id = details.return_user_id or record.user_id
    if await is_erased(tx, record.org_id, owner_id):
        raise ResourceConflict(
            f"the coins of offramp {record.id} would go back to user {owner_id}, who was erased: "
            "settle it with that person outside of the platform, and resolve the line as HANDLED"
        )
