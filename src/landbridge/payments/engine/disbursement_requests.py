"""Disbursement requests: coins that the organisation pays to one address by a separate order.

A payment that owes coins to a third party, or has received coins that it can't use, creates a
disbursement and continues. The disbursement waits for the chain on its own, so a refusal of its
order never delays the payment. `payments/disbursements` implements `DisbursementOpener`.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from landbridge.ledger.model import Transfer
from landbridge.payments.engine.order_keys import order_key
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx


class DisbursementPurpose(StrEnum):
    """Purpose of a disbursement."""

    FEE = "FEE"  # an organisation's own fee, to its beneficiary
    SURPLUS_RETURN = "SURPLUS_RETURN"  # coins that no payment expects, returned to their sender


@dataclass(frozen=True, slots=True, kw_only=True)
class DisbursementRequest:
    """Disbursement to be created, once per payment, purpose and reference.

    `reference` distinguishes the disbursements of a payment: the index of the fee, or the asset and
    transaction hash of the deposit. `address` receives the coins on the chain. `account_id` is its
    account if it is a wallet of `user_id`, and None if the coins leave the platform.
    """

    payment: Transfer
    purpose: DisbursementPurpose
    reference: str
    money: Money
    source_address: str
    address: str
    account_id: UUID | None
    user_id: UUID | None

    @property
    def id(self) -> UUID:
        """Return the id of its record, derived from the payment, purpose and reference."""
        return order_key(self.payment, f"disbursement/{self.purpose}/{self.reference}")


def surplus_reference(asset: str, chain_hash: str) -> str:
    """Return the reference of a disbursement that sends back the coins of a deposit."""
    return f"{asset}/{chain_hash}"


def surplus_coins(reference: str) -> tuple[str, str]:
    """Return the asset and the transaction hash of a `surplus_reference`."""
    asset, _, chain_hash = reference.partition("/")
    return asset, chain_hash


class DisbursementOpener(Protocol):
    """Creates disbursements in the transaction of another record's advance."""

    async def create_in(
        self, tx: Tx, request: DisbursementRequest, *, actor: str, clock_offset: timedelta
    ) -> None:
        """Create a disbursement, unless it exists.

        Raises `RequestIdTaken` if it exists with other terms.
        """
        ...

    async def is_open(self, request: DisbursementRequest) -> bool:
        """Return whether the disbursement has been created, whatever its status."""
        ...
