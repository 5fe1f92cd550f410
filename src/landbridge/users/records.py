"""Users as rows: read with their keys, written sealed. The verbs are in `service.py`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.core.errors import ResourceConflict
from landbridge.core.made import Made
from landbridge.core.pages import Position
from landbridge.db.pool import Tx
from landbridge.ledger.replays import first_difference
from landbridge.privacy.keys import key_of
from landbridge.privacy.service import DataKey, Vault
from landbridge.users import sealed, store
from landbridge.users.errors import UserNotFound
from landbridge.users.model import User, UserCard, UserType
from landbridge.users.search import grams, grams_of
from landbridge.web.replays import note_replay

_SEARCH = "users.search"


class Records:
    """Rows of users of all organisations."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def get(self, tx: Tx, org_id: UUID, user_id: UUID) -> tuple[User, DataKey | None]:
        """A user and its key; raises `UserNotFound`."""
        # The key first: erased in between, the row is blank and nothing is missed.
        key = await self._vault.find(tx, org_id, user_id)
        stored = await store.get(tx, org_id, user_id)
        if stored is None:
            raise unknown(user_id)
        return sealed.open_user(stored, key), key

    async def lock(self, tx: Tx, org_id: UUID, user_id: UUID) -> tuple[User, DataKey]:
        """A user whom nobody else changes until this transaction ends.

        Raises `UserNotFound`, and `UserFrozen` after erasure, which leaves nothing to change.
        """
        stored = await store.lock(tx, org_id, user_id)
        if stored is None:
            raise unknown(user_id)
        key = await key_of(self._vault, tx, org_id, user_id)
        return sealed.open_user(stored, key), key

    async def replayed(self, tx: Tx, user: User, request: dict[str, Any]) -> User | None:
        """The user that this request id made before; raises `ResourceConflict` as a create does."""
        found = await store.find_request(tx, user.org_id, user.request_id)
        if found is None:
            return None
        stored, sealed_request = found
        key = await self._vault.find(tx, user.org_id, stored.card.id)
        if key is None or sealed_request is None:
            raise ResourceConflict(
                f"requestId {user.request_id} made a user whose personal data was erased",
                field="requestId",
            )
        asked = sealed.open_request(stored.card.id, sealed_request, key)
        if field := first_difference(asked, request):
            raise ResourceConflict(
                f"requestId {user.request_id} was already used with another {field}", field=field
            )
        # It is ours if only the answer to its commit was lost.
        if stored.card.id != user.id:
            note_replay()
        return sealed.open_user(stored, key)

    async def add(self, tx: Tx, user: User, request: dict[str, Any]) -> DataKey | None:
        """Store a user; the key that was made for it, or None if its request id made one before."""
        key = await self._vault.make(tx, user.org_id, user.id)
        sealed_request = sealed.seal_request(user.id, request, key)
        if not await store.add(tx, user, await self._sealed(tx, user, key), sealed_request):
            await self._vault.destroy(tx, user.org_id, [user.id])
            return None
        await self.add_agreement(tx, user)
        return key

    async def update(self, tx: Tx, user: User, key: DataKey) -> None:
        """Store what was changed of a user that is locked."""
        await store.update(tx, user, await self._sealed(tx, user, key))

    async def add_agreement(self, tx: Tx, user: User) -> None:
        """Note the agreement that a user has now."""
        await store.add_agreement(
            tx,
            user.org_id,
            user_id=user.id,
            agreement_id=user.agreement_id,
            at=user.updated_at,
        )

    async def cards(self, tx: Tx, org_id: UUID, user_ids: Sequence[UUID]) -> Sequence[UserCard]:
        """These users as lists show them, of those that there are."""
        return await self._opened(tx, org_id, await store.cards(tx, org_id, user_ids))

    async def candidates(
        self,
        tx: Tx,
        org_id: UUID,
        *,
        type_: UserType | None,
        patterns: Mapping[str, str],
        after: datetime,
        before: Position,
        limit: int,
    ) -> Sequence[UserCard]:
        """Users who may match folded patterns, newest first: all who do, and others."""
        wanted: list[int] = []
        if patterns:
            key = await self._vault.find(tx, org_id, org_id)
            # Without the organisation's key there are no users either.
            wanted = [] if key is None else grams(key.derive(_SEARCH), patterns)
        stored = await store.page(
            tx, org_id, after=after, before=before, limit=limit, type_=type_, grams=wanted
        )
        return await self._opened(tx, org_id, stored)

    async def reason(self, tx: Tx, user: UserCard, key: DataKey | None) -> str | None:
        """Why a user was frozen, if that was told."""
        found = await store.freeze_reason(tx, user.org_id, user.id)
        return sealed.open_reason(user.id, found, key) if found and key else None

    async def _opened(
        self, tx: Tx, org_id: UUID, stored: Sequence[sealed.StoredCard]
    ) -> list[UserCard]:
        keys = await self._vault.find_many(tx, org_id, [each.id for each in stored])
        return [sealed.open_card(each, keys.get(each.id)) for each in stored]

    async def _sealed(self, tx: Tx, user: User, key: DataKey) -> sealed.SealedUser:
        of_org = await self._vault.make(tx, user.org_id, user.org_id)
        return sealed.SealedUser(
            card=sealed.seal_card(user, key),
            profile=sealed.seal_profile(user, key),
            grams=grams_of(of_org.derive(_SEARCH), user.names),
        )


async def made_by(tx: Tx, org_id: UUID, request_id: UUID) -> Made | None:
    """The user that a request made."""
    found = await store.find_request(tx, org_id, request_id)
    if found is None:
        return None
    card = found[0].card
    return Made(id=card.id, created_at=card.created_at, updated_at=card.updated_at)


def unknown(user_id: UUID) -> UserNotFound:
    """The refusal for an id that is no user's, or another organisation's."""
    return UserNotFound(f"there is no user {user_id}")
