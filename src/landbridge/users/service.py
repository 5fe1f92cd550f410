"""Verbs on users. Source: contract, users 2.

Guarantees: everything personal is sealed with the user's data key before it reaches a statement; a
verb that changes a user locks its row first, so changes wait for each other instead of failing.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, FieldInvalid, ResourceConflict, UserFrozen
from landbridge.core.ids import new_id
from landbridge.core.pages import BEGINNING, Position, Window
from landbridge.core.states import Moves
from landbridge.db.group import Group
from landbridge.db.pool import Database, Tx
from landbridge.formats.texts import check_text
from landbridge.ledger.service import find_paying, find_unfinished
from landbridge.privacy.service import DataKey, Vault
from landbridge.users import sealed, store, terms
from landbridge.users.checks import Particulars, changed
from landbridge.users.model import Names, Profile, User, UserCard, UserType
from landbridge.users.policy import Policy
from landbridge.users.records import Records, unknown
from landbridge.users.search import fold, matches
from landbridge.users.telling import tell_user
from landbridge.wallets.service import Wallets
from landbridge.web.caller import Caller, check_admin, check_editor

# Source: contract, users 2.
DEFAULT_CHAINS = (Chain.POLYGON, Chain.ETHEREUM)

# Users that are opened at once to be compared with a pattern: some 5 ms of this process.
BATCH_SIZE = 250
# Users that one page looks through: half a second. The page then ends early, with a cursor.
LOOKED_THROUGH_MAX = 10_000
# Ids that are read at once: as many as a report may have rows.
IDS_MAX = 10_000


# What belongs to users, above us: told in the transaction in which a user is made, or erased.
Joined = Callable[[Tx, User, DataKey, datetime], Awaitable[None]]
Leaving = Callable[[Tx, UUID, UUID, datetime], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Filters:
    """Case-insensitive partial matches."""

    type: UserType | None
    first_name: str | None
    last_name: str | None
    business_name: str | None
    email: str | None

    def patterns(self) -> dict[str, str]:
        """What is searched, folded, by field."""
        told = {
            "first_name": self.first_name,
            "last_name": self.last_name,
            "business_name": self.business_name,
            "email": self.email,
        }
        return {field: fold(text) for field, text in told.items() if text is not None}


@dataclass(frozen=True, slots=True)
class UserPage:
    """Users newest first; `next_cursor` is where to go on, None for an empty page at the end."""

    users: list[UserCard]
    next_cursor: datetime | None


@dataclass(frozen=True, slots=True)
class Freeze:
    """Whether, since when and why a user is frozen."""

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
        policy: Policy,
        moves: Mapping[str, Moves[Any]],
        joined: Sequence[Joined] = (),
        leaving: Sequence[Leaving] = (),
    ) -> None:
        self._database = database
        self._wallets = wallets
        self._vault = vault
        self._records = Records(vault)
        self._clock = clock
        self._policy = policy
        self._moves = moves
        self._joined = joined
        self._leaving = leaving
        self._lookups = Group(self._which_frozen, lanes=2)

    async def create(
        self,
        caller: Caller,
        told: Particulars,
        *,
        agreement_id: UUID,
        chains: Collection[Chain],
        request_id: UUID | None,
        request: dict[str, Any],
    ) -> User:
        """Make a user with wallets on `chains`, once per request id.

        Raises `FieldInvalid` (also for terms that were not accepted) and `ResourceConflict` for a
        request id that was used with another body.
        """
        check_editor(caller)
        at = self._clock.stamp(caller.clock_offset)
        if told.address is None and told.ip_address is None:
            raise FieldInvalid("address or ipAddress is required", field="address")
        blank = _blank(
            caller.org_id,
            told.type or UserType.INDIVIDUAL,
            agreement_id=agreement_id,
            request_id=request_id or new_id(),
            at=at,
        )
        user = changed(blank, told, self._policy, today=at.date())

        async def work(tx: Tx) -> User:
            known = await self._records.replayed(tx, user, request)
            if known is not None:
                return known
            await terms.check_signed(tx, caller.org_id, agreement_id)
            if key := await self._records.add(tx, user, request):
                await self._wallets.open(tx, caller.org_id, user.id, chains, at)
                await tell_user(tx, self._wallets, user, caller.actor, key)
                for join in self._joined:
                    await join(tx, user, key, at)
                return user
            known = await self._records.replayed(tx, user, request)
            if known is None:
                raise Busy("another request with this requestId has just been rolled back")
            return known

        return await self._database.transact(work)

    async def get(self, org_id: UUID, user_id: UUID) -> User:
        """A user; raises `UserNotFound`, also for another organisation's."""
        user, _ = await self._database.transact(lambda tx: self._records.get(tx, org_id, user_id))
        return user

    async def check_exists(self, org_id: UUID, user_id: UUID) -> None:
        """Raise `UserNotFound` unless there is such a user; cheap under load."""
        if await self._lookups.call((org_id, user_id)) is None:
            raise unknown(user_id)

    async def check_active(self, org_id: UUID, user_id: UUID) -> None:
        """Raise `UserNotFound` or `UserFrozen` unless the user may move money; cheap under load."""
        is_frozen = await self._lookups.call((org_id, user_id))
        if is_frozen is None:
            raise unknown(user_id)
        if is_frozen:
            raise UserFrozen(f"user {user_id} is frozen")

    async def cards(self, org_id: UUID, user_ids: Sequence[UUID]) -> dict[UUID, UserCard]:
        """These users by id, of those that there are."""
        found = await self._database.transact(lambda tx: self._records.cards(tx, org_id, user_ids))
        return {each.id: each for each in found}

    async def ids(
        self,
        org_id: UUID,
        *,
        since: datetime = BEGINNING,
        offset: int = 0,
        limit: int = IDS_MAX,
    ) -> list[UUID]:
        """Ids of users created at `since` or later, oldest first; erased ones among them."""
        return await self._database.single(
            lambda tx: store.ids(tx, org_id, since=since, offset=offset, limit=limit)
        )

    async def find_card(self, tx: Tx, org_id: UUID, user_id: UUID) -> UserCard | None:
        """A user, as this transaction sees it."""
        found = await self._records.cards(tx, org_id, [user_id])
        return found[0] if found else None

    async def page(
        self,
        org_id: UUID,
        filters: Filters,
        window: Window,
        *,
        batch_size: int = BATCH_SIZE,
        looked_through_max: int = LOOKED_THROUGH_MAX,
    ) -> UserPage:
        """A page of users, newest first.

        Encrypted names can't be searched by the database alone: it finds candidates, which are
        opened and compared here, batch after batch, until the page is full. After
        `looked_through_max` candidates the page ends as it is; its cursor goes on from there.
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
                    type_=filters.type,
                    patterns=patterns,
                    after=window.since,
                    before=before,
                    limit=size,
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
            position = Position(batch[-1].created_at, batch[-1].id)

    async def update(
        self, caller: Caller, user_id: UUID, told: Particulars, *, agreement_id: UUID | None
    ) -> User:
        """Change what `told` names, leave the rest; a frozen user may be put right.

        Raises `FieldInvalid`, `UserNotFound`, and `UserFrozen` after erasure. `agreement_id` is
        set when the person has accepted terms again.
        """
        check_editor(caller)

        async def work(tx: Tx) -> User:
            before, key = await self._records.lock(tx, caller.org_id, user_id)
            at = self._clock.stamp(caller.clock_offset)
            after = changed(before, told, self._policy, today=at.date())
            after = replace(after, version=before.version + 1, updated_at=at)
            if agreement_id is not None:
                await terms.check_signed(tx, caller.org_id, agreement_id)
                after = replace(after, agreement_id=agreement_id)
                await self._records.add_agreement(tx, after)
            await self._records.update(tx, after, key)
            await tell_user(tx, self._wallets, after, caller.actor, key)
            return after

        return await self._database.transact(work)

    async def add_wallets(self, caller: Caller, user_id: UUID, chains: Collection[Chain]) -> User:
        """Open wallets on more chains; those that the user has stay as they are.

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
            await tell_user(tx, self._wallets, after, caller.actor, key)
            return after

        return await self._database.transact(work)

    async def freeze(self, caller: Caller, user_id: UUID, *, reason: str | None) -> Freeze:
        """Let the user move nothing until unfrozen; done again, it answers as the first time."""
        check_editor(caller)
        checked = None if reason is None else check_text("reason", reason)

        async def work(tx: Tx) -> Freeze:
            user, key = await self._records.lock(tx, caller.org_id, user_id)
            if user.is_frozen:
                return Freeze(user, await self._records.reason(tx, user, key))
            at = self._clock.stamp(caller.clock_offset)
            sealed_reason = checked and sealed.seal_reason(user_id, checked, key)
            frozen = replace(user, frozen_at=at, updated_at=at, version=user.version + 1)
            kept = sealed_reason or None
            await store.freeze(tx, caller.org_id, user_id, frozen_at=at, sealed_reason=kept, at=at)
            await tell_user(tx, self._wallets, frozen, caller.actor, key, facts={"frozen": True})
            return Freeze(frozen, checked)

        return await self._database.transact(work)

    async def unfreeze(self, caller: Caller, user_id: UUID) -> Freeze:
        """Let the user move money again; raises `UserFrozen` after erasure, which is for good."""
        check_editor(caller)

        async def work(tx: Tx) -> Freeze:
            user, key = await self._records.lock(tx, caller.org_id, user_id)
            if not user.is_frozen:
                return Freeze(user, None)
            at = self._clock.stamp(caller.clock_offset)
            active = replace(user, frozen_at=None, updated_at=at, version=user.version + 1)
            await store.freeze(
                tx, caller.org_id, user_id, frozen_at=None, sealed_reason=None, at=at
            )
            await tell_user(tx, self._wallets, active, caller.actor, key, facts={"frozen": False})
            return Freeze(active, None)

        return await self._database.transact(work)

    async def freeze_of(self, org_id: UUID, user_id: UUID) -> Freeze:
        """Whether, since when and why the user is frozen."""

        async def read(tx: Tx) -> Freeze:
            user, key = await self._records.get(tx, org_id, user_id)
            return Freeze(user, await self._records.reason(tx, user, key))

        return await self._database.transact(read)

    async def erase(self, caller: Caller, user_id: UUID) -> User:
        """Erase the user's personal data for good; done again, it answers as the first time.

        What the ledger needs stays: ids, wallet addresses, every movement. Raises `UserNotFound`,
        and `ResourceConflict` unless the user is frozen, holds nothing, has nothing under way and
        is paid by nothing under way: frozen first, so that nothing begins while we look.
        """
        check_admin(caller)
        org_id = caller.org_id

        async def work(tx: Tx) -> User:
            stored = await store.lock(tx, org_id, user_id)
            if stored is None:
                raise unknown(user_id)
            user = sealed.open_user(stored, None)
            if user.erased_at is not None:
                return user
            if not user.is_frozen:
                raise ResourceConflict("freeze the user first: POST /v2/users/{userId}/freeze")
            if kind := await find_unfinished(tx, org_id, user_id, self._moves):
                raise ResourceConflict(f"the user has a {kind} under way; wait until it has ended")
            wallet_ids = await self._wallets.ids_of(tx, org_id, user_id)
            if kind := await find_paying(tx, org_id, user_id, wallet_ids, self._moves):
                raise ResourceConflict(
                    f"the user is paid by somebody's {kind}; wait until it has ended"
                )
            # Last: what ended while we looked has left here what it paid.
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
            await tell_user(tx, self._wallets, erased, caller.actor, None, facts={"erased": True})
            return erased

        return await self._database.transact(work)

    async def _which_frozen(self, wanted: list[tuple[UUID, UUID]]) -> list[bool | None]:
        found = await self._database.single(lambda tx: store.which_frozen(tx, wanted))
        return [found.get(each) for each in wanted]


def _blank(
    org_id: UUID, type_: UserType, *, agreement_id: UUID, request_id: UUID, at: datetime
) -> User:
    return User(
        org_id=org_id,
        id=new_id(),
        type=type_,
        names=Names(),
        agreement_id=agreement_id,
        version=1,
        created_at=at,
        updated_at=at,
        frozen_at=None,
        erased_at=None,
        request_id=request_id,
        profile=Profile(),
    )
