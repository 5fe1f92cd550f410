"""Keys and secrets of endpoints: sealed, opened, rotated; under the organisation's own data key."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.developers.webhooks import store
from landbridge.developers.webhooks.keys import KeyPair, private_key
from landbridge.developers.webhooks.model import (
    KEY_GRACE_PERIOD,
    KEYS_MAX,
    LEAKED_KEY_GRACE_PERIOD,
    Endpoint,
    KeyRing,
    PublicKey,
)
from landbridge.developers.webhooks.signing import Signer
from landbridge.developers.webhooks.store import EndpointSecrets, StoredEndpoint, StoredKey
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.sealing import KEY_BYTES
from landbridge.platform.encryption.service import DataKey, Vault


async def signer(
    tx: Tx, vault: Vault, org_id: UUID, endpoint_id: UUID, *, now: datetime, issuer: str
) -> Signer | None:
    """Return the current signer of an endpoint; None for a deleted one."""
    stored = await store.get(tx, org_id, endpoint_id)
    found = {each.key.id: each for each in await store.keys(tx, org_id, [endpoint_id])}
    if stored is None or not found:
        return None
    key = await vault.find(tx, org_id, org_id)
    if key is None:
        raise InvariantBroken(f"the organisation of endpoint {endpoint_id} has no data key")
    keys = KeyRing(tuple(each.key for each in found.values()))
    signing = found[keys.signing(now).id]
    changes_at = [keys.next_at(now), stored.secrets.next_at(now)]
    return Signer(
        issuer=issuer,
        org_id=org_id,
        endpoint_id=endpoint_id,
        key_id=signing.key.id,
        key=private_key(_opened_private(signing, key)),
        secrets=_opened_secrets(stored, key, now),
        good_until=min((each for each in changes_at if each is not None), default=None),
    )


async def add_next_key(tx: Tx, org_id: UUID, ring: KeyRing, added: StoredKey, at: datetime) -> None:
    """Add a key that follows the signing one; other keys that never signed are deleted.

    A key that signs at once withdraws all earlier ones, as soon as their tokens have expired.
    """
    signing, remaining = ring.signing(at), remaining_keys(ring, at)
    dropped = [each.id for each in ring.keys if each not in remaining]
    await store.drop_keys(tx, org_id, dropped)
    signs_at_once = added.key.signs_from <= at
    until = added.key.signs_from + (LEAKED_KEY_GRACE_PERIOD if signs_at_once else KEY_GRACE_PERIOD)
    for each in remaining:
        outlives = each.shown_until is not None and each.shown_until > until
        if each == signing or (signs_at_once and outlives):
            await store.retire_key(tx, org_id, each.id, shown_until=until)
    await store.add_key(tx, org_id, added, at=at)


def remaining_keys(ring: KeyRing, at: datetime) -> Sequence[PublicKey]:
    """Return the keys that stay besides a new one; raises `ResourceConflict` for too many."""
    found = [each for each in ring.keys if each.signs_from <= at and each.is_published(at)]
    if len(found) >= KEYS_MAX:
        raise ResourceConflict(
            f"{len(found)} keys are shown still; wait until the first of them is shown no more"
        )
    return found


def rotate_secrets(
    stored: StoredEndpoint, key: DataKey, secret: bytes, at: datetime, overlap: timedelta
) -> EndpointSecrets:
    """Return the secrets after a rotation; with an overlap, the valid ones stay valid during it.

    A receiver may have any of them. Beyond `KEYS_MAX` the oldest ends at once.
    """
    endpoint_id, valid = stored.endpoint.id, _opened_secrets(stored, key, at)
    if not valid:
        return EndpointSecrets()
    sealed = _sealed_secret(endpoint_id, secret, key)
    if not overlap:
        return EndpointSecrets(sealed)
    remaining = b"".join(valid[: KEYS_MAX - 1])
    return EndpointSecrets(sealed, _sealed_secret(endpoint_id, remaining, key), at + overlap)


async def ring(tx: Tx, org_id: UUID, endpoint_id: UUID) -> KeyRing:
    """Return the keys of an existing endpoint."""
    return (await rings(tx, org_id, [endpoint_id]))[endpoint_id]


async def rings(tx: Tx, org_id: UUID, endpoint_ids: Sequence[UUID]) -> Mapping[UUID, KeyRing]:
    """Return the keys of endpoints, by endpoint."""
    found: dict[UUID, list[PublicKey]] = {}
    for each in await store.keys(tx, org_id, endpoint_ids):
        found.setdefault(each.endpoint_id, []).append(each.key)
    return {endpoint_id: KeyRing(tuple(keys)) for endpoint_id, keys in found.items()}


def new_secrets(endpoint: Endpoint, key: DataKey, secret: bytes) -> EndpointSecrets:
    """Return the secrets of an endpoint whose Standard Webhooks setting may have changed."""
    if not endpoint.has_standard_headers:
        return EndpointSecrets()
    return EndpointSecrets(_sealed_secret(endpoint.id, secret, key))


def stored_key(
    endpoint_id: UUID, key_id: UUID, pair: KeyPair, key: DataKey, *, signs_from: datetime
) -> StoredKey:
    """Return a new key, sealed."""
    public = PublicKey(id=key_id, pem=pair.public_pem, signs_from=signs_from, shown_until=None)
    sealed = key.seal_bytes(pair.private, context=f"webhook_keys.private_key:{key_id}")
    return StoredKey(endpoint_id, public, sealed)


def _opened_private(stored: StoredKey, key: DataKey) -> bytes:
    context = f"webhook_keys.private_key:{stored.key.id}"
    return key.open_bytes(stored.sealed_private, context=context)


def _sealed_secret(endpoint_id: UUID, secret: bytes, key: DataKey) -> bytes:
    return key.seal_bytes(secret, context=f"webhook_endpoints.secret:{endpoint_id}")


def _opened_secrets(stored: StoredEndpoint, key: DataKey, now: datetime) -> tuple[bytes, ...]:
    """Return the secrets that sign, newest first; the previous ones are sealed as one text."""
    opened = b"".join(
        opened_secret(stored.endpoint.id, each, key) for each in stored.secrets.good(now)
    )
    return tuple(opened[at : at + KEY_BYTES] for at in range(0, len(opened), KEY_BYTES))


def opened_secret(endpoint_id: UUID, sealed: bytes, key: DataKey) -> bytes:
    """Open a secret of Standard Webhooks."""
    return key.open_bytes(sealed, context=f"webhook_endpoints.secret:{endpoint_id}")
