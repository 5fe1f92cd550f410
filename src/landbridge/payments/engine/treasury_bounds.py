"""Bound of what may be quoted on a connected chain: what the treasury has, less what it owes.

The treasury is the organisation's own address. It owes what accepted payments deliver until they
are final, so a delivery counts twice between its block and its confirmation: the bound errs on the
side of refusing. An open quote reserves nothing; a payment that was accepted beyond the bound
waits for coins, and the alarm of the treasury's floor goes out.
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

    `owing` lists every (kind, status) of a payment that it owes: accepted and not final.
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
