"""Alternative destinations of disbursements."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from landbridge.customers.wallets.service import checked_address
from landbridge.ledger.model import Transfer
from landbridge.payments.disbursements.model import as_disbursement
from landbridge.payments.engine.refund_destinations import RefundDestinations
from landbridge.payments.engine.resolution_actions import ResolutionInstruction
from landbridge.platform.core.errors import FieldInvalid
from landbridge.providers.chains.tokens import Network


@dataclass(frozen=True, slots=True)
class DisbursementRedirects:
    """Validates destinations of disbursements."""

    destinations: RefundDestinations

    async def destination(
        self, record: Transfer, instruction: ResolutionInstruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts of the new destination; as `RefundDestinations.find`.

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
