"""Comparison of active accounts with lists that were loaded after they became active.

An account whose holder or bank is like an entry that no reviewer has seen waits for a reviewer
again, and a payout to it that is in no bank file yet waits as well. An interrupted run can be
repeated: accounts that wait are not ACTIVE any more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from landbridge.customers.bank_accounts import store
from landbridge.customers.bank_accounts.change_events import move
from landbridge.customers.bank_accounts.holder_screening import (
    HolderScreening,
    names_of,
    unseen,
    with_comparison,
)
from landbridge.customers.bank_accounts.model import (
    BankAccount,
    BankAccountStatus,
    ScreeningComparison,
)
from landbridge.customers.bank_accounts.records import opened_all
from landbridge.customers.verification.outcomes import SANCTIONS_LIST
from landbridge.customers.verification.rescreening import BATCH_SIZE, NoSanctionsList
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault

_FIRST = UUID(int=0)


@dataclass(frozen=True, slots=True)
class AccountRescreeningResult:
    """Result of a rescreening: number of compared accounts, and of those sent to a reviewer."""

    compared: int
    opened: int

    def __str__(self) -> str:
        return f"{self.compared} bank accounts were compared, {self.opened} wait for a reviewer."


@dataclass(frozen=True, slots=True)
class AccountRescreening:
    """Compares active accounts again."""

    database: Database
    vault: Vault
    holders: HolderScreening
    clock: Clock

    async def run(
        self, offsets: Mapping[UUID, timedelta], *, batch_size: int = BATCH_SIZE
    ) -> AccountRescreeningResult:
        """Compare every ACTIVE account of these organisations; raise `NoSanctionsList`."""
        compared, waiting = 0, 0
        for org_id, offset in offsets.items():
            after = _FIRST
            while found := await self._batch(org_id, after, batch_size):
                for each in found:
                    waiting += await self._compare(each, offset)
                compared += len(found)
                after = found[-1].id
        return AccountRescreeningResult(compared, waiting)

    async def _batch(self, org_id: UUID, after: UUID, limit: int) -> Sequence[BankAccount]:
        async def read(tx: Tx) -> Sequence[BankAccount]:
            found = await store.active_after(tx, org_id, after, limit)
            return await opened_all(tx, self.vault, org_id, found)

        return await self.database.transact(read)

    async def _compare(self, account: BankAccount, offset: timedelta) -> bool:
        """Return whether the account waits now; False if it has changed concurrently."""
        names = names_of(account)
        if account.secret is None or not names:
            return False
        comparison = await self.holders.compare(account.org_id, names)
        if comparison.list_version is None:
            raise NoSanctionsList(
                "No sanctions list is loaded, so there is nothing to compare with."
            )
        if not unseen(account.secret.comparison, comparison):
            return False
        return await self.database.transact(
            lambda tx: self._send_to_reviewer(tx, account, comparison, offset)
        )

    async def _send_to_reviewer(
        self, tx: Tx, account: BankAccount, comparison: ScreeningComparison, offset: timedelta
    ) -> bool:
        locked = await store.lock(tx, account.org_id, account.id)
        if locked is None or locked.version != account.version:
            return False
        await move(
            *(tx, self.vault, with_comparison(account, comparison), BankAccountStatus.PENDING),
            actor=SANCTIONS_LIST,
            at=self.clock.stamp(offset),
        )
        return True
