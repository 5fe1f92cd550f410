"""Operations on users. Source: contract, users 2.

Guarantees: personal data is encrypted with the user's data key before it reaches a statement; an
operation that changes a user locks its row first, so concurrent changes wait instead of failing.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.customers.users import sealed_records, store, terms
from landbridge.customers.users.change_events import add_change
from landbridge.customers.users.country_policy import CountryPolicy
from landbridge.customers.users.model import User, UserCard, UserNames, UserProfile, UserType
from landbridge.customers.users.records import UserRecords, check_not_frozen, unknown
from landbridge.customers.users.search import UserFilters, matches
from landbridge.customers.users.validation import UserDetails, changed
from landbridge.customers.wallets.service import Wallets
from landbridge.ledger.service import find_incoming_kind, find_unfinished_kind
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, FieldInvalid, ResourceConflict, UserFrozen
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import BEGINNING, PagePosition, PageWindow, PositionWindow
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.grouped_lookup import GroupedLookup
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller, check_admin, check_editor
from landbridge.providers.chains.tokens import Chain

# Chains of a new user's wallets if a request names none. Source: contract, users 2.
DEFAULT_CHAINS = (Chain.POLYGON, Chain.ETHEREUM)

# Users that are decrypted at once for comparison with a pattern, which blocks the process for 5 ms.
BATCH_SIZE = 250
# Most users that a page scans, in about half a second. Then the page ends early, with a cursor.
LOOKED_THROUGH_MAX = 10_000
# Most ids read at once: as many as a report may have rows.
IDS_MAX = 10_000


# Creates dependent data of a higher package, in the transaction that creates the user.
Joined = Callable[[Tx, User, DataKey, datetime], Awaitable[None]]
Leaving = Callable[[Tx, UUID, UUID, datetime], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class UserPage:
    """Users, newest first; `next_cursor` starts the next page, None for an empty last page."""

    users: list[UserCard]
    next_cursor: datetime | None


@dataclass(frozen=True, slots=True)
class FreezeState:
    """Freeze state of a user, with its time and reason."""

    user: UserCard
    reason: str | None


class Users:
    """Users of all organisations."""

    def __init__(
        self,
        database: Database,
        wallets: Wallets,
        vault: Vault,
        clock: Clock,
        *,
        policy: CountryPolicy,
        transitions: Mapping[str, Transitions[Any]],
        joined: Sequence[Joined] = (),
        leaving: Sequence[Leaving] = (),
    ) -> None:
        self._database = database
        self._wallets = wallets
        self._vault = vault
        self._records = UserRecords(vault)
        self._clock = clock
        self._policy = policy
        self._transitions = transitions
        self._joined = joined
        self._leaving = leaving
        self._lookups = grouped(database, lambda: GroupCommit(self._which_frozen, concurrency=2))
        self._cards = GroupedLookup(database, self._records.cards)

    async def create(
        self,
        caller: Caller,
        details: UserDetails,
        *,
        agreement_id: UUID,
        chains: Collection[Chain],
        request_id: UUID | None,
        request: dict[str, Any],
    ) -> User:
        """Create a user with wallets on `chains`, once per request id.

        Raises `FieldInvalid` (also for terms that were not accepted) and `ResourceConflict` for a
        request id that was used with another body.
        """
        check_editor(caller)
        at = self._clock.stamp(caller.clock_offset)
        if details.address is None and details.ip_address is None:
            raise FieldInvalid("address or ipAddress is required", field="address")
        blank = _blank(
            caller.org_id,
            details.type or UserType.INDIVIDUAL,
            agreement_id=agreement_id,
            request_id=request_id or new_id(),
            at=at,
        )
        user = changed(blank, details, self._policy, today=at.date())

        async def work(tx: Tx) -> User:
            known = await self._records.replayed(tx, user, request)
            if known is not None:
                return known
            await terms.check_signed(tx, caller.org_id, agreement_id)
            if key := await self._records.add(tx, user, request):
                await self._wallets.open(tx, caller.org_id, user.id, chains, at)
                await add_change(tx, self._wallets, user, caller.actor, key)
                for join in self._joined:
                    await join(tx, user, key, at)
                return user
            known = await self._records.replayed(tx, user, request)
            if known is None:
                raise Busy("another request with this requestId has just been rolled back")
            return known

        return await self._database.transact(work)

    async def get(self, org_id: UUID, user_id: UUID) -> User:
        """Return a user; raise `UserNotFound`, also for a user of another organisation."""
        user, _ = await self._database.read(lambda tx: self._records.get(tx, org_id, user_id))
        return user

    async def check_exists(self, org_id: UUID, user_id: UUID) -> None:
        """Raise `UserNotFound` unless the user exists; cheap under load."""
        if await self._lookups.call((org_id, user_id)) is None:
            raise unknown(user_id)

    async def check_active(self, org_id: UUID, *user_ids: UUID) -> None:
        """Raise `UserNotFound` or `UserFrozen` unless all may move money; cheap under load."""
        distinct = list(dict.fromkeys(user_ids))
        found = await gather_in_order(self._lookups.call((org_id, each)) for each in distinct)
        for user_id, is_frozen in zip(distinct, found, strict=True):
            check_not_frozen(user_id, is_frozen)

    async def cards(self, org_id: UUID, user_ids: Sequence[UUID]) -> dict[UUID, UserCard]:
        """Return the existing users among these, by id; cheap under load."""
        return await self._cards.find(org_id, user_ids)

    async def ids(
        self,
        org_id: UUID,
        *,
        since: datetime = BEGINNING,
        offset: int = 0,
        limit: int = IDS_MAX,
    ) -> list[UUID]:
        """Return ids of users created at `since` or later, oldest first, including erased users."""
        return await self._database.single(
            lambda tx: store.ids(tx, org_id, since=since, offset=offset, limit=limit)
        )

    async def find_card(self, tx: Tx, org_id: UUID, user_id: UUID) -> UserCard | None:
        """Return a user as visible to this transaction."""
        return (await self._records.cards(tx, org_id, [user_id])).get(user_id)

    async def page(
        self,
        org_id: UUID,
        filters: UserFilters,
        window: PageWindow,
        *,
        batch_size: int = BATCH_SIZE,
        looked_through_max: int = LOOKED_THROUGH_MAX,
    ) -> UserPage:
        """Return a page of users, newest first.

        The database alone cannot search encrypted names: it finds candidates, which are decrypted
        and compared here, batch after batch, until the page is full. After `looked_through_max`
        candidates the page ends early; its cursor continues from there.
        """
        patterns = filters.patterns()
        size = batch_size if patterns else window.limit
        found: list[UserCard] = []
        position, looked_through = window.position, 0
        while True:
            batch = await self._database.transact(
                lambda tx, before=position: self._records.candidates(
                    tx,
                    org_id,
                    PositionWindow(size, window.since, before),
                    type_=filters.type,
                    patterns=patterns,
                    metadata=filters.metadata,
                )
            )
            looked_through += len(batch)
            found += [each for each in batch if matches(each.names, patterns)]
            if len(found) >= window.limit:
                found = found[: window.limit]
                return UserPage(found, found[-1].created_at)
            if len(batch) < size:
                return UserPage(found, found[-1].created_at if found else None)
            if looked_through >= looked_through_max:
                return UserPage(found, batch[-1].created_at)
            position = PagePosition(batch[-1].created_at, batch[-1].id)

    async def update(
        self, caller: Caller, user_id: UUID, details: UserDetails, *, agreement_id: UUID | None
    ) -> User:
        """Change the submitted members only; permitted for a frozen user.

        Raises `FieldInvalid`, `UserNotFound`, and `UserFrozen` after erasure. `agreement_id` is set
        when the person has accepted terms again.
        """
        check_editor(caller)

        async def work(tx: Tx) -> User:
            before, key = await self._records.lock(tx, caller.org_id, user_id)
            at = self._clock.stamp(caller.clock_offset)
            after = changed(before, details, self._policy, today=at.date())
            after = replace(after, version=before.version + 1, updated_at=at)
            if agreement_id is not None:
                await terms.check_signed(tx, caller.org_id, agreement_id)
                after = replace(after, agreement_id=agreement_id)
                await self._records.add_agreement(tx, after)
            await self._records.update(tx, after, key, metadata=details.metadata)
            await add_change(tx, self._wallets, after, caller.actor, key)
            return after

        return await self._database.transact(work)

    async def add_wallets(self, caller: Caller, user_id: UUID, chains: Collection[Chain]) -> User:
        """Open wallets on more chains; existing wallets stay unchanged.

        Raises `UserNotFound` and `UserFrozen`.
        """
        check_editor(caller)

        async def work(tx: Tx) -> User:
            before, key = await self._records.lock(tx, caller.org_id, user_id)
            if before.is_frozen:
                raise UserFrozen(f"user {user_id} is frozen")
            at = self._clock.stamp(caller.clock_offset)
            if not await self._wallets.open(tx, caller.org_id, user_id, chains, at):
                return before
            after = replace(before, version=before.version + 1, updated_at=at)
            await self._records.update(tx, after, key)
            await add_change(tx, self._wallets, after, caller.actor, key)
            return after

        return await self._database.transact(work)

    async def freeze(self, caller: Caller, user_id: UUID, *, reason: str | None) -> FreezeState:
        """Block the user's payments until unfrozen; a repeated call returns the first result."""
        check_editor(caller)
        checked = None if reason is None else check_text("reason", reason)

        async def work(tx: Tx) -> FreezeState:
            user, key = await self._records.lock(tx, caller.org_id, user_id)
            if user.is_frozen:
                return FreezeState(user, await self._records.reason(tx, user, key))
            at = self._clock.stamp(caller.clock_offset)
            sealed_reason = checked and sealed_records.seal_reason(user_id, checked, key)
            frozen = replace(user, frozen_at=at, updated_at=at, version=user.version + 1)
            text = sealed_reason or None
            await store.freeze(tx, caller.org_id, user_id, frozen_at=at, sealed_reason=text, at=at)
            await add_change(tx, self._wallets, frozen, caller.actor, key, facts={"frozen": True})
            return FreezeState(frozen, checked)

        return await self._database.transact(work)

    async def unfreeze(self, caller: Caller, user_id: UUID) -> FreezeState:
        """Unfreeze the user; raise `UserFrozen` after erasure, which is permanent."""
        check_editor(caller)

        async def work(tx: Tx) -> FreezeState:
            user, key = await self._records.lock(tx, caller.org_id, user_id)
            if not user.is_frozen:
                return FreezeState(user, None)
            at = self._clock.stamp(caller.clock_offset)
            active = replace(user, frozen_at=None, updated_at=at, version=user.version + 1)
            await store.freeze(
                tx, caller.org_id, user_id, frozen_at=None, sealed_reason=None, at=at
            )
            await add_change(tx, self._wallets, active, caller.actor, key, facts={"frozen": False})
            return FreezeState(active, None)

        return await self._database.transact(work)

    async def freeze_of(self, org_id: UUID, user_id: UUID) -> FreezeState:
        """Return the user's freeze state, its time and reason."""

        async def read(tx: Tx) -> FreezeState:
            user, key = await self._records.get(tx, org_id, user_id)
            return FreezeState(user, await self._records.reason(tx, user, key))

        return await self._database.read(read)

    async def erase(self, caller: Caller, user_id: UUID) -> User:
        """Erase the user's personal data permanently; a repeated call returns the first result.

        Data that the ledger needs is kept: ids, wallet addresses and all entries. Raises
        `UserNotFound`, and `ResourceConflict` unless the user is frozen, has no balance, no pending
        payments and no pending incoming payments. The user must be frozen before, so that no
        payment starts during the check.
        """
        check_admin(caller)
        org_id = caller.org_id

        async def work(tx: Tx) -> User:
            stored = await store.lock(tx, org_id, user_id)
            if stored is None:
                raise unknown(user_id)
            user = sealed_records.open_user(stored, None)
            if user.erased_at is not None:
                return user
            if not user.is_frozen:
                raise ResourceConflict("freeze the user first: POST /v2/users/{userId}/freeze")
            if kind := await find_unfinished_kind(tx, org_id, user_id, self._transitions):
                raise ResourceConflict(f"the user has a {kind} under way; wait until it has ended")
            wallet_ids = await self._wallets.ids_of(tx, org_id, user_id)
            if kind := await find_incoming_kind(tx, org_id, user_id, wallet_ids, self._transitions):
                raise ResourceConflict(
                    f"the user is paid by somebody's {kind}; wait until it has ended"
                )
            # Check balances last: a payment that ended during the check has been credited by now.
            await self._wallets.check_empty(tx, org_id, user_id)
            at = self._clock.stamp(caller.clock_offset)
            for leave in self._leaving:
                await leave(tx, org_id, user_id, at)
            await self._wallets.forget_labels(tx, org_id, user_id)
            agreements = await store.own_agreements(tx, org_id, user_id)
            await terms.forget(tx, self._vault, org_id, agreements)
            await store.erase(tx, org_id, user_id, at)
            await self._vault.destroy(tx, org_id, [user_id])
            erased = replace(user, erased_at=at, updated_at=at, version=user.version + 1)
            await add_change(tx, self._wallets, erased, caller.actor, None, facts={"erased": True})
            return erased

        return await self._database.transact(work)

    async def _which_frozen(self, user_ids: list[tuple[UUID, UUID]]) -> list[bool | None]:
        found = await self._database.single(lambda tx: store.which_frozen(tx, user_ids))
        return [found.get(each) for each in user_ids]


def _blank(
    org_id: UUID, type_: UserType, *, agreement_id: UUID, request_id: UUID, at: datetime
) -> User:
    return User(
        org_id=org_id,
        id=new_id(),
        type=type_,
        names=UserNames(),
        agreement_id=agreement_id,
        version=1,
        created_at=at,
        updated_at=at,
        frozen_at=None,
        erased_at=None,
        metadata={},
        request_id=request_id,
        profile=UserProfile(),
    )
