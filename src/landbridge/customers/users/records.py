"""Reads and writes of user rows, with decryption and encryption. Operations: `service.py`."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from landbridge.customers.users import sealed_records, store
from landbridge.customers.users.errors import UserNotFound
from landbridge.customers.users.model import User, UserCard, UserType
from landbridge.customers.users.search import name_trigrams, trigrams
from landbridge.ledger.replays import first_difference
from landbridge.platform.core.created_resource import CreatedResource
from landbridge.platform.core.errors import ResourceConflict, UserFrozen
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.encryption.user_keys import key_of
from landbridge.platform.http.replays import note_replay
from landbridge.platform.metadata import service as metadata_service

_SEARCH = "users.search"


class UserRecords:
    """Rows of users of all organisations."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def get(self, tx: Tx, org_id: UUID, user_id: UUID) -> tuple[User, DataKey | None]:
        """Return a user and its key; raise `UserNotFound`."""
        # Load the key first: if the user is erased in between, the row is blank and no content is
        # lost.
        key = await self._vault.find(tx, org_id, user_id)
        stored = await store.get(tx, org_id, user_id)
        if stored is None:
            raise unknown(user_id)
        return sealed_records.open_user(stored, key), key

    async def lock(self, tx: Tx, org_id: UUID, user_id: UUID) -> tuple[User, DataKey]:
        """Lock a user until this transaction ends, and return it.

        Raises `UserNotFound`, and `UserFrozen` after erasure, when no data is left to change.
        """
        stored = await store.lock(tx, org_id, user_id)
        if stored is None:
            raise unknown(user_id)
        key = await key_of(self._vault, tx, org_id, user_id)
        return sealed_records.open_user(stored, key), key

    async def replayed(self, tx: Tx, user: User, request: dict[str, Any]) -> User | None:
        """Return the user that this request id created; None if it created none.

        Raises `ResourceConflict` if the earlier request was different.
        """
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
        stored_request = sealed_records.open_request(stored.card.id, sealed_request, key)
        if field := first_difference(stored_request, request):
            raise ResourceConflict(
                f"requestId {user.request_id} was already used with another {field}", field=field
            )
        # The row has this id if the commit was not acknowledged and this is a retry.
        if stored.card.id != user.id:
            note_replay()
        return sealed_records.open_user(stored, key)

    async def add(self, tx: Tx, user: User, request: dict[str, Any]) -> DataKey | None:
        """Store a user; return its new key, or None if its request id created one before."""
        key = await self._vault.make(tx, user.org_id, user.id)
        sealed_request = sealed_records.seal_request(user.id, request, key)
        if not await store.add(tx, user, await self._sealed(tx, user, key), sealed_request):
            await self._vault.destroy(tx, user.org_id, [user.id])
            return None
        await self.add_agreement(tx, user)
        await metadata_service.attach(tx, user.org_id, user.id, user.id, user.metadata)
        return key

    async def update(
        self,
        tx: Tx,
        user: User,
        key: DataKey,
        *,
        metadata: Mapping[str, str | None] | None = None,
    ) -> None:
        """Store the changes of a locked user, and those of its metadata."""
        await store.update(tx, user, await self._sealed(tx, user, key))
        if metadata:
            await metadata_service.write(tx, user.org_id, user.id, user.id, metadata)

    async def add_agreement(self, tx: Tx, user: User) -> None:
        """Store the reference to the user's latest agreement."""
        await store.add_agreement(
            tx,
            user.org_id,
            user_id=user.id,
            agreement_id=user.agreement_id,
            at=user.updated_at,
        )

    async def cards(
        self, tx: Tx, org_id: UUID, user_ids: Sequence[UUID]
    ) -> Mapping[UUID, UserCard]:
        """Return the existing users among these as list entries, by id."""
        found = await self._opened(tx, org_id, await store.cards(tx, org_id, user_ids))
        return {each.id: each for each in found}

    async def candidates(
        self,
        tx: Tx,
        org_id: UUID,
        window: PositionWindow,
        *,
        type_: UserType | None,
        patterns: Mapping[str, str],
        metadata: Mapping[str, str] | None,
    ) -> Sequence[UserCard]:
        """Return candidates for folded patterns, newest first: all matches, and false positives.

        All candidates have the given metadata.
        """
        search_hashes: list[int] = []
        if patterns:
            key = await self._vault.find(tx, org_id, org_id)
            # An organisation without a data key has no users, so there is nothing to hash.
            search_hashes = [] if key is None else trigrams(key.derive(_SEARCH), patterns)
        stored = await store.page(
            tx,
            org_id,
            window,
            type_=type_,
            search_trigrams=search_hashes,
            metadata=metadata,
        )
        return await self._opened(tx, org_id, stored)

    async def reason(self, tx: Tx, user: UserCard, key: DataKey | None) -> str | None:
        """Return the reason for a freeze; None if none was given."""
        found = await store.freeze_reason(tx, user.org_id, user.id)
        return sealed_records.open_reason(user.id, found, key) if found and key else None

    async def _opened(
        self, tx: Tx, org_id: UUID, stored: Sequence[sealed_records.StoredCard]
    ) -> list[UserCard]:
        keys = await self._vault.find_many(tx, org_id, [each.id for each in stored])
        return [sealed_records.open_card(each, keys.get(each.id)) for each in stored]

    async def _sealed(self, tx: Tx, user: User, key: DataKey) -> sealed_records.SealedUser:
        of_org = await self._vault.make(tx, user.org_id, user.org_id)
        return sealed_records.SealedUser(
            card=sealed_records.seal_card(user, key),
            profile=sealed_records.seal_profile(user, key),
            search_trigrams=name_trigrams(of_org.derive(_SEARCH), user.names),
        )


async def find_created(tx: Tx, org_id: UUID, request_id: UUID) -> CreatedResource | None:
    """Return the user that a request id created; None if it created none."""
    found = await store.find_request(tx, org_id, request_id)
    if found is None:
        return None
    card = found[0].card
    return CreatedResource(id=card.id, created_at=card.created_at, updated_at=card.updated_at)


def unknown(user_id: UUID) -> UserNotFound:
    """Return the error for an unknown id, or an id of another organisation."""
    return UserNotFound(f"there is no user {user_id}")


def check_not_frozen(user_id: UUID, is_frozen: bool | None) -> None:  # noqa: FBT001  as read
    """Raise `UserNotFound` for None, which means an unknown user, and `UserFrozen` for True."""
    if is_frozen is None:
        raise unknown(user_id)
    if is_frozen:
        raise UserFrozen(f"user {user_id} is frozen")
