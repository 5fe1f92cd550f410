"""Reopens onramps if a deposit that was returned to its sender comes back.

Guarantees:
- Only an onramp that has returned its deposit is reopened, and only for fiat that has come back.
- A deposit that its bank has reversed is not returned again before its user has paid the debt.
- The record is locked first and everything happens in the caller's transaction, so of several
  concurrent callers one reopens the onramp.

The worker returns the deposit again a day later, by another payment. Until then a reviewer may
settle it in another way.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from landbridge.customers.users.erasure_check import is_erased
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.locking import lock_record, postpone_record
from landbridge.ledger.model import Transfer
from landbridge.ledger.reversed_journals import check_uncorrected
from landbridge.ledger.service import Ledger
from landbridge.payments.engine.retry_until_settled import RetryExhausted, record_refusal
from landbridge.payments.onramps import transitions
from landbridge.payments.onramps.model import (
    KIND,
    RETURN,
    TRANSITIONS,
    Onramp,
    OnrampStatus,
    as_onramp,
)
from landbridge.payments.onramps.reversals import ReceivableOpener
from landbridge.platform.core.errors import InvariantBroken, Refused, ResourceConflict
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx

# Delay before the deposit is returned again, because the same bank account has just rejected it.
RETURN_RETRY_DELAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class OnrampDepositReturns:
    """Reopens onramps after their returned deposit came back."""

    ledger: Ledger
    receivables: ReceivableOpener

    async def return_again_in(
        self,
        tx: Tx,
        org_id: UUID,
        onramp_id: UUID,
        *,
        received: Money,
        actor: str,
        at: datetime,
    ) -> Onramp:
        """Reopen an onramp because the amount `received` of its returned deposit came back.

        Raises `TransactionNotFound`, and `ResourceConflict` if the onramp can't be reopened.
        """
        record = await lock_record(tx, org_id, onramp_id)
        if record is None or record.kind != KIND:
            raise TransactionNotFound(f"there is no onramp {onramp_id}")
        onramp = as_onramp(record)
        if refusal := return_refusal(onramp, received):
            raise refusal
        await check_uncorrected(tx, record)
        if await self.receivables.is_recovered_in(tx, record) is False:
            raise ResourceConflict(
                f"the user of onramp {onramp_id} owes its deposit, which the bank has reversed: "
                "close the receivable by RECOVER, or correct it if it was written off (landbridge "
                "correct), and resolve the line as HANDLED"
            )
        if await is_erased(tx, org_id, record.user_id):
            raise ResourceConflict(
                f"the user of onramp {onramp_id} was erased, and the sender's account with it: "
                "settle it with the bank, and resolve the line as HANDLED"
            )
        due_at = at + RETURN_RETRY_DELAY
        move = transitions.return_received(onramp, received, actor=actor, at=at, due_at=due_at)
        moved = await self.ledger.advance_in(tx, move, TRANSITIONS)
        if not isinstance(moved, Transfer):
            raise InvariantBroken(
                f"reopening onramp {onramp_id}, which is locked, resulted in {moved}"
            )
        # The payment under the present key was executed, so the next payment needs the next key.
        facts = record_refusal(moved, RetryExhausted(RETURN, "it came back"))
        await postpone_record(tx, moved, due_at, facts)
        return as_onramp(replace(moved, facts={**moved.facts, **facts}))


def return_refusal(onramp: Onramp, received: Money) -> Refused | None:
    """Return why a return of `received` can't reopen the onramp; None if it can."""
    name, deposit = f"onramp {onramp.record.id}", onramp.deposit
    match onramp.status:
        case OnrampStatus.FIAT_RETURNED if onramp.details.is_reversed:
            return ResourceConflict(f"{name} has returned nothing: the bank reversed its deposit")
        case OnrampStatus.FIAT_RETURNED if (
            received.asset != deposit.asset or not 0 < received.units <= deposit.units
        ):
            return ResourceConflict(
                f"{name} has returned {deposit} {deposit.asset.currency}, and {received} "
                f"{received.asset.currency} came back"
            )
        case OnrampStatus.FIAT_RETURNED:
            return None
        case status:
            return ResourceConflict(
                f"{name} is {status}: resolve it once it is FIAT_RETURNED, after the "
                "worker has recorded that the return was settled"
            )
