"""Fiat of nobody's that comes back after it was returned, or that the bank takes back.

Guarantees:
- the receipt is locked first and everything happens in the caller's transaction, so of any number
  of callers one moves it;
- what the bank took back is never returned to its sender as well.

None of this is in the books: what is nobody's is not ours.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from landbridge.core.errors import ResourceConflict, ResourceNotFound
from landbridge.core.money import Money
from landbridge.core.tries import key_of_try
from landbridge.db.pool import Tx
from landbridge.receipts import store
from landbridge.receipts.model import Status
from landbridge.receipts.service import tell_of
from landbridge.receipts.store import SealedReceipt

# The same bank account has just refused it.
AGAIN_AFTER: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ReturnOrder:
    """The payment that returns a receipt now: its key, and whether there may be one."""

    key: UUID
    is_due: bool


class ReceiptReturns:
    """Moves receipts of nobody's, in transactions of others."""

    async def record_of(self, tx: Tx, org_id: UUID, receipt_id: UUID) -> UUID | None:
        """The record that a receipt pays, if any; raises `ResourceNotFound`."""
        found = await store.of(tx, org_id, [receipt_id])
        if not found:
            raise _unknown(receipt_id)
        return found[0].transfer_id

    async def return_came_back_in(
        self,
        tx: Tx,
        org_id: UUID,
        receipt_id: UUID,
        *,
        received: Money,
        actor: str,
        at: datetime,
    ) -> None:
        """Have a receipt returned again, a day later: the payment that returned it came back.

        Raises `ResourceConflict` with what stands in the way.
        """
        receipt = await _locked(tx, org_id, receipt_id)
        if receipt.status is not Status.RETURNED:
            raise ResourceConflict(
                f"deposit {receipt_id} is {receipt.status}: resolve it once it is RETURNED, as it "
                "will be when the worker learns that the return was settled"
            )
        if received != receipt.money:
            raise ResourceConflict(
                f"deposit {receipt_id} is of {receipt.money}, and {received} came back: the rest "
                "is the bank's. Settle it with the bank, and resolve the line as HANDLED"
            )
        if receipt.sealed_words is None:
            raise ResourceConflict(
                f"nobody knows any more who sent deposit {receipt_id}: settle it with the bank, "
                "and resolve the line as HANDLED"
            )
        await store.reopen(tx, org_id, receipt_id, at=at, due_at=at + AGAIN_AFTER)
        moved = replace(
            receipt, status=Status.RETURNING, version=receipt.version + 1, updated_at=at
        )
        await tell_of(tx, moved, what="return_came_back", actor=actor)

    async def order_of(
        self, tx: Tx, org_id: UUID, receipt_id: UUID, *, money: Money
    ) -> ReturnOrder:
        """The payment that must not go out if the bank has taken `money` of a receipt back.

        Locks the receipt. Raises `ResourceConflict` where it can't be reversed.
        """
        receipt = await _locked(tx, org_id, receipt_id)
        if money != receipt.money:
            raise ResourceConflict(
                f"deposit {receipt_id} is of {receipt.money} {receipt.money.asset.currency}, and "
                f"the bank took {money} {money.asset.currency}"
            )
        match receipt.status:
            case Status.UNMATCHED | Status.RETURNING:
                key = key_of_try(receipt_id, receipt.return_tries)
                return ReturnOrder(key, is_due=receipt.status is Status.RETURNING)
            case Status.NEW:
                raise ResourceConflict("nobody has looked at this deposit yet; wait a moment")
            case Status.MATCHED:
                raise ResourceConflict(
                    f"deposit {receipt_id} has paid {receipt.transfer_id}: reverse that, by its "
                    "transferId"
                )
            case Status.RETURNED:
                raise ResourceConflict(
                    f"deposit {receipt_id} was returned or reversed before: settle it with the "
                    "bank, and resolve the line as HANDLED"
                )

    async def reverse_in(
        self, tx: Tx, org_id: UUID, receipt_id: UUID, *, actor: str, at: datetime
    ) -> None:
        """Note that the bank took a receipt back, whose payment back is not sent (`order_of`)."""
        receipt = await _locked(tx, org_id, receipt_id)
        await store.reverse(tx, org_id, receipt_id, at=at, decided_by=actor)
        moved = replace(receipt, status=Status.RETURNED, version=receipt.version + 1, updated_at=at)
        await tell_of(tx, moved, what="reversed", actor=actor)


async def _locked(tx: Tx, org_id: UUID, receipt_id: UUID) -> SealedReceipt:
    found = await store.lock(tx, org_id, receipt_id)
    if found is None:
        raise _unknown(receipt_id)
    return found


def _unknown(receipt_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no deposit {receipt_id}")
