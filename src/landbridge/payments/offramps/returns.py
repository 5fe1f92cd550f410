"""Reopens offramps if a bank returns their payout after it was settled.

Guarantees:
- Only a completed offramp is reopened, once, and only for fiat that has come back.
- An offramp with corrected journals is refused: its user would get the coins twice.
- The record is locked first and everything happens in the caller's transaction, so of several
  concurrent callers one reopens the offramp.

From FIAT_FAILED the worker refunds the coins as after any other failed payout.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.customers.users.erasure_check import is_erased
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.locking import lock_record
from landbridge.ledger.model import Transfer
from landbridge.ledger.reversed_journals import check_uncorrected
from landbridge.ledger.service import Ledger
from landbridge.payments.limits.service import Limits
from landbridge.payments.offramps import transitions
from landbridge.payments.offramps.model import KIND, TRANSITIONS, Offramp, OfframpStatus, as_offramp
from landbridge.platform.core.errors import InvariantBroken, Refused, ResourceConflict
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx


@dataclass(frozen=True, slots=True)
class OfframpPayoutReturns:
    """Reopens offramps after their payout was returned."""

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
        """Reopen a completed offramp because the amount `received` of its payout came back.

        `reason` is a sentence of ours, without personal data. The payment's limit usage is released
        once the coins are refunded. Raises `TransactionNotFound`, and `ResourceConflict` if the
        offramp can't be reopened.
        """
        record = await lock_record(tx, org_id, offramp_id)
        if record is None or record.kind != KIND:
            raise TransactionNotFound(f"there is no offramp {offramp_id}")
        offramp = as_offramp(record)
        if refusal := return_refusal(offramp, received):
            raise refusal
        await _check_returnable(tx, offramp)
        move = transitions.payout_returned(offramp, received, reason=reason, actor=actor, at=at)
        moved = await self.ledger.advance_in(tx, move, TRANSITIONS)
        if not isinstance(moved, Transfer):
            raise InvariantBroken(
                f"reopening offramp {offramp_id}, which is locked, resulted in {moved}"
            )
        await self.limits.reopen_in(tx, org_id, offramp_id, at=at)
        return as_offramp(moved)


def return_refusal(offramp: Offramp, received: Money) -> Refused | None:
    """Return why a return of `received` can't reopen the offramp; None if it can."""
    name, receive = f"offramp {offramp.record.id}", offramp.receive
    paid = f"{receive} {receive.asset.currency}"
    match offramp.status:
        case OfframpStatus.COMPLETED if received.asset != receive.asset or received.units <= 0:
            return ResourceConflict(f"{name} paid {paid}, but none of it came back")
        case OfframpStatus.COMPLETED if received.units > receive.units:
            return ResourceConflict(
                f"{name} paid {paid}, and {received} {received.asset.currency} came back: the rest "
                "belongs to another payment"
            )
        case OfframpStatus.COMPLETED:
            return None
        case OfframpStatus.FIAT_FAILED | OfframpStatus.CRYPTO_RETURNED:
            return ResourceConflict(
                f"{name} is {offramp.status}: its payout has failed already, and its coins are "
                "being refunded"
            )
        case status:
            return ResourceConflict(
                f"{name} is {status}: resolve it once it is COMPLETED, after the worker "
                "has recorded that its payout was settled"
            )


async def _check_returnable(tx: Tx, offramp: Offramp) -> None:
    """Raise `ResourceConflict` if a journal was corrected, or the user cannot get the coins."""
    record, details = offramp.record, offramp.details
    await check_uncorrected(tx, record)
    if details.return_account_id is None:
        return
    owner_id = details.return_user_id or record.user_id
    if await is_erased(tx, record.org_id, owner_id):
        raise ResourceConflict(
            f"the coins of offramp {record.id} would be refunded to user {owner_id}, who was "
            "erased: "
            "settle it with that person outside of the platform, and resolve the line as HANDLED"
        )
