"""Redirected refunds of offramps: checks the new destination."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from landbridge.ledger.model import Transfer
from landbridge.payments.engine.refund_destinations import RefundDestinations
from landbridge.payments.engine.resolution_actions import ResolutionInstruction
from landbridge.payments.offramps.model import as_offramp


@dataclass(frozen=True, slots=True)
class OfframpRefunds:
    """Checks new destinations of refunds."""

    destinations: RefundDestinations

    async def destination(
        self, record: Transfer, instruction: ResolutionInstruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts that redirect the refund to the destination; raises `FieldInvalid`."""
        del clock_offset
        found = await self.destinations.find(record, as_offramp(record).gross.asset, instruction)
        return {
            "return_address": found.address,
            "return_account_id": None if found.account_id is None else str(found.account_id),
            "return_user_id": str(found.user_id),
        }
