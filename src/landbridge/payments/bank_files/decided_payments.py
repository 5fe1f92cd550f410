"""Ends the bank payment of a stuck record together with the resolution that two people decided.

Guarantees:
- An order at a provider is not sent again; a provider report that contradicts the decision is
  recorded as a problem.
- A payment that is in no file yet is never put into one: its record was paid by other means, or
  failed.
- A payment that was put into a file, or delivered to the bank, after the decision was requested
  can't be ended: the bank did not know it when it was examined, and will carry it out.
- A payment that the bank has settled or returned in the meantime can't be ended differently.
- Later reports of the bank about an ended payment wait for a reviewer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.ledger.model import Transfer
from landbridge.payments.bank_files import file_store
from landbridge.payments.bank_files.model import BankPayment, BankPaymentStatus
from landbridge.payments.bank_files.payments import BankPayments
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Tx
from landbridge.providers.sidecar.withheld_orders import end_decided_in

_PAID = "a reviewer found out that it was paid by other means"
_FAILED = "a reviewer found out that the bank did not pay it"


@dataclass(frozen=True, slots=True)
class DecidedPayments:
    """Ends payments of records of all kinds.

    `keys` has one function per kind of record. It returns the key of the payment that the record
    waits for, or None if the record waits for something else.
    """

    payments: BankPayments
    keys: Mapping[str, Callable[[Transfer], UUID | None]]

    async def end_in(
        self,
        tx: Tx,
        record: Transfer,
        *,
        is_paid: bool,
        requested_at: datetime,
        actor: str,
        at: datetime,
    ) -> None:
        """End the payment of a record, at a provider or in a bank file; join the transaction.

        Do nothing if the record waits for no payment. Raises `ResourceConflict` if the payment was
        put into a file or delivered after `requested_at`, or has ended differently.
        """
        key_of = self.keys.get(record.kind)
        key = None if key_of is None else key_of(record)
        if key is None:
            return
        org_id = record.org_id
        await end_decided_in(tx, org_id, key, is_paid=is_paid, at=at)
        if await self.payments.find(tx, org_id, key) is None:
            return
        payment = await self.payments.lock(tx, org_id, key)
        is_in_file = payment.status is BankPaymentStatus.WRITTEN
        if is_in_file and payment.updated_at > requested_at:
            raise ResourceConflict("its payment was put into a file for the bank meanwhile")
        if is_in_file and not await _is_at_bank(tx, payment, requested_at):
            raise ResourceConflict(
                "its payment is in a file that was on its way to the bank: decide again"
            )
        if is_in_file and is_paid:
            is_ended = await self.payments.settle_in(tx, payment, at=at, actor=actor)
        elif is_in_file or payment.status is BankPaymentStatus.QUEUED:
            reason = _PAID if is_paid else _FAILED
            ended = await self.payments.fail_in(tx, payment, reason=reason, at=at, actor=actor)
            is_ended = bool(ended)
        else:
            if is_paid is not (payment.status is BankPaymentStatus.SETTLED):
                raise ResourceConflict(f"its payment is {payment.status} meanwhile")
            return
        if not is_ended:
            raise ResourceConflict("its payment is being put into a file for the bank")


async def _is_at_bank(tx: Tx, payment: BankPayment, by: datetime) -> bool:
    """Return whether a payment's file was delivered `by` this time; it may wait for the server."""
    file_id = payment.file_id
    return file_id is not None and await file_store.is_delivered(tx, payment.org_id, file_id, by=by)
