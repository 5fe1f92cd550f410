"""Operations on bank accounts. Source: contract, accounts 4.

Guarantees: personal data is encrypted with the user's data key before it reaches a statement; a
change of status, the row and its line in `changes` are one transaction; the same request id creates
one account.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol
from uuid import UUID

from msgspec import structs

from landbridge.customers.bank_accounts import coordinates, store
from landbridge.customers.bank_accounts.erasure import find_suspended
from landbridge.customers.bank_accounts.errors import (
    AccountDataInvalid,
    AccountNotFound,
    InactiveAccount,
)
from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.holder_screening import (
    HolderScreening,
    ScreenedNames,
    move,
    names_of,
    record_account_change,
    store_change,
    unseen_refusal,
    with_comparison,
)
from landbridge.customers.bank_accounts.model import AccountDecision, BankAccount, BankAccountStatus
from landbridge.customers.bank_accounts.parsing import read
from landbridge.customers.bank_accounts.records import (
    new_account,
    opened,
    opened_all,
    seal_request,
    sealed,
    unsealed_request,
)
from landbridge.customers.kyc.model import Rail as KycRail
from landbridge.customers.users.service import Users
from landbridge.ledger.replays import first_difference
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, InvariantBroken, ResourceConflict
from landbridge.platform.core.pagination import PageWindow, QueueWindow
from landbridge.platform.db.grouped_lookup import GroupedLookup
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.encryption.user_keys import key_of
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller, check_editor, check_reviewer
from landbridge.platform.http.replays import note_replay
from landbridge.platform.metadata.service import attach
from landbridge.providers.screening.model import ListReplaced
from landbridge.providers.screening.service import Screening

REASON_LENGTH_MAX = 500


class RailVerificationCheck(Protocol):
    """Check of a user's verification on a rail."""

    async def check_active(self, org_id: UUID, user_id: UUID, rail: KycRail) -> None:
        """Raise `VerificationMissing` unless the user is verified on the rail."""
        ...


@dataclass(frozen=True, slots=True)
class BankAccountFilters:
    """Filters of a list of accounts."""

    ramp: Ramp | None
    type: str | None
    currency: str | None
    metadata: Mapping[str, str] | None


class BankAccounts:
    """Bank accounts of all organisations."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        clock: Clock,
        *,
        users: Users,
        verified: RailVerificationCheck,
        screening: Screening,
    ) -> None:
        self._database = database
        self._users = users
        self._verified = verified
        self._holders = HolderScreening(screening)
        self._vault = vault
        self._clock = clock
        self._lookup = GroupedLookup(database, self._read)

    async def create(
        self,
        caller: Caller,
        user_id: UUID,
        request: dict[str, Any],
        *,
        request_id: UUID | None,
    ) -> BankAccount:
        """Add an account: active, pending after a match on a list, or rejected.

        `request` is the submitted body, camelCase. Raises the errors of `read`, `UserNotFound`,
        `UserFrozen`, `VerificationMissing`, and `ResourceConflict` for a request id with a
        different earlier request.
        """
        check_editor(caller)
        org_id = caller.org_id
        if request_id is not None:
            known = await self._database.transact(
                lambda tx: self._replayed(tx, org_id, user_id, request_id, request)
            )
            if known is not None:
                note_replay()
                return known
        await self._users.check_active(org_id, user_id)
        at = self._clock.stamp(caller.clock_offset)
        reading = read(request, today=at.date())
        await self._verified.check_active(org_id, user_id, reading.table.kyc_rail(reading.currency))
        while True:
            # An account that is rejected anyway is not compared.
            names = ScreenedNames() if reading.wrong else names_of(reading)
            comparison = await self._holders.compare(org_id, names)
            account = new_account(
                org_id, user_id, reading, comparison, request_id=request_id, at=at
            )
            add = partial(self._add, account=account, request=request, actor=caller.actor)
            with suppress(ListReplaced):
                return await self._database.transact(add)

    async def get(self, org_id: UUID, user_id: UUID, account_id: UUID) -> BankAccount:
        """Return an account; raises `AccountNotFound`, also if it is another user's."""
        found = (await self._lookup.find(org_id, [account_id])).get(account_id)
        if found is None or found.user_id != user_id:
            raise _unknown(account_id)
        return found

    async def _read(
        self, tx: Tx, org_id: UUID, account_ids: Collection[UUID]
    ) -> Mapping[UUID, BankAccount]:
        stored = await store.get_many(tx, org_id, account_ids)
        return {each.id: each for each in await opened_all(tx, self._vault, org_id, stored)}

    async def check_usable(self, org_id: UUID, user_id: UUID, account_id: UUID) -> BankAccount:
        """Return an account that is usable for payments.

        Raises `AccountNotFound`, `InactiveAccount`, `AccountDataInvalid` for an account without the
        data required for a payment to it, and `VerificationMissing` if the user's approval was
        revoked since.
        """
        found = await self.get(org_id, user_id, account_id)
        if found.status is not BankAccountStatus.ACTIVE:
            raise InactiveAccount(f"bank account {account_id} is {found.status}")
        if found.missing:
            raise AccountDataInvalid(f"bank account {account_id} can't be used: {found.reason}")
        rail = found.table.kyc_rail(found.currency)
        await self._verified.check_active(org_id, user_id, rail)
        return found

    async def find_suspension(self, org_id: UUID, account_id: UUID) -> str | None:
        """Return why a payout requested earlier must not be sent to the account now, or None."""
        found = await self._database.single(lambda tx: find_suspended(tx, org_id, [account_id]))
        return f"bank account {account_id} resembles a listed one" if found else None

    async def page(
        self, org_id: UUID, user_id: UUID, filters: BankAccountFilters, window: PageWindow
    ) -> Sequence[BankAccount]:
        """Return a page of a user's accounts, newest first; raises `UserNotFound`."""
        await self._users.check_exists(org_id, user_id)

        async def work(tx: Tx) -> Sequence[BankAccount]:
            key = await self._vault.find(tx, org_id, user_id)
            found = await store.page(
                tx,
                org_id,
                user_id,
                window.positions,
                filters=(filters.ramp, filters.type, filters.currency),
                metadata=filters.metadata,
            )
            return [opened(each, key) for each in found]

        return await self._database.transact(work)

    async def delete(self, caller: Caller, user_id: UUID, account_id: UUID) -> BankAccount:
        """Disable an account permanently; a repeated call returns the first result."""
        check_editor(caller)

        async def work(tx: Tx) -> BankAccount:
            account = await self._lock(tx, caller.org_id, account_id)
            if account.user_id != user_id:
                raise _unknown(account_id)
            if account.status is BankAccountStatus.INACTIVE:
                return account
            return await move(
                *(tx, self._vault, account, BankAccountStatus.INACTIVE),
                actor=caller.actor,
                at=self._clock.stamp(caller.clock_offset),
            )

        return await self._database.transact(work)

    async def pending(self, org_id: UUID, window: QueueWindow) -> Sequence[BankAccount]:
        """Return a page of accounts that wait for a reviewer, oldest first."""

        async def work(tx: Tx) -> Sequence[BankAccount]:
            stored = await store.pending(tx, org_id, window)
            return await opened_all(tx, self._vault, org_id, stored)

        return await self._database.transact(work)

    async def decide(
        self, caller: Caller, account_id: UUID, decision: AccountDecision, *, reason: str | None
    ) -> BankAccount:
        """Decide on a pending account; repeating the same decision returns the first result.

        Raises `AccountNotFound`, `InactiveAccount` for a deleted account, and `ResourceConflict`
        after a different decision, or if the reviewer who approves has not seen hits of a list that
        was loaded in the meantime: these are then stored with the account.
        """
        check_reviewer(caller)
        reason_text = (
            None if reason is None else check_text("reason", reason, length_max=REASON_LENGTH_MAX)
        )
        org_id = caller.org_id
        seen = (await self._lookup.find(org_id, [account_id])).get(account_id)
        if seen is None:
            raise _unknown(account_id)
        compared = seen
        while True:
            decide = partial(
                self._decide,
                caller=caller,
                account=compared,
                is_approval=decision is AccountDecision.APPROVE,
                reason=reason_text,
            )
            try:
                return await self._database.transact(decide)
            except ListReplaced:
                comparison = await self._holders.compare(org_id, names_of(seen))
            compared = with_comparison(seen, comparison)
            if refusal := unseen_refusal(seen, compared):
                await self._database.transact(
                    partial(self._keep_comparison, caller=caller, account=compared)
                )
                raise refusal

    async def _decide(
        self,
        tx: Tx,
        *,
        caller: Caller,
        account: BankAccount,
        is_approval: bool,
        reason: str | None,
    ) -> BankAccount:
        """Decide on an account as the reviewer saw it, or with the latest comparison."""
        if is_approval and account.status is BankAccountStatus.PENDING:
            await self._holders.hold(tx, account)
        status = BankAccountStatus.ACTIVE if is_approval else BankAccountStatus.REJECTED
        locked = await self._lock(tx, caller.org_id, account.id)
        if locked.status is status:
            return locked
        if locked.status is BankAccountStatus.INACTIVE:
            raise InactiveAccount(f"bank account {account.id} is {locked.status}")
        if locked.status is not BankAccountStatus.PENDING or account.secret is None:
            raise ResourceConflict(f"bank account {account.id} is {locked.status} already")
        if locked.version != account.version:
            raise ResourceConflict("the account was changed concurrently; look at it again")
        secret = structs.replace(account.secret, reason=reason)
        return await move(
            *(tx, self._vault, replace(account, secret=secret), status),
            actor=caller.actor,
            at=self._clock.stamp(caller.clock_offset),
        )

    async def _keep_comparison(self, tx: Tx, *, caller: Caller, account: BankAccount) -> None:
        """Store the latest comparison of an account that still waits for a reviewer."""
        locked = await self._lock(tx, caller.org_id, account.id)
        if locked.version == account.version and locked.status is BankAccountStatus.PENDING:
            at = self._clock.stamp(caller.clock_offset)
            await store_change(tx, self._vault, account, actor=caller.actor, at=at)

    async def _add(
        self, tx: Tx, account: BankAccount, request: Mapping[str, Any], actor: str
    ) -> BankAccount:
        if account.status is BankAccountStatus.ACTIVE:
            await self._holders.hold(tx, account)
        key = await key_of(self._vault, tx, account.org_id, account.user_id)
        request_seal = None if account.request_id is None else seal_request(account, request, key)
        of_org = await self._vault.make(tx, account.org_id, account.org_id)
        hashes = coordinates.hashed(account, of_org)
        if await store.add(tx, sealed(account, key), request_seal, coordinate_hashes=hashes):
            # The foreign key to the user serialises this with an erasure: it has either committed
            # before, or waits for this transaction.
            await key_of(self._vault, tx, account.org_id, account.user_id)
            await attach(tx, account.org_id, account.id, account.user_id, account.metadata)
            await record_account_change(tx, account, actor, key=key)
            return account
        # The row exists if the commit was not acknowledged and this operation is a retry.
        stored = await store.get(tx, account.org_id, account.id)
        if stored is not None:
            return opened(stored, key)
        if account.request_id is None:
            raise InvariantBroken(f"bank account {account.id} was not stored")
        known = await self._replayed(
            tx, account.org_id, account.user_id, account.request_id, request
        )
        if known is None:
            raise Busy("another request with this requestId has just been rolled back")
        note_replay()
        return known

    async def _replayed(
        self,
        tx: Tx,
        org_id: UUID,
        user_id: UUID,
        request_id: UUID,
        request: Mapping[str, Any],
    ) -> BankAccount | None:
        """Return the account that this request id created before, if the request was the same."""
        found = await store.find_request(tx, org_id, request_id)
        if found is None:
            return None
        stored, sealed_request = found
        key = await self._vault.find(tx, org_id, stored.user_id)
        if stored.user_id != user_id or key is None or sealed_request is None:
            raise ResourceConflict(
                f"requestId {request_id} was already used for another user", field="requestId"
            )
        known = opened(stored, key)
        if field := first_difference(unsealed_request(known, sealed_request, key), request):
            raise ResourceConflict(
                f"requestId {request_id} was already used with another {field}", field=field
            )
        return known

    async def _lock(self, tx: Tx, org_id: UUID, account_id: UUID) -> BankAccount:
        found = await store.lock(tx, org_id, account_id)
        if found is None:
            raise _unknown(account_id)
        return opened(found, await self._vault.find(tx, org_id, found.user_id))


def _unknown(account_id: UUID) -> AccountNotFound:
    return AccountNotFound(f"there is no bank account {account_id}")
