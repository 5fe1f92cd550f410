"""Screening of the sandbox: answers at once, and the amount decides the answer.

docs/reference/deposit-screening.md#in-the-sandbox has the same table, for payments
docs/reference/payment-screening.md.
"""

from datetime import timedelta
from uuid import UUID

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.kyt.port import (
    RiskCategory,
    ScreenedTransfer,
    ScreeningDirection,
    ScreeningReport,
    ScreeningVerdict,
)

NAME = "sandbox"
# Hundredths of the amount, such as 66 for 100.66, that script an answer.
HIT_CENTS, SILENT_CENTS, SLOW_CENTS = 66, 67, 68
# Time for which a late answer is pending, by the organisation's clock.
SLOW_FOR = timedelta(minutes=10)


class SandboxScreener:
    """Screens every deposit or payment that it gets; see the port."""

    def screens(self, org_id: UUID, currency: str, direction: ScreeningDirection) -> bool:
        """Return True: the settings decide which direction is screened."""
        del org_id, currency, direction
        return True

    async def screen(self, transfer: ScreenedTransfer) -> ScreeningReport:
        """Return the scripted answer; see the port."""
        match _cents(transfer):
            case cents if cents == HIT_CENTS:
                return ScreeningReport(
                    verdict=ScreeningVerdict.HIT,
                    provider=NAME,
                    categories=(RiskCategory.SANCTIONS,),
                    reference=transfer.key.hex,
                )
            case cents if cents == SILENT_CENTS:
                raise Unavailable("the sandbox does not answer about this amount")
            case cents if cents == SLOW_CENTS and transfer.now < transfer.at + SLOW_FOR:
                return ScreeningReport(
                    verdict=ScreeningVerdict.PENDING,
                    provider=NAME,
                    expected_at=transfer.at + SLOW_FOR,
                )
            case _:
                return ScreeningReport(
                    verdict=ScreeningVerdict.CLEAR, provider=NAME, reference=transfer.key.hex
                )


def _cents(transfer: ScreenedTransfer) -> int:
    """Return the hundredths of the amount, ignoring smaller digits."""
    money = transfer.money
    per_cent = 10 ** max(money.asset.decimals - 2, 0)
    return money.units // per_cent % 100
