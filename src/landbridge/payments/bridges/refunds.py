"""Alternative refund destinations of bridges whose coins could not be minted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from landbridge.ledger.model import Transfer
from landbridge.payments.bridges.model import as_bridge
from landbridge.payments.engine.refund_destinations import RefundDestinations
from landbridge.payments.engine.resolution_actions import ResolutionInstruction


@dataclass(frozen=True, slots=True)
class BridgeRefunds:
    """Validates destinations of refunds."""

    destinations: RefundDestinations

    async def destination(
        self, record: Transfer, instruction: ResolutionInstruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts of the new destination, on the source chain; raises `FieldInvalid`."""
        del clock_offset
        found = await self.destinations.find(record, as_bridge(record).source.asset, instruction)
        return {
            "return_address": found.address,
            "return_account_id": None if found.account_id is None else str(found.account_id),
        }
