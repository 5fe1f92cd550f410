"""Treasury deposits: coins that arrived at an organisation's own address from outside.

Only organisations that have had a payment from an external wallet have any: for all others, such
coins are their own funding.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.customers.chain_deposits.model import DEPOSIT_NAMESPACE
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import ASSETS, Chain


class TreasuryDepositStatus(StrEnum):
    """Status of a treasury deposit."""

    CONFIRMED = "CONFIRMED"  # found; waits until the chain is final there
    FINAL = "FINAL"  # final; the worker finds the payment that it is for
    SETTLED = "SETTLED"  # a payment has taken the coins, or returns them
    UNMATCHED = "UNMATCHED"  # no payment was ever expected from this sender; a person may assign it
    # unless it is suspended: then its screening was refused, and no payment gets it
    LOST = "LOST"  # its block is gone for good; the worker takes back what the payment has booked
    REVERSED = "REVERSED"  # gone, and nothing is booked any more; found again if it is mined again


@dataclass(frozen=True, slots=True, kw_only=True)
class TreasuryDeposit:
    """All coins of one asset that a transaction moved from one address to the treasury.

    `found_at` is in organisation time. `transfer_id` is the payment that the coins are for.
    `reversals` counts how often the ledger has taken them back. While they are suspended they wait
    for their screening, or were refused: no payment gets them.
    """

    org_id: UUID
    id: UUID
    chain: Chain
    transaction_hash: str
    block_number: int
    asset: str
    units: int
    source_address: str
    destination_address: str
    status: TreasuryDepositStatus
    transfer_id: UUID | None
    reversals: int
    found_at: datetime
    is_suspended: bool = False

    @property
    def money(self) -> Money:
        """Amount of the deposit."""
        return Money(self.units, ASSETS[self.asset])


def treasury_deposit_id(
    chain: Chain, transaction_hash: str, asset: str, *, source: str, destination: str
) -> UUID:
    """Return the id of a treasury deposit: the same in whatever block its transaction is."""
    return derived_id(
        DEPOSIT_NAMESPACE, f"{chain}/{transaction_hash}/{asset}/{source}/{destination}"
    )
