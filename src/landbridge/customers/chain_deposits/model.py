"""Deposits on real chains, in wallets and treasuries: statuses, ids, and the records of credits."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.customers.wallets.model import (
    DEPOSIT_KIND,
    DepositStatus,
    deposit_details,
    deposit_postings,
)
from landbridge.ledger.model import CreateTransfer
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import ASSETS, Chain
from landbridge.providers.evm.following.model import BlockRef

ACTOR = "worker"
# Above the total supply of any token, and within the 38 digits of the ledger's numbers.
UNITS_MAX = 10**30

# Namespace from which ids of deposits are derived; it must never change.
DEPOSIT_NAMESPACE = UUID("5f0c1a52-8b43-5a0e-9c39-3d7e4b1d6a28")


class ChainDepositStatus(StrEnum):
    """Status of a deposit on a real chain."""

    CONFIRMED = "CONFIRMED"  # found; will be credited once its block is final
    COMPLETED = "COMPLETED"  # final, and credited
    ORPHANED = "ORPHANED"  # credited, but its block is gone; the transaction may be mined again
    REVERSED = "REVERSED"  # it was not mined again in time, and the credit was reversed


@dataclass(frozen=True, slots=True)
class ChainDeposit:
    """Coins that arrived in a wallet; `position` is that of the log within its transaction.

    `credits` counts how often the deposit was credited; `found_at` is in organisation time. A
    deposit that `is_suspended` is final but not credited: its screening is open or refused it.
    """

    org_id: UUID
    id: UUID
    chain: Chain
    transaction_hash: str
    position: int
    block: BlockRef
    wallet_id: UUID
    user_id: UUID
    asset: str
    units: int
    source_address: str
    contract_address: str
    status: ChainDepositStatus
    credits: int
    found_at: datetime
    is_suspended: bool = False

    @property
    def money(self) -> Money:
        """Amount of the deposit."""
        return Money(self.units, ASSETS[self.asset])

    def pays_as(self, other: "ChainDeposit") -> bool:
        """Return whether both have the same amount, sender and wallet."""
        return (self.wallet_id, self.asset, self.units, self.source_address) == (
            other.wallet_id,
            other.asset,
            other.units,
            other.source_address,
        )


def deposit_id(chain: Chain, transaction_hash: str, position: int) -> UUID:
    """Return the id of a deposit, which does not depend on the block of its transaction."""
    return derived_id(DEPOSIT_NAMESPACE, f"{chain}/{transaction_hash}/{position}")


def credit_id(deposit: ChainDeposit, number: int) -> UUID:
    """Return the id of the record of a deposit's credit number `number`, counted from 1."""
    return deposit.id if number == 1 else derived_id(deposit.id, f"credit/{number}")


def credited(deposit: ChainDeposit, account_id: UUID, at: datetime) -> CreateTransfer:
    """Build the record of a deposit's next credit.

    Its id is derived, so that it can be created only once. Its request id is random: clients could
    compute a derived one, and use it first.
    """
    money = deposit.money
    details = deposit_details(account_id, deposit.transaction_hash, deposit.source_address)
    return CreateTransfer(
        org_id=deposit.org_id,
        id=credit_id(deposit, deposit.credits + 1),
        kind=DEPOSIT_KIND,
        user_id=deposit.user_id,
        request_id=new_id(),
        request={
            "chain": deposit.chain,
            "transactionHash": deposit.transaction_hash,
            "position": deposit.position,
        },
        path=(DepositStatus.COMPLETED,),
        source=money,
        destination=money,
        details={
            **details,
            "contract_address": deposit.contract_address,
            "found_at": deposit.found_at.isoformat(),
        },
        due_at=None,
        at=at,
        actor=ACTOR,
        journals={0: deposit_postings(account_id, money)},
    )


class TreasuryDepositStatus(StrEnum):
    """Status of a treasury deposit."""

    CONFIRMED = "CONFIRMED"  # found; its block is not final yet
    FINAL = "FINAL"  # final; the worker looks for the payment that the coins are for
    SETTLED = "SETTLED"  # a payment has taken the coins, or returns them
    UNMATCHED = "UNMATCHED"  # no payment was ever expected from this sender; a person may assign it
    # unless it is suspended: then its screening was refused, and no payment gets it
    LOST = "LOST"  # its block is gone for good; the worker reverses what the payment has booked
    REVERSED = "REVERSED"  # nothing is booked any more; confirmed again if it is mined again


@dataclass(frozen=True, slots=True, kw_only=True)
class TreasuryDeposit:
    """All coins of one asset that a transaction moved from one address to the treasury.

    Only organisations that have had a payment from an external wallet have treasury deposits: for
    all others, such coins are their own funding.

    `found_at` is in organisation time. `transfer_id` is the payment that the coins are for.
    `reversals` counts how often the ledger has reversed the deposit. No payment gets the coins
    while the deposit is suspended: its screening is open or refused it.
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
    """Return the id of a treasury deposit, which does not depend on its transaction's block."""
    return derived_id(
        DEPOSIT_NAMESPACE, f"{chain}/{transaction_hash}/{asset}/{source}/{destination}"
    )
