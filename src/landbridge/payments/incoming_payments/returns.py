"""Unmatched fiat that comes back after its return, or that the bank reverses.

Guarantees:
- The incoming payment is locked first and everything happens in the caller's transaction, so of
  several concurrent callers one changes it.
- Fiat that the bank reversed is never also returned to its sender.

The ledger has no entries for unmatched fiat, because it is not ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Protocol
from uuid import UUID

from landbridge.payments.incoming_payments import store
from landbridge.payments.incoming_payments.model import (
    IncomingPayment,
    IncomingPaymentSender,
    IncomingPaymentStatus,
)
from landbridge.payments.incoming_payments.records import record_change
from landbridge.payments.incoming_payments.store import SealedIncomingPayment
from landbridge.platform.core.errors import ResourceConflict, ResourceNotFound
from landbridge.platform.core.money import Money
from landbridge.platform.core.retry_policy import key_of_attempt
from landbridge.platform.db.pool import Tx
from landbridge.providers.rails.port import RailPayment

# Delay before a deposit is returned again, because the same bank account has just rejected it.
RETURN_RETRY_DELAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ReturnOrder:
    """Payment that returns an incoming payment: its present key, and whether it may exist."""

    key: UUID
    is_due: bool


class ReturnOrders(Protocol):
    """Withholds payments that return deposits and that the bank has not received yet."""

    async def withhold_in(
        self,
        tx: Tx,
        org_id: UUID,
        key: UUID,
        *,
        incoming_payment_id: UUID,
        money: Money,
        actor: str,
        at: datetime,
    ) -> bool:
        """Withhold the payment with this key for good; False if it may have been sent."""
        ...

    async def give_up_in(self, tx: Tx, org_id: UUID, key: UUID, *, at: datetime) -> bool:
        """Withhold a payment that was sent, but that the bank does not confirm, for good.

        Return False while it may be on its way, or if the bank has accepted it.
        """
        ...


class IncomingPaymentReturns:
    """Changes unmatched incoming payments, in transactions of callers."""

    async def record_of(self, tx: Tx, org_id: UUID, payment_id: UUID) -> UUID | None:
        """Return the id of the record that an incoming payment pays; None if it pays none.

        Raises `ResourceNotFound`.
        """
        found = await store.of(tx, org_id, [payment_id])
        if not found:
            raise _unknown(payment_id)
        return found[0].transfer_id

    async def records_of(
        self, tx: Tx, org_id: UUID, payment_ids: Sequence[UUID]
    ) -> Mapping[UUID, UUID]:
        """Return the ids of the records that these incoming payments pay, by incoming payment."""
        found = await store.of(tx, org_id, payment_ids)
        return {each.id: each.transfer_id for each in found if each.transfer_id is not None}

    async def return_again_in(
        self,
        tx: Tx,
        org_id: UUID,
        payment_id: UUID,
        *,
        received: Money,
        actor: str,
        at: datetime,
    ) -> None:
        """Schedule another return, a day later, because the returning payment came back.

        Raises `ResourceConflict` if it was not returned.
        """
        payment = await _locked(tx, org_id, payment_id)
        if payment.status is not IncomingPaymentStatus.RETURNED:
            raise ResourceConflict(
                f"deposit {payment_id} is {payment.status}: resolve it once it is RETURNED, as it "
                "will be when the worker learns that the return was settled"
            )
        if received != payment.money:
            raise ResourceConflict(
                f"deposit {payment_id} is of {payment.money}, and {received} came back: the rest "
                "is the bank's. Settle it with the bank, and resolve the line as HANDLED"
            )
        if payment.sealed_texts is None:
            raise ResourceConflict(
                f"the sender of deposit {payment_id} was erased: settle it with the bank, "
                "and resolve the line as HANDLED"
            )
        await store.reopen(tx, org_id, payment_id, at=at, due_at=at + RETURN_RETRY_DELAY)
        moved = replace(
            payment,
            status=IncomingPaymentStatus.RETURNING,
            version=payment.version + 1,
            updated_at=at,
        )
        await record_change(tx, moved, change_type="return_came_back", actor=actor)

    async def find_return_order(
        self, tx: Tx, org_id: UUID, payment_id: UUID, *, money: Money
    ) -> ReturnOrder:
        """Return the payment to withhold because the bank reversed `money`, an incoming payment.

        Lock the incoming payment. Raises `ResourceConflict` if it can't be reversed.
        """
        payment = await _locked(tx, org_id, payment_id)
        if money != payment.money:
            raise ResourceConflict(
                f"deposit {payment_id} is of {payment.money} {payment.money.asset.currency}, but "
                f"the bank reversed {money} {money.asset.currency}"
            )
        match payment.status:
            case IncomingPaymentStatus.UNMATCHED | IncomingPaymentStatus.RETURNING:
                key = key_of_attempt(payment_id, payment.return_attempts)
                return ReturnOrder(key, is_due=payment.status is IncomingPaymentStatus.RETURNING)
            case IncomingPaymentStatus.SCREENING:
                raise ResourceConflict(
                    "this deposit waits for its screening: refuse it first, and then reverse it"
                )
            case IncomingPaymentStatus.NEW:
                raise ResourceConflict("this deposit is not processed yet; try again in a moment")
            case IncomingPaymentStatus.MATCHED:
                raise ResourceConflict(
                    f"deposit {payment_id} has paid {payment.transfer_id}: reverse that, by its "
                    "transferId"
                )
            case IncomingPaymentStatus.RETURNED:
                raise ResourceConflict(
                    f"deposit {payment_id} was returned or reversed before: settle it with the "
                    "bank, and resolve the line as HANDLED"
                )

    async def reverse_in(
        self, tx: Tx, org_id: UUID, payment_id: UUID, *, actor: str, at: datetime
    ) -> None:
        """Record that the bank reversed a payment; its return must be withheld before.

        See `find_return_order`.
        """
        payment = await _locked(tx, org_id, payment_id)
        await store.reverse(tx, org_id, payment_id, at=at, decided_by=actor)
        moved = replace(
            payment,
            status=IncomingPaymentStatus.RETURNED,
            version=payment.version + 1,
            updated_at=at,
        )
        await record_change(tx, moved, change_type="reversed", actor=actor)


def return_payment(payment: IncomingPayment, *, key: UUID, at: datetime) -> RailPayment:
    """Build the payment that returns the whole incoming payment to its sender, by its rail.

    `key` must be the same for every attempt of this return, and used for nothing else.
    """
    sender = payment.sender or IncomingPaymentSender()
    payee = {
        "accountHolder": {"name": sender.name},
        "bankName": sender.bank_name,
        "routingNumber": sender.routing_number,
        "accountNumber": sender.account_number,
    }
    texts = {} if payment.reference is None else {"paymentReference": payment.reference}
    return RailPayment(
        org_id=payment.org_id,
        key=key,
        record_id=payment.id,
        money=payment.money,
        rail=payment.rail,
        is_same_day=False,
        payee=payee,
        texts=texts,
        at=at,
        returns=payment.id,
    )


async def _locked(tx: Tx, org_id: UUID, payment_id: UUID) -> SealedIncomingPayment:
    found = await store.lock(tx, org_id, payment_id)
    if found is None:
        raise _unknown(payment_id)
    return found


def _unknown(payment_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no deposit {payment_id}")
