"""Where the coins of a bridge that could not be minted may go instead."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from landbridge.flows.bridges.model import as_bridge
from landbridge.ledger.model import Transfer
from landbridge.payments.refund_destinations import RefundDestinations
from landbridge.payments.resolving import Instruction


@dataclass(frozen=True, slots=True)
class BridgeRefunds:
    """Checks destinations of refunds."""

    destinations: RefundDestinations

    async def destination(
        self, record: Transfer, instruction: Instruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts of the new destination, on the source chain; raises `FieldInvalid`."""
        del clock_offset
        found = await self.destinations.find(record, as_bridge(record).source.asset, instruction)
        return {
            "return_address": found.address,
            "return_account_id": None if found.account_id is None else str(found.account_id),
        }
