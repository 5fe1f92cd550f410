"""Comparison of account holders and banks with the sanctions lists, and changes of accounts.

Guarantee: an account that becomes active was compared with the lists that are active at its commit,
and a reviewer has seen each of the hits.

After new lists are loaded, active accounts are compared again. An account with a hit that no
reviewer has seen becomes PENDING, and a payout to it that is in no bank file yet waits as well. An
interrupted run can be repeated: accounts that already wait for a reviewer are no longer ACTIVE.

A status and its change event are written in one transaction. The event has a snapshot of the
account after the change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from msgspec import structs

from landbridge.customers.bank_accounts import coordinates, store
from landbridge.customers.bank_accounts.field_tables import AccountTypeTable
from landbridge.customers.bank_accounts.model import (
    TRANSITIONS,
    BankAccount,
    BankAccountStatus,
    NameMatch,
    ScreeningComparison,
    summary_of,
)
from landbridge.customers.bank_accounts.records import opened_all, sealed
from landbridge.customers.bank_accounts.schemas import account_reply
from landbridge.customers.verification.rescreening import BATCH_SIZE, NoSanctionsList
from landbridge.customers.verification.reviews import SANCTIONS_LIST
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.encryption.snapshots import seal_snapshot
from landbridge.providers.screening.service import Screening, ScreeningSubject


class AccountData(Protocol):
    """Data of an account, submitted or stored."""

    @property
    def table(self) -> AccountTypeTable:
        """Table of its type."""
        ...

    @property
    def holder(self) -> Mapping[str, Any] | None:
        """Members of the holder object; None if the account type has no holder."""
        ...

    @property
    def bank(self) -> Mapping[str, Any]:
        """Members of the bank object."""
        ...


@dataclass(frozen=True, slots=True)
class ScreenedNames:
    """Names of an account that are compared with the lists; falsy if there are none."""

    holder: Mapping[str, Any] | None = None
    bank: str | None = None

    def __bool__(self) -> bool:
        return self.holder is not None or self.bank is not None


def names_of(account: AccountData) -> ScreenedNames:
    """Return the names of an account; none once it is erased."""
    if not account.bank:
        return ScreenedNames()
    summary = summary_of(account.table, account.bank, account.holder)
    return ScreenedNames(account.holder, summary.bank_name)


@dataclass(frozen=True, slots=True)
class HolderScreening:
    """Compares the names of account holders and banks."""

    screening: Screening

    async def compare(self, org_id: UUID, names: ScreenedNames) -> ScreeningComparison:
        """Compare the names with the lists; without names there is nothing to compare."""
        if not names:
            return ScreeningComparison()
        screened = await self.screening.screen(_subjects(names), org_id=org_id)
        likenesses = [copy_fields(hit, NameMatch, asked_name=hit.asked) for hit in screened.hits]
        return ScreeningComparison(
            list_version=screened.list_version,
            likenesses=tuple(likenesses),
            # The bank's name may be unreadable: the bank is identified by its number or code too.
            unread=tuple(each for each in screened.unread if each != names.bank),
            lacks_list=screened.lacks_list,
        )

    async def hold(self, tx: Tx, account: BankAccount) -> None:
        """Lock the lists until `tx` ends, so that `tx` may make this account active.

        Call it before taking any other lock, as loading a list and approving a user do. Raises
        `ListReplaced` if the account was compared with other lists than the active ones.
        """
        if account.secret is not None and names_of(account):
            await self.screening.hold(tx, account.secret.comparison.list_version)


def _subjects(names: ScreenedNames) -> list[ScreeningSubject]:
    """Return the subjects to compare; a holder counts as of unknown type, as none is verified."""
    subjects: list[ScreeningSubject] = []
    if (holder := names.holder) is not None:
        birth_date = holder.get("dateOfBirth")
        holder_subject = ScreeningSubject(
            name=holder["name"],
            type=holder["type"],
            born=None if birth_date is None else date.fromisoformat(birth_date),
            is_type_unverified=True,
        )
        subjects.append(holder_subject)
    if names.bank is not None:
        subjects.append(ScreeningSubject(name=names.bank, type="business", born=None))
    return subjects


def with_comparison(account: BankAccount, comparison: ScreeningComparison) -> BankAccount:
    """Return the account with a later comparison, in which the earlier hits are kept."""
    if account.secret is None:
        return account
    known = account.secret.comparison
    later = structs.replace(
        comparison,
        likenesses=(*known.likenesses, *unseen(known, comparison)),
        unread=tuple(dict.fromkeys((*known.unread, *comparison.unread))),
    )
    return replace(account, secret=structs.replace(account.secret, comparison=later))


def unseen_refusal(seen: BankAccount, compared: BankAccount) -> ResourceConflict | None:
    """Return why the reviewer must see the account again before approving it, or None."""
    if seen.secret is None or compared.secret is None:
        return None
    before, after = seen.secret.comparison, compared.secret.comparison
    entries = [f"{hit.list} {hit.entry_id} ({hit.program})" for hit in unseen(before, after)]
    if not entries and {*after.unread} <= {*before.unread}:
        return None
    # The message names entries by number only, because names are personal data.
    found = f"the entries {', '.join(entries)}" if entries else "names that can't be compared"
    return ResourceConflict(
        f"the account was looked at again with {after.list_version}, loaded since: its holder has "
        f"{found}; look at it, then decide",
        field="decision",
    )


def unseen(before: ScreeningComparison, after: ScreeningComparison) -> list[NameMatch]:
    """Return the hits of `after` that `before` does not have."""
    known = {(hit.list, hit.entry_id) for hit in before.likenesses}
    return [hit for hit in after.likenesses if (hit.list, hit.entry_id) not in known]


_FIRST = UUID(int=0)


@dataclass(frozen=True, slots=True)
class AccountRescreeningResult:
    """Result of a rescreening: numbers of accounts compared, and of accounts sent to review."""

    compared: int
    opened: int

    def __str__(self) -> str:
        return f"{self.compared} bank accounts were compared, {self.opened} wait for a reviewer."


@dataclass(frozen=True, slots=True)
class AccountRescreening:
    """Compares active accounts again with the present lists."""

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
        """Return True if the account now waits for a reviewer; False also if it has changed."""
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


async def record_account_change(
    tx: Tx, account: BankAccount, actor: str, *, key: DataKey | None
) -> None:
    """Record a change of an account; `key` is its user's data key, None once that is erased."""
    snapshot = None
    if key is not None:
        snapshot = seal_snapshot(
            key,
            account.user_id,
            object_id=account.id,
            seq=account.version,
            payload=account_reply(account),
        )
    await append_change(
        tx,
        org_id=account.org_id,
        object_id=account.id,
        seq=account.version,
        kind=account.kind,
        change_type="create" if account.version == 1 else "update",
        actor=actor,
        at=account.updated_at,
        facts={"userId": str(account.user_id), "status": account.status},
        snapshot=snapshot,
    )


async def move(
    tx: Tx,
    vault: Vault,
    account: BankAccount,
    status: BankAccountStatus,
    *,
    actor: str,
    at: datetime,
) -> BankAccount:
    """Store and record a new status of a locked account."""
    if not TRANSITIONS.is_path(account.status, (status,)):
        raise InvariantBroken(f"no way from {account.status} to {status}")
    return await store_change(tx, vault, replace(account, status=status), actor=actor, at=at)


async def store_change(
    tx: Tx, vault: Vault, account: BankAccount, *, actor: str, at: datetime
) -> BankAccount:
    """Store and record the next version of a locked account."""
    moved = replace(account, version=account.version + 1, updated_at=at)
    key = await vault.find(tx, account.org_id, account.user_id)
    if key is None:
        raise InvariantBroken(f"bank account {account.id} was locked, and yet erased")
    of_org = await vault.make(tx, account.org_id, account.org_id)
    is_stored = await store.update(
        tx,
        sealed(moved, key),
        version=account.version,
        coordinate_hashes=coordinates.hashed(moved, of_org),
    )
    if not is_stored:
        raise InvariantBroken(f"bank account {account.id} was locked, and yet changed")
    await record_account_change(tx, moved, actor, key=key)
    return moved
