"""Screening of deposits on real chains: suspension, release and rejection."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from landbridge.customers.chain_deposits import store, treasury_store
from landbridge.customers.chain_deposits.model import (
    ChainDeposit,
    ChainDepositStatus,
    TreasuryDeposit,
    TreasuryDepositStatus,
    credited,
)
from landbridge.customers.deposit_screening.model import (
    DepositScreening,
    DepositSource,
    ScreeningDetails,
    SuspendedDeposit,
)
from landbridge.customers.wallets.model import DEPOSIT_MOVES
from landbridge.ledger.model import CommitOutcome
from landbridge.ledger.service import Ledger
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict
from landbridge.platform.db.pool import Tx
from landbridge.providers.kyt.port import DepositParty


def suspended_deposit(
    deposit: ChainDeposit, account_id: UUID, at: datetime, *, address: str
) -> SuspendedDeposit:
    """Return a deposit to a user's wallet as one to be screened.

    A release credits it to `account_id`.
    """
    return SuspendedDeposit(
        org_id=deposit.org_id,
        user_id=deposit.user_id,
        money=deposit.money,
        details=ScreeningDetails(
            source=DepositSource.WALLET,
            deposit_id=deposit.id,
            account_id=account_id,
            transaction_hash=deposit.transaction_hash,
            source_address=deposit.source_address,
            destination_address=address,
        ),
        at=at,
    )


def suspended_treasury_deposit(deposit: TreasuryDeposit, at: datetime) -> SuspendedDeposit:
    """Return a deposit to an organisation's own address as one to be screened."""
    return SuspendedDeposit(
        org_id=deposit.org_id,
        user_id=deposit.org_id,
        money=deposit.money,
        details=ScreeningDetails(
            source=DepositSource.TREASURY,
            deposit_id=deposit.id,
            transaction_hash=deposit.transaction_hash,
            source_address=deposit.source_address,
            destination_address=deposit.destination_address,
        ),
        at=at,
    )


@dataclass(frozen=True, slots=True)
class WalletDepositEffects:
    """Effects of screenings on coins at users' wallets; see `ScreeningEffects`."""

    ledger: Ledger

    async def sender(self, screening: DepositScreening) -> DepositParty | None:
        """Return None: a chain knows the sender's address only, no name."""
        del screening

    async def lock_in(self, tx: Tx, screening: DepositScreening) -> None:
        """Lock the deposit; raises `ResourceConflict` if its block is not on the chain now."""
        await _locked(tx, screening)

    async def release_in(
        self, tx: Tx, screening: DepositScreening, *, actor: str, at: datetime
    ) -> None:
        """Credit the coins."""
        del actor  # the record of the release names the actor
        deposit, account_id = await _locked(tx, screening), screening.details.account_id
        if account_id is None:
            raise InvariantBroken(f"screening {screening.record.id} has no account")
        outcome = await self.ledger.create_in(tx, credited(deposit, account_id, at), DEPOSIT_MOVES)
        if isinstance(outcome, CommitOutcome):
            raise InvariantBroken(f"crediting deposit {deposit.id} resulted in {outcome}")
        released = replace(deposit, credits=deposit.credits + 1, is_suspended=False)
        await store.set_status(tx, released)

    async def reject_in(
        self, tx: Tx, screening: DepositScreening, *, actor: str, at: datetime
    ) -> None:
        """Do nothing: the coins stay in suspense, and are shown as not spendable."""
        del tx, screening, actor, at


@dataclass(frozen=True, slots=True)
class TreasuryDepositEffects:
    """Effects of screenings on coins at organisations' own addresses; see `ScreeningEffects`."""

    async def sender(self, screening: DepositScreening) -> DepositParty | None:
        """Return None: a chain knows the sender's address only, no name."""
        del screening

    async def lock_in(self, tx: Tx, screening: DepositScreening) -> None:
        """Lock the deposit; raises `ResourceConflict` unless it is final and waits."""
        org_id, id_ = screening.record.org_id, screening.details.deposit_id
        deposit = await treasury_store.lock(tx, org_id, id_)
        is_final = deposit is not None and deposit.status is TreasuryDepositStatus.FINAL
        if deposit is None or not is_final or not deposit.is_suspended:
            raise _gone(screening)

    async def release_in(
        self, tx: Tx, screening: DepositScreening, *, actor: str, at: datetime
    ) -> None:
        """Make the coins available to the payment that they are for."""
        del actor, at
        org_id, id_ = screening.record.org_id, screening.details.deposit_id
        deposit = await treasury_store.lock(tx, org_id, id_)
        if deposit is not None:
            await treasury_store.set_suspended(tx, deposit, is_suspended=False)

    async def reject_in(
        self, tx: Tx, screening: DepositScreening, *, actor: str, at: datetime
    ) -> None:
        """Leave the coins in suspense and mark the deposit as unmatched: no payment gets them."""
        del actor, at
        org_id, id_ = screening.record.org_id, screening.details.deposit_id
        deposit = await treasury_store.lock(tx, org_id, id_)
        if deposit is not None:
            unmatched = TreasuryDepositStatus.UNMATCHED
            await treasury_store.set_status(tx, deposit, unmatched, deposit.transfer_id)


async def _locked(tx: Tx, screening: DepositScreening) -> ChainDeposit:
    key = (screening.record.org_id, screening.details.deposit_id)
    found = await store.lock(tx, [key])
    if not found or not found[0].is_suspended or found[0].status is not _FINAL:
        raise _gone(screening)
    return found[0]


def _gone(screening: DepositScreening) -> ResourceConflict:
    return ResourceConflict(
        f"the block of deposit {screening.details.deposit_id} is gone: decide once it has returned"
    )


_FINAL = ChainDepositStatus.COMPLETED
