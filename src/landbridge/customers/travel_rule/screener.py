"""Screener that applies the travel rule beside a provider of risk screening (KYT).

A payment needs the data first, and is then screened for risk: no decision about a hit sends it
without them. A deposit is screened for risk first; what is clear is held until the data are there,
or until two people accept or reject it.
"""

from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.travel_rule.checks import TravelRuleChecks
from landbridge.providers.chains.tokens import CURRENCIES
from landbridge.providers.kyt.port import (
    NotScreened,
    ScreenedTransfer,
    ScreeningDirection,
    ScreeningReport,
    ScreeningVerdict,
    TransferScreener,
)

NAME = "travel-rule"


@dataclass(frozen=True, slots=True)
class TravelRuleScreener:
    """Screens coins by the travel rule, and all transfers by the provider; see the port."""

    provider: TransferScreener
    checks: TravelRuleChecks

    def screens(self, org_id: UUID, currency: str, direction: ScreeningDirection) -> bool:
        """Return whether this is about coins, or the provider screens it; see the port."""
        return currency in CURRENCIES or self.provider.screens(org_id, currency, direction)

    async def screen(self, transfer: ScreenedTransfer) -> ScreeningReport:
        """Return the answer; see the port."""
        if transfer.direction is ScreeningDirection.PAYMENT:
            missing = await self._missing(transfer)
            if missing:
                return ScreeningReport(
                    verdict=ScreeningVerdict.PENDING, provider=NAME, missing=missing
                )
            return await self._screen_risk(transfer)
        report = await self._screen_risk(transfer)
        if report.verdict is not ScreeningVerdict.CLEAR:
            return report
        missing = await self._missing(transfer)
        if not missing:
            return report
        return ScreeningReport(verdict=ScreeningVerdict.HIT, provider=NAME, missing=missing)

    async def _missing(self, transfer: ScreenedTransfer) -> tuple[str, ...]:
        """Return which data a transfer of coins lacks, or that the other provider has to answer."""
        if transfer.money.asset.currency not in CURRENCIES:
            return ()
        return await self.checks.check(transfer)

    async def _screen_risk(self, transfer: ScreenedTransfer) -> ScreeningReport:
        try:
            return await self.provider.screen(transfer)
        except NotScreened:
            # Coins may be here for the travel rule alone.
            if transfer.money.asset.currency not in CURRENCIES:
                raise
        return ScreeningReport(verdict=ScreeningVerdict.CLEAR, provider=NAME)
