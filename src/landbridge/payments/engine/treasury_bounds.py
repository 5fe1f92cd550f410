"""Maximum amount of a quote on a connected chain: the treasury's balance less what it owes.

The treasury is the organisation's own address. It owes the coins of accepted payments until their
delivery is final. Between the block of a delivery and its confirmation these coins count twice, so
a quote may be refused that could be paid. An open quote reserves nothing; a payment that was
accepted beyond the maximum waits for coins, and the alarm for a low treasury is raised.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.chain_operations.service import ChainOperations
from landbridge.ledger.listing import TransferListing
from landbridge.payments.quotes.errors import QuoteNotReady
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.money import Money


@dataclass(frozen=True, slots=True)
class TreasuryBounds:
    """Checks amounts that the treasury would deliver.

    `owing` lists each (kind, status) in which it owes a payment's coins: accepted and not final.
    """

    operations: ChainOperations
    listing: TransferListing
    owing: Sequence[tuple[str, str]]

    async def check(self, org_id: UUID, amount: Money) -> None:
        """Raise `QuoteNotReady` if the treasury can't deliver this amount now."""
        asset = amount.asset
        try:
            units = await self.operations.treasury_units(org_id, asset)
        except Unavailable as error:
            raise QuoteNotReady(f"the treasury's {asset.currency} are unknown: {error}") from error
        if units is None:
            return
        owed_units = await self.listing.owed_units(org_id, asset.code, self.owing)
        if units - owed_units < amount.units:
            raise QuoteNotReady(
                f"the treasury has too few {asset.currency} on {asset.chain} to deliver this amount"
            )
