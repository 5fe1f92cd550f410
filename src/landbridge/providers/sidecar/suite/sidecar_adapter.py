"""Sidecar as the adapter under test, without a database."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Asset, Money
from landbridge.providers.rails.port import RailPayment
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.model import PayoutReport
from landbridge.providers.sidecar.protocol import RequestedOutcome

_PAUSE_S = 0.25


@dataclass(frozen=True, slots=True)
class SidecarUnderTest:
    """Adapter under test. All payouts have the same rail, asset and payee.

    `outcomes` are the test outcomes that it can produce. `hasty` is another client, which waits
    only for a second.
    """

    client: SidecarClient
    hasty: SidecarClient
    outcomes: Collection[RequestedOutcome]
    clock: Clock
    rail: str
    asset: Asset
    payee: Mapping[str, Any]

    def payment(self, units: int) -> RailPayment:
        """Return a payout of `units` smallest units, with a new key."""
        return RailPayment(
            org_id=new_id(),
            key=new_id(),
            record_id=new_id(),
            money=Money(units, self.asset),
            rail=self.rail,
            is_same_day=False,
            payee=self.payee,
            texts={},
            at=self.clock.now(),
        )

    async def pay(self, payment: RailPayment, outcome: RequestedOutcome) -> PayoutReport:
        """Submit a payout with a requested outcome; raises as `SidecarClient.pay` does."""
        client = self.hasty if outcome is RequestedOutcome.SILENCE else self.client
        return await client.pay(payment, test_outcome=outcome)

    async def find(self, payment: RailPayment) -> PayoutReport | None:
        """Return the state of a payout; None if the key is unknown."""
        return await self.client.find(payment.org_id, payment.key, payment.money, payment.rail)

    async def pass_time(self) -> None:
        """Wait a moment, until something can have changed."""
        await asyncio.sleep(_PAUSE_S)
