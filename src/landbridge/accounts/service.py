"""Verbs on bank accounts. Source: contract, accounts 4.

Guarantees: what is personal is sealed with the user's data key before it reaches a statement; a
change of status, the row and its line in `changes` are one transaction; the same request id makes
one account.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from msgspec import structs

from landbridge.accounts import store
from landbridge.accounts.errors import AccountDataInvalid, AccountNotFound, InactiveAccount
from landbridge.accounts.model import MOVES, Account, Comparison, Likeness, Secret, Status
from landbridge.accounts.reading import Reading, read
from landbridge.accounts.records import opened, seal_request, sealed, unsealed_request
from landbridge.accounts.tables import Ramp
from landbridge.accounts.telling import tell_account
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Busy, ResourceConflict
from landbridge.core.ids import new_id
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.formats.texts import check_text
from landbridge.kyc.model import Rail as KycRail
from landbridge.ledger.replays import first_difference
from landbridge.privacy.keys import key_of
from landbridge.privacy.service import Vault
from landbridge.screening.service import Screening, Subject
from landbridge.users.service import Users
from landbridge.web.caller import Caller, check_editor, check_reviewer
from landbridge.web.replays import note_replay

_REASON_LENGTH_MAX = 500


class Verified(Protocol):
    """Whether a user is verified on a rail."""

    async def check_active(self, org_id: UUID, user_id: UUID, rail: KycRail) -> None:
        """Raise `VerificationMissing` unless the user is verified there."""
        ...


class Decision(StrEnum):
    """What a reviewer says about a pending account."""

    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list of accounts is narrowed to."""

    ramp: Ramp | None
    type: str | None
    currency: str | None


class Accounts:
    """Bank accounts of all organisations."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        clock: Clock,
        *,
        users: Users,
        verified: Verified,
        screening: Screening,
    ) -> None:
        self._database = database
        self._users = users
        self._verified = verified
        self._screening = screening
        self._vault = vault
        self._clock = clock

    async def create(
        self,
        caller: Caller,
        user_id: UUID,
        request: dict[str, Any],
        *,
        request_id: UUID | None,
    ) -> Account:
        """Add an account: active, pending if its holder's name is like a listed one, or rejected.

        `request` is the body as it was told, camelCase. Raises what `read` raises, `UserNotFound`,
        `UserFrozen`, `VerificationMissing`, and `ResourceConflict` for a request id that was used
        for something else.
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
        comparison = Comparison() if reading.wrong else await self._compared(reading)
        account = _new_account(org_id, user_id, reading, comparison, request_id=request_id, at=at)
        return await self._database.transact(
            lambda tx: self._add(tx, account, request, caller.actor)
        )

    async def get(self, org_id: UUID, user_id: UUID, account_id: UUID) -> Account:
        """An account; raises `AccountNotFound`, also for another user's."""

        async def work(tx: Tx) -> Account:
            # The key first: erased in between, the row is blank and nothing is missed.
            key = await self._vault.find(tx, org_id, user_id)
            found = await store.get(tx, org_id, account_id)
            if found is None or found.user_id != user_id:
                raise _unknown(account_id)
            return opened(found, key)

        return await self._database.transact(work)

    async def check_usable(self, org_id: UUID, user_id: UUID, account_id: UUID) -> Account:
        """An account that money may go through.

        Raises `AccountNotFound`, `InactiveAccount`, `AccountDataInvalid` for one that lacks what is
        needed to pay to it, and `VerificationMissing` if the user's approval was revoked since.
        """
        found = await self.get(org_id, user_id, account_id)
        if found.status is not Status.ACTIVE:
            raise InactiveAccount(f"bank account {account_id} is {found.status}")
        if found.missing:
            raise AccountDataInvalid(f"bank account {account_id} can't be used: {found.reason}")
        rail = found.table.kyc_rail(found.currency)
        await self._verified.check_active(org_id, user_id, rail)
        return found

    async def page(
        self, org_id: UUID, user_id: UUID, filters: Filters, window: Window
    ) -> Sequence[Account]:
        """Accounts of a user, newest first; raises `UserNotFound`."""
        await self._users.check_exists(org_id, user_id)

        async def work(tx: Tx) -> Sequence[Account]:
            key = await self._vault.find(tx, org_id, user_id)
            found = await store.page(
                tx,
                org_id,
                user_id,
                since=window.since,
                before=window.position,
                limit=window.limit,
                filters=(filters.ramp, filters.type, filters.currency),
            )
            return [opened(each, key) for each in found]

        return await self._database.transact(work)

    async def delete(self, caller: Caller, user_id: UUID, account_id: UUID) -> Account:
        """Make an account unusable for good; done again, it answers as the first time."""
        check_editor(caller)

        async def work(tx: Tx) -> Account:
            account = await self._lock(tx, caller.org_id, account_id)
            if account.user_id != user_id:
                raise _unknown(account_id)
            if account.status is Status.INACTIVE:
                return account
            return await self._move(tx, caller, account, Status.INACTIVE, account.secret)

        return await self._database.transact(work)

    async def pending(self, org_id: UUID, window: Window) -> Sequence[Account]:
        """Accounts that wait for a reviewer, oldest first."""

        async def work(tx: Tx) -> Sequence[Account]:
            found = await store.pending(
                tx,
                org_id,
                since=window.since,
                before=window.position.created_at,
                limit=window.limit,
            )
            keys = await self._vault.find_many(tx, org_id, {each.user_id for each in found})
            return [opened(each, keys.get(each.user_id)) for each in found]

        return await self._database.transact(work)

    async def decide(
        self, caller: Caller, account_id: UUID, decision: Decision, *, reason: str | None
    ) -> Account:
        """Decide on a pending account; decided alike again, it answers as the first time.

        Raises `AccountNotFound`, `InactiveAccount` for a deleted one, and `ResourceConflict` for
        one that was decided otherwise.
        """
        check_reviewer(caller)
        said = (
            None if reason is None else check_text("reason", reason, length_max=_REASON_LENGTH_MAX)
        )
        wanted = Status.ACTIVE if decision is Decision.APPROVE else Status.REJECTED

        async def work(tx: Tx) -> Account:
            account = await self._lock(tx, caller.org_id, account_id)
            if account.status is wanted:
                return account
            if account.status is Status.INACTIVE:
                raise InactiveAccount(f"bank account {account_id} is {account.status}")
            if account.status is not Status.PENDING or account.secret is None:
                raise ResourceConflict(f"bank account {account_id} is {account.status} already")
            secret = structs.replace(account.secret, reason=said)
            return await self._move(tx, caller, account, wanted, secret)

        return await self._database.transact(work)

    async def _compared(self, reading: Reading) -> Comparison:
        """The holder's name, compared with the sanctions list."""
        if reading.holder is None:
            return Comparison()
        born = reading.holder.get("dateOfBirth")
        subject = Subject(
            name=reading.holder["name"],
            type=reading.holder["type"],
            born=None if born is None else date.fromisoformat(born),
        )
        screened = await self._screening.screen([subject])
        likenesses = [
            Likeness(
                asked_name=hit.asked,
                listed_name=hit.listed_name,
                entry_id=hit.entry_id,
                program=hit.program,
                score=hit.score,
            )
            for hit in screened.hits
        ]
        return Comparison(
            list_version=screened.list_version,
            likenesses=tuple(likenesses),
            unread=screened.unread,
            lacks_list=screened.lacks_list,
        )

    async def _add(
        self, tx: Tx, account: Account, request: Mapping[str, Any], actor: str
    ) -> Account:
        key = await key_of(self._vault, tx, account.org_id, account.user_id)
        asked = None if account.request_id is None else seal_request(account, request, key)
        if await store.add(tx, sealed(account, key), asked):
            # The new row holds its user: who is being erased was so before, or waits for us.
            await key_of(self._vault, tx, account.org_id, account.user_id)
            await tell_account(tx, account, actor, key=key)
            return account
        # Ours, if its commit was not heard of and all this is done again.
        stored = await store.get(tx, account.org_id, account.id)
        if stored is not None:
            return opened(stored, key)
        if account.request_id is None:
            raise Broken(f"bank account {account.id} was not stored")
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
    ) -> Account | None:
        """The account that this request id made before, if that was the same request."""
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

    async def _lock(self, tx: Tx, org_id: UUID, account_id: UUID) -> Account:
        found = await store.lock(tx, org_id, account_id)
        if found is None:
            raise _unknown(account_id)
        return opened(found, await self._vault.find(tx, org_id, found.user_id))

    async def _move(
        self, tx: Tx, caller: Caller, account: Account, status: Status, secret: Secret | None
    ) -> Account:
        """Store and tell a new status of an account that is locked."""
        if not MOVES.is_path(account.status, (status,)):
            raise Broken(f"no way from {account.status} to {status}")
        at = self._clock.stamp(caller.clock_offset)
        moved = replace(
            account, status=status, secret=secret, version=account.version + 1, updated_at=at
        )
        key = await self._vault.find(tx, account.org_id, account.user_id)
        if key is None or not await store.update(tx, sealed(moved, key), version=account.version):
            raise Broken(f"bank account {account.id} was locked, and yet changed")
        await tell_account(tx, moved, caller.actor, key=key)
        return moved


async def known_since(
    tx: Tx, org_id: UUID, account_ids: Collection[UUID]
) -> Mapping[UUID, datetime]:
    """Since when these accounts are known."""
    return await store.known_since(tx, org_id, account_ids)


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Blank what is personal in a user's accounts and deactivate them; part of erasing the user."""
    for each in await store.erase(tx, org_id, user_id, at):
        await tell_account(tx, opened(each, None), "erasure", key=None)


def _new_account(
    org_id: UUID,
    user_id: UUID,
    reading: Reading,
    comparison: Comparison,
    *,
    request_id: UUID | None,
    at: datetime,
) -> Account:
    status = Status.ACTIVE
    if reading.wrong:
        status = Status.REJECTED
    elif comparison.needs_person:
        status = Status.PENDING
    return Account(
        org_id=org_id,
        id=new_id(),
        user_id=user_id,
        request_id=request_id,
        ramp=reading.ramp,
        type=reading.table.name,
        currency=reading.currency,
        status=status,
        secret=Secret(
            holder=reading.holder, bank=reading.bank, wrong=reading.wrong, comparison=comparison
        ),
        version=1,
        created_at=at,
        updated_at=at,
    )


def _unknown(account_id: UUID) -> AccountNotFound:
    return AccountNotFound(f"there is no bank account {account_id}")
