"""Screening of incoming fiat: holds it in suspense, and applies the result of the screening."""

from dataclasses import dataclass, replace
from datetime import datetime

from landbridge.customers.deposit_screening.model import (
    DepositScreening,
    DepositSource,
    ScreeningDetails,
    SuspendedDeposit,
)
from landbridge.payments.incoming_payments import store
from landbridge.payments.incoming_payments.model import IncomingPaymentStatus
from landbridge.payments.incoming_payments.records import record_change
from landbridge.payments.incoming_payments.sealed_texts import opened
from landbridge.payments.incoming_payments.store import SealedIncomingPayment
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.providers.kyt.port import DepositParty


def suspended_credit(payment: SealedIncomingPayment) -> SuspendedDeposit:
    """Return the deposit to be screened; it has no owner before it is matched."""
    return SuspendedDeposit(
        org_id=payment.org_id,
        user_id=payment.org_id,
        money=payment.money,
        details=ScreeningDetails(
            source=DepositSource.BANK, deposit_id=payment.id, rail=payment.rail
        ),
        at=payment.received_at,
    )


@dataclass(frozen=True, slots=True)
class IncomingPaymentEffects:
    """Effects of screenings on incoming payments; implements `ScreeningEffects`."""

    database: Database
    vault: Vault

    async def sender(self, screening: DepositScreening) -> DepositParty | None:
        """Return the sender as reported by its bank; None if not reported, or erased."""
        org_id, payment_id = screening.record.org_id, screening.details.deposit_id

        async def read(tx: Tx) -> DepositParty | None:
            (row,) = await store.of(tx, org_id, [payment_id])
            key = await self.vault.find(tx, org_id, row.owner_id)
            sender = opened(row, key).sender
            return sender and copy_fields(sender, DepositParty)

        return await self.database.read(read)

    async def lock_in(self, tx: Tx, screening: DepositScreening) -> None:
        """Do nothing: an incoming payment has no record to lock before the screening."""
        del tx, screening

    async def release_in(
        self, tx: Tx, screening: DepositScreening, *, actor: str, at: datetime
    ) -> None:
        """Let the worker match the incoming payment."""
        await _move(tx, screening, IncomingPaymentStatus.NEW, actor=actor, at=at)

    async def reject_in(
        self, tx: Tx, screening: DepositScreening, *, actor: str, at: datetime
    ) -> None:
        """Let the worker return the incoming payment to its sender."""
        await _move(tx, screening, IncomingPaymentStatus.RETURNING, actor=actor, at=at)


async def _move(
    tx: Tx, screening: DepositScreening, status: IncomingPaymentStatus, *, actor: str, at: datetime
) -> None:
    org_id, payment_id = screening.record.org_id, screening.details.deposit_id
    payment = await store.lock(tx, org_id, payment_id)
    if payment is None or payment.status is not IncomingPaymentStatus.SCREENING:
        raise ResourceConflict(f"deposit {payment_id} does not wait for its screening")
    await store.move(
        tx, org_id, payment_id, version=payment.version, status=status, at=at, due_at=at
    )
    moved = replace(payment, status=status, version=payment.version + 1, updated_at=at)
    change_type = "release" if status is IncomingPaymentStatus.NEW else "reject"
    await record_change(tx, moved, change_type=change_type, actor=actor)
