"""Disbursement service: creates and reads disbursements, and checks new destinations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from landbridge.customers.wallets.service import checked_address
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.payments.disbursements import transitions
from landbridge.payments.disbursements.model import KIND, TRANSITIONS, Disbursement, as_disbursement
from landbridge.payments.engine.disbursement_requests import DisbursementRequest
from landbridge.payments.engine.refund_destinations import RefundDestinations
from landbridge.payments.engine.resolution_actions import ResolutionInstruction
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Tx
from landbridge.providers.chains.tokens import Network


@dataclass(frozen=True, slots=True)
class Disbursements:
    """Manages disbursements of all organisations; implements `DisbursementOpener`."""

    ledger: Ledger
    clock: Clock

    async def create_in(
        self, tx: Tx, request: DisbursementRequest, *, actor: str, clock_offset: timedelta
    ) -> None:
        """Create a disbursement in the transaction of its payment's advance.

        See `DisbursementOpener`.
        """
        creation = transitions.build_creation(
            request,
            new_id(),
            actor=actor,
            at=self.clock.stamp(clock_offset),
            # Not a stamp: if several are created at once, a stamp may be ahead of the clock.
            due_at=self.clock.now(clock_offset),
        )
        opened = await self.ledger.create_in(tx, creation, TRANSITIONS)
        if not isinstance(opened, CreatedTransfer):
            raise InvariantBroken(f"creating a disbursement resulted in {opened}")

    async def is_open(self, request: DisbursementRequest) -> bool:
        """Return whether the disbursement has been created; see `DisbursementOpener`."""
        return await self.ledger.find(request.payment.org_id, request.id) is not None

    async def get(self, org_id: UUID, disbursement_id: UUID) -> Disbursement:
        """Return a disbursement; raise `TransactionNotFound`."""
        return as_disbursement(await self.ledger.get(org_id, KIND, disbursement_id))

    async def page(
        self, org_id: UUID, user_id: UUID | None, window: PageWindow
    ) -> Sequence[Disbursement]:
        """Return a page of disbursements, newest first."""
        records = await self.ledger.page(org_id, KIND, user_id, window)
        return [as_disbursement(each) for each in records]


@dataclass(frozen=True, slots=True)
class DisbursementRedirects:
    """Validates destinations of disbursements."""

    destinations: RefundDestinations

    async def destination(
        self, record: Transfer, instruction: ResolutionInstruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts that redirect a disbursement; raises as `RefundDestinations.find`.

        A disbursement to a user may go to another wallet or registered address of theirs. One to an
        external address of a partner may go to any address that belongs to no customer.
        """
        del clock_offset
        disbursement = as_disbursement(record)
        asset, user_id = disbursement.money.asset, disbursement.details.user_id
        if user_id is not None or instruction.address is None:
            found = await self.destinations.find(record, asset, instruction)
            account_id = None if found.account_id is None else str(found.account_id)
            return {"address": found.address, "account_id": account_id}
        chain = Network(asset.chain).address_chain
        address = checked_address(chain, instruction.address, field="address")
        if await self.destinations.wallets.find_address(record.org_id, chain, address) is not None:
            raise FieldInvalid("address is a customer's wallet", field="address")
        await self.destinations.parties.check_redirect(record.org_id, address, "address")
        return {"address": address, "account_id": None}
