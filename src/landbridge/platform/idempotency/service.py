"""Writes that are carried out once per idempotency key.

Guarantees:
- the key is written in the transaction of the write, so a crash leaves both or none;
- of concurrent requests with one key, one writes; the others wait for its end and load the result;
- a refused request leaves no key behind;
- path and body are stored only as a keyed hash, since they may be personal data.
"""

import hmac
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, Refused, ResourceConflict
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.idempotency_key import HEADER, request_key
from landbridge.platform.http.replays import note_replay
from landbridge.platform.http.request_decoding import plain_values
from landbridge.platform.idempotency import store
from landbridge.platform.idempotency.model import Claim, IdempotencyKey, KeyedRequest, no_claim

T = TypeVar("T")

_PURPOSE = "idempotency keys"


class _UsedKeyError(Exception):
    """Raised to roll back a transaction: an earlier request has written its key."""

    def __init__(self, key: IdempotencyKey) -> None:
        super().__init__()
        self.key = key


@dataclass(frozen=True, slots=True)
class IdempotencyKeys:
    """Idempotency keys of all organisations."""

    database: Database
    vault: Vault
    clock: Clock

    async def run(
        self,
        request: ApiRequest,
        data: Any,
        write: Callable[[Claim], Awaitable[T]],
        load: Callable[[IdempotencyKey], Awaitable[T]],
    ) -> T:
        """Carry out a write once per idempotency key; without a key, with every request.

        `write` calls the claim in its transaction. A repeated request gets the result of `load`.
        Raises the errors of both, `FieldInvalid` for a malformed key, and `ResourceConflict` for a
        key that was used with a different request.
        """
        keyed = self._keyed(request, data)
        if keyed is None:
            return await write(no_claim)
        known = await self.database.single(
            lambda tx: store.find(tx, keyed.org_id, keyed.request_id, keyed.operation)
        )
        if known is None:

            async def claim(
                tx: Tx, object_id: UUID, result: Mapping[str, Any] | None = None, /
            ) -> None:
                await self._claim(tx, keyed, object_id, result)

            try:
                return await write(claim)
            except _UsedKeyError as error:
                known = error.key
        return await load(await self._checked(known, keyed))

    @asynccontextmanager
    async def reserved(
        self,
        request: ApiRequest,
        data: Any,
        object_id: UUID,
        result: Mapping[str, Any] | None = None,
    ) -> AsyncGenerator[IdempotencyKey | None]:
        """Write the key before the block, which can repeat its write by the key's `effect_id`.

        For effects that are no single transaction. Yields None without a key. A repeated request
        runs the write again, which does nothing if it was done. Raises as `run` does. If the first
        request is refused, its key is removed, unless a repeated request has carried out the write.
        """
        keyed = self._keyed(request, data)
        if keyed is None:
            yield None
            return

        async def work(tx: Tx) -> IdempotencyKey:
            try:
                return await self._claim(tx, keyed, object_id, result)
            except _UsedKeyError as error:
                return error.key

        key = await self._checked(await self.database.transact(work), keyed)
        try:
            yield key
        except Refused:
            if not key.is_replay:
                await self.database.single(lambda tx: store.remove(tx, key))
            raise
        if key.is_replay:
            await self.database.single(lambda tx: store.keep(tx, key))

    async def set_result(self, key: IdempotencyKey, result: Mapping[str, Any]) -> None:
        """Store the data that the response to a repeated request needs."""
        await self.database.single(lambda tx: store.set_result(tx, key, result))

    def _keyed(self, request: ApiRequest, data: Any) -> KeyedRequest | None:
        request_id = request_key(request, request.user.org_id)
        if request_id is None:
            return None
        path = request.scope["path_params"]
        return KeyedRequest(
            org_id=request.user.org_id,
            request_id=request_id,
            operation=str(request.route_handler.operation_id),
            content=msgspec.json.encode([path, plain_values(data)], order="sorted"),
            owner_id=next((as_uuid(each) for each in path.values()), None),
            at=self.clock.stamp(request.user.clock_offset),
        )

    async def _claim(
        self, tx: Tx, keyed: KeyedRequest, object_id: UUID, result: Mapping[str, Any] | None
    ) -> IdempotencyKey:
        key = IdempotencyKey(
            org_id=keyed.org_id,
            request_id=keyed.request_id,
            operation=keyed.operation,
            request_hash=await self._hash(tx, keyed),
            object_id=object_id,
            owner_id=keyed.owner_id,
            result=result or {},
            created_at=keyed.at,
        )
        if await store.add(tx, key):
            return key
        known = await store.find(tx, keyed.org_id, keyed.request_id, keyed.operation)
        if known is None:
            raise Busy(f"another request with this {HEADER} has just been refused")
        raise _UsedKeyError(known)

    async def _checked(self, known: IdempotencyKey, keyed: KeyedRequest) -> IdempotencyKey:
        """Return the key as a replay; raises `ResourceConflict` if its request was different."""
        if known.created_at == keyed.at:
            # written by this request, maybe in an attempt with an unacknowledged commit
            return known
        hashed = await self.database.transact(lambda tx: self._hash(tx, keyed))
        if not hmac.compare_digest(hashed, known.request_hash):
            raise ResourceConflict(
                f"{HEADER} {keyed.request_id} was already used with another request", field=HEADER
            )
        note_replay()
        return replace(known, is_replay=True)

    async def _hash(self, tx: Tx, keyed: KeyedRequest) -> bytes:
        key = await self.vault.make(tx, keyed.org_id, keyed.org_id)
        return hmac.digest(key.derive(_PURPOSE), keyed.content, "sha256")


async def find_key(tx: Tx, org_id: UUID, request_id: UUID) -> IdempotencyKey | None:
    """Return the key with this request id, of the operation that first used it; None if unused."""
    return await store.find(tx, org_id, request_id)
