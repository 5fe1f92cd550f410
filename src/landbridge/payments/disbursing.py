"""Requests for disbursements: coins that the house pays to one address by an order of their own.

A payment that owes coins to a third party, or has received coins that it can't use, opens a
disbursement and goes on. The disbursement waits for the chain by itself, so a refusal of its order
never holds up the payment. `flows/disbursements` implements `Disbursing`.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from landbridge.core.ids import derived_id
from landbridge.core.money import Money
from landbridge.db.pool import Tx
from landbridge.ledger.model import Transfer


class Purpose(StrEnum):
    """Why the house pays."""

    FEE = "FEE"  # an organisation's own fee, to its beneficiary
    SURPLUS_RETURN = "SURPLUS_RETURN"  # coins that no payment waits for, back to their sender


@dataclass(frozen=True, slots=True, kw_only=True)
class DisbursementRequest:
    """A disbursement to be opened, once per payment, purpose and reference.

    `reference` tells the disbursements of a payment apart: the index of the fee, or the asset and
    the transaction hash of the deposit. `address` receives the coins on the chain; `account_id` is
    its account if it is a wallet of `user_id`, and None if the coins leave the platform.
    """

    payment: Transfer
    purpose: Purpose
    reference: str
    money: Money
    source_address: str
    address: str
    account_id: UUID | None
    user_id: UUID | None

    @property
    def id(self) -> UUID:
        """The id of its record, the same whenever it is requested."""
        return derived_id(self.payment.id, f"disbursement/{self.purpose}/{self.reference}")


class Disbursing(Protocol):
    """Opens disbursements in the transaction of another record's move."""

    async def open_in(
        self, tx: Tx, request: DisbursementRequest, *, actor: str, clock_offset: timedelta
    ) -> None:
        """Open a disbursement, unless it is open already.

        Raises `RequestIdTaken` if it was opened with other terms.
        """
        ...

    async def is_open(self, request: DisbursementRequest) -> bool:
        """Return whether the disbursement has been opened, whatever became of it."""
        ...
