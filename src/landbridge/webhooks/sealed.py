"""Keys and secrets of endpoints: sealed, opened, rotated; under the organisation's own data key."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.core.errors import Broken, ResourceConflict
from landbridge.db.pool import Tx
from landbridge.privacy.service import DataKey, Vault
from landbridge.webhooks import store
from landbridge.webhooks.keys import KeyPair, private_key
from landbridge.webhooks.model import (
    KEYS_MAX,
    LEAKED_SHOWN_LONGER,
    SHOWN_LONGER,
    Endpoint,
    KeyRing,
    PublicKey,
)
from landbridge.webhooks.signing import Signer
from landbridge.webhooks.store import Secrets, Stored, StoredKey


async def signer(
    tx: Tx, vault: Vault, org_id: UUID, endpoint_id: UUID, *, now: datetime, issuer: str
) -> Signer | None:
    """What signs deliveries to an endpoint at this moment; None for one that was deleted."""
    stored = await store.get(tx, org_id, endpoint_id)
    found = {each.key.id: each for each in await store.keys(tx, org_id, [endpoint_id])}
    if stored is None or not found:
        return None
    key = await vault.find(tx, org_id, org_id)
    if key is None:
        raise Broken(f"the organisation of endpoint {endpoint_id} has no data key")
    keys = KeyRing(tuple(each.key for each in found.values()))
    signing = found[keys.signing(now).id]
    ends = [keys.next_at(now), stored.secrets.next_at(now)]
    return Signer(
        issuer=issuer,
        org_id=org_id,
        endpoint_id=endpoint_id,
        key_id=signing.key.id,
        key=private_key(_opened_private(signing, key)),
        secrets=tuple(opened_secret(endpoint_id, each, key) for each in stored.secrets.good(now)),
        good_until=min((each for each in ends if each is not None), default=None),
    )


async def follow(tx: Tx, org_id: UUID, ring: KeyRing, made: StoredKey, at: datetime) -> None:
    """Let a new key follow the one that signs; others that never signed are forgotten.

    One that signs at once ends all before it, as soon as their tokens have expired.
    """
    signing, kept = ring.signing(at), staying(ring, at)
    gone = [each.id for each in ring.keys if each not in kept]
    await store.drop_keys(tx, org_id, gone)
    signs_at_once = made.key.signs_from <= at
    until = made.key.signs_from + (LEAKED_SHOWN_LONGER if signs_at_once else SHOWN_LONGER)
    for each in kept:
        is_shown_longer = each.shown_until is not None and each.shown_until > until
        if each == signing or (signs_at_once and is_shown_longer):
            await store.retire_key(tx, org_id, each.id, shown_until=until)
    await store.add_key(tx, org_id, made, at=at)


def staying(ring: KeyRing, at: datetime) -> Sequence[PublicKey]:
    """The keys that stay beside a new one; raises `ResourceConflict` if these are too many."""
    found = [each for each in ring.keys if each.signs_from <= at and each.is_shown(at)]
    if len(found) >= KEYS_MAX:
        raise ResourceConflict(
            f"{len(found)} keys are shown still; wait until the first of them is shown no more"
        )
    return found


def rotated(
    stored: Stored, key: DataKey, secret: bytes, at: datetime, overlap: timedelta
) -> Secrets:
    """The secrets after a rotation; the one that was good before an overlap began stays good."""
    current, *before = stored.secrets.good(at) or (None,)
    if current is None:
        return Secrets()
    kept = before[0] if before else current
    sealed = _sealed_secret(stored.endpoint.id, secret, key)
    return Secrets(sealed, kept, at + overlap) if overlap else Secrets(sealed)


async def ring(tx: Tx, org_id: UUID, endpoint_id: UUID) -> KeyRing:
    """The keys of an endpoint that is there."""
    return (await rings(tx, org_id, [endpoint_id]))[endpoint_id]


async def rings(tx: Tx, org_id: UUID, endpoint_ids: Sequence[UUID]) -> Mapping[UUID, KeyRing]:
    """The keys of endpoints, by endpoint."""
    found: dict[UUID, list[PublicKey]] = {}
    for each in await store.keys(tx, org_id, endpoint_ids):
        found.setdefault(each.endpoint_id, []).append(each.key)
    return {endpoint_id: KeyRing(tuple(keys)) for endpoint_id, keys in found.items()}


def new_secrets(endpoint: Endpoint, key: DataKey, secret: bytes) -> Secrets:
    """The secrets of an endpoint that asks for Standard Webhooks anew, or does not."""
    if not endpoint.has_standard_headers:
        return Secrets()
    return Secrets(_sealed_secret(endpoint.id, secret, key))


def stored_key(
    endpoint_id: UUID, key_id: UUID, pair: KeyPair, key: DataKey, *, signs_from: datetime
) -> StoredKey:
    """A new key, sealed."""
    public = PublicKey(id=key_id, pem=pair.public_pem, signs_from=signs_from, shown_until=None)
    sealed = key.seal_bytes(pair.private, context=f"webhook_keys.private_key:{key_id}")
    return StoredKey(endpoint_id, public, sealed)


def _opened_private(stored: StoredKey, key: DataKey) -> bytes:
    context = f"webhook_keys.private_key:{stored.key.id}"
    return key.open_bytes(stored.sealed_private, context=context)


def _sealed_secret(endpoint_id: UUID, secret: bytes, key: DataKey) -> bytes:
    return key.seal_bytes(secret, context=f"webhook_endpoints.secret:{endpoint_id}")


def opened_secret(endpoint_id: UUID, sealed: bytes, key: DataKey) -> bytes:
    """A secret of Standard Webhooks."""
    return key.open_bytes(sealed, context=f"webhook_endpoints.secret:{endpoint_id}")
