"""Service of webhook endpoints.

Guarantees:
- An organisation has at most `ENDPOINTS_MAX`, however many are created concurrently.
- Of members, only admins create, change, rotate and delete endpoints; analysts send no tests.
- Every change is logged under the endpoint's lock, with a snapshot of its state at that time and
  never with a secret.
- Private keys and secrets are sealed under the organisation's own data key and deleted with the
  endpoint.
- A new key is published for the requested overlap before it signs, and the previous one for an hour
  after its last signature: a receiver that fetches keys never meets an unknown one. A key that
  signs at once, since the previous one leaked, leaves that one only the five minutes of its tokens.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.developers.events.model import EventKey
from landbridge.developers.events.names import check_subscription
from landbridge.developers.webhooks import sealed_keys, store
from landbridge.developers.webhooks.keys import KeyGeneration
from landbridge.developers.webhooks.model import (
    ALL_EVENTS,
    DESCRIPTION_LENGTH_MAX,
    ENDPOINTS_MAX,
    KIND,
    TEST,
    Endpoint,
    WebhookStatus,
    change_name,
)
from landbridge.developers.webhooks.schemas import (
    EndpointView,
    NewWebhook,
    WebhookChange,
    webhook_reply,
)
from landbridge.developers.webhooks.signing import Signer, secret_text
from landbridge.developers.webhooks.store import StoredEndpoint
from landbridge.platform.changes.placing import place_changes
from landbridge.platform.changes.service import SPREAD, append_change, end_of_log
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.sealing import new_key
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.encryption.snapshots import seal_snapshot
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller, check_admin, check_editor
from landbridge.platform.http.egress import Egress
from landbridge.platform.idempotency.model import Claim, no_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Endpoints of all organisations."""

    database: Database
    vault: Vault
    clock: Clock
    egress: Egress
    # Prefix of addresses of this installation.
    base_url: str
    key_generation: KeyGeneration = field(default_factory=KeyGeneration)

    async def create(
        self, caller: Caller, request: NewWebhook, *, claim: Claim = no_claim
    ) -> EndpointView:
        """Create an endpoint, which receives events from now on.

        Raises `FieldInvalid`, `RoleNotAllowed`, and `ResourceConflict` at the maximum number.
        """
        check_admin(caller)
        org_id, endpoint_id, key_id = caller.org_id, new_id(), new_id()
        url = self.egress.check("url", request.url)
        event_types = check_subscription(request.event_types or [ALL_EVENTS])
        description = _description(request.description)
        # A key costs more than everything else: check the rules before generating one.
        _check_count(await self.page(org_id))
        pair, secret = await self.key_generation.new_pair(org_id), new_key()
        await place_changes(self.database, [org_id])

        async def work(tx: Tx) -> EndpointView:
            await store.lock_org(tx, org_id)
            key = await self.vault.make(tx, org_id, org_id)
            existing = await store.get(tx, org_id, endpoint_id)
            if existing is not None:
                # Created by an attempt whose commit was not acknowledged.
                return await self._view(tx, existing, key, secret)
            await claim(tx, endpoint_id)
            _check_count(await store.page(tx, org_id))
            at = self.clock.stamp(caller.clock_offset)
            endpoint = Endpoint(
                org_id=org_id,
                id=endpoint_id,
                url=url,
                description=description,
                event_types=event_types,
                status=WebhookStatus.ACTIVE,
                event_name_spelling=request.create_event_spelling,
                has_standard_headers=request.standard_webhooks,
                version=1,
                created_at=at,
                updated_at=at,
                flagged_at=None,
                flagged_reason=None,
                # No later than the next events by another machine's clock.
                starts_at=at - SPREAD,
                read_to=await end_of_log(tx, org_id),
                round=1,
            )
            stored = StoredEndpoint(endpoint, sealed_keys.new_secrets(endpoint, key, secret))
            await store.add(tx, stored)
            added = sealed_keys.stored_key(endpoint_id, key_id, pair, key, signs_from=at)
            await store.add_key(tx, org_id, added, at=at)
            view = await self._view(tx, stored, key, secret)
            await self._record_change(tx, key, view, "create", actor=caller.actor, at=at)
            return view

        return await self.database.transact(work)

    async def update(
        self, caller: Caller, endpoint_id: UUID, request: WebhookChange
    ) -> EndpointView:
        """Change an endpoint; does nothing if the values are unchanged.

        A paused endpoint keeps its read cursor, and resumes there once it is active again, unless
        the missed events are skipped. Raises like `create`, and `ResourceNotFound`.
        """
        check_admin(caller)
        changes = self._requested_changes(request)
        secret = new_key()
        if request.skip_missed:
            await place_changes(self.database, [caller.org_id])

        async def work(tx: Tx) -> EndpointView:
            stored = await self._lock(tx, caller.org_id, endpoint_id)
            before = stored.endpoint
            key = await self.vault.make(tx, before.org_id, before.org_id)
            endpoint = replace(before, **changes)
            if endpoint == before:
                return await self._view(tx, stored, key, secret)
            at = self.clock.stamp(caller.clock_offset)
            endpoint = replace(endpoint, version=before.version + 1, updated_at=at)
            secrets = stored.secrets
            if endpoint.has_standard_headers is not before.has_standard_headers:
                secrets = sealed_keys.new_secrets(endpoint, key, secret)
            stored = StoredEndpoint(endpoint, secrets)
            await store.update(tx, stored)
            if request.skip_missed and before.status is WebhookStatus.PAUSED:
                position = await end_of_log(tx, before.org_id)
                await store.skip(tx, before.org_id, before.id, position, starts_at=at - SPREAD)
            view = await self._view(tx, stored, key, secret)
            changed = [name for name in changes if getattr(before, name) != changes[name]]
            facts = {"changed": sorted(changed)}
            change_type = change_name(before.status, endpoint.status)
            await self._record_change(
                tx, key, view, change_type, actor=caller.actor, at=at, facts=facts
            )
            return view

        return await self.database.transact(work)

    async def rotate(
        self,
        caller: Caller,
        endpoint_id: UUID,
        *,
        overlap: timedelta,
        claim: Claim = no_claim,
    ) -> EndpointView:
        """Add a new key: published now, signing after the overlap; the old one is withdrawn later.

        The secret of Standard Webhooks is replaced at once, and the valid ones sign as well during
        the overlap. A rotation in progress starts over: its key is discarded. Raises
        `ResourceNotFound`, `RoleNotAllowed`, and `ResourceConflict` if too many keys are still
        published.
        """
        check_admin(caller)
        key_id, org_id = new_id(), caller.org_id
        published_keys = (await self.get_view(org_id, endpoint_id)).keys
        sealed_keys.remaining_keys(published_keys, self.clock.now(caller.clock_offset))
        pair, secret = await self.key_generation.new_pair(org_id), new_key()

        async def work(tx: Tx) -> EndpointView:
            stored = await self._lock(tx, org_id, endpoint_id)
            key = await self.vault.make(tx, org_id, org_id)
            ring = await sealed_keys.ring(tx, org_id, endpoint_id)
            if any(each.id == key_id for each in ring.keys):
                # Rotated by an attempt whose commit was not acknowledged.
                return await self._view(tx, stored, key, secret)
            await claim(tx, endpoint_id)
            at = self.clock.stamp(caller.clock_offset)
            added = sealed_keys.stored_key(endpoint_id, key_id, pair, key, signs_from=at + overlap)
            await sealed_keys.add_next_key(tx, org_id, ring, added, at)
            stored = StoredEndpoint(
                replace(stored.endpoint, version=stored.endpoint.version + 1, updated_at=at),
                sealed_keys.rotate_secrets(stored, key, secret, at, overlap),
            )
            await store.update(tx, stored)
            view = await self._view(tx, stored, key, secret)
            facts = {"kid": str(key_id), "overlap_seconds": overlap // timedelta(seconds=1)}
            await self._record_change(
                tx, key, view, "rotate", actor=caller.actor, at=at, facts=facts
            )
            return view

        return await self.database.transact(work)

    async def test(self, caller: Caller, endpoint_id: UUID, *, claim: Claim = no_claim) -> EventKey:
        """Deliver the test event here, whatever the endpoint's patterns are.

        Raises `ResourceNotFound`, `RoleNotAllowed`, and `ResourceConflict` while it is paused.
        """
        check_editor(caller)

        async def work(tx: Tx) -> EventKey:
            stored = await self._lock(tx, caller.org_id, endpoint_id)
            if stored.endpoint.status is WebhookStatus.PAUSED:
                raise ResourceConflict("the endpoint is paused; resume it first")
            at = self.clock.stamp(caller.clock_offset)
            # The test is logged without a change: `updated_at` stays.
            endpoint = replace(stored.endpoint, version=stored.endpoint.version + 1)
            stored = replace(stored, endpoint=endpoint)
            await store.update(tx, stored)
            key = await self.vault.make(tx, caller.org_id, caller.org_id)
            view = await self._view(tx, stored, key)
            await self._record_change(tx, key, view, TEST, actor=caller.actor, at=at)
            await claim(tx, endpoint_id, {"version": endpoint.version})
            return EventKey(endpoint_id, endpoint.version, 0)

        return await self.database.transact(work)

    async def delete(self, caller: Caller, endpoint_id: UUID) -> None:
        """Delete an endpoint with its keys; raises `ResourceNotFound`, `RoleNotAllowed`."""
        check_admin(caller)
        is_ours = False

        async def work(tx: Tx) -> None:
            nonlocal is_ours
            stored = await store.lock(tx, caller.org_id, endpoint_id)
            if stored is None and is_ours:
                return  # deleted by an attempt whose commit was not acknowledged
            if stored is None:
                raise _not_found(endpoint_id)
            is_ours = True
            at = self.clock.stamp(caller.clock_offset)
            await store.delete(tx, caller.org_id, endpoint_id, at)
            ring = await sealed_keys.ring(tx, caller.org_id, endpoint_id)
            await store.drop_keys(tx, caller.org_id, [each.id for each in ring.keys])
            await append_change(
                tx,
                org_id=caller.org_id,
                object_id=endpoint_id,
                seq=stored.endpoint.version + 1,
                kind=KIND,
                change_type="delete",
                actor=caller.actor,
                at=at,
            )

        await self.database.transact(work)

    async def get(self, org_id: UUID, endpoint_id: UUID) -> Endpoint:
        """Return an endpoint; raises `ResourceNotFound`, also for a deleted one."""
        found = await self.database.single(lambda tx: store.get(tx, org_id, endpoint_id))
        if found is None:
            raise _not_found(endpoint_id)
        return found.endpoint

    async def page(self, org_id: UUID) -> Sequence[Endpoint]:
        """Return all endpoints of an organisation, newest first."""
        found = await self.database.single(lambda tx: store.page(tx, org_id))
        return [each.endpoint for each in found]

    async def get_view(self, org_id: UUID, endpoint_id: UUID) -> EndpointView:
        """Return an endpoint with its keys; raises `ResourceNotFound`."""
        found = await self.views([await self.get(org_id, endpoint_id)])
        if not found:
            raise _not_found(endpoint_id)
        return found[0]

    async def views(self, endpoints: Sequence[Endpoint]) -> Sequence[EndpointView]:
        """Return these endpoints of one organisation with their keys, without deleted ones."""
        if not endpoints:
            return []
        org_id, ids = endpoints[0].org_id, [each.id for each in endpoints]
        rings = await self.database.single(lambda tx: sealed_keys.rings(tx, org_id, ids))
        return [EndpointView(each, rings[each.id]) for each in endpoints if each.id in rings]

    async def find_org(self, endpoint_id: UUID) -> UUID:
        """Return an endpoint's organisation, for receivers; raises `ResourceNotFound`."""
        found = await self.database.single(lambda tx: store.find_org(tx, endpoint_id))
        if found is None:
            raise _not_found(endpoint_id)
        return found

    async def signer(self, endpoint: Endpoint, now: datetime) -> Signer:
        """Return the endpoint's signer at this organisation time.

        Fetch it again from `good_until` on, and when the endpoint's version has changed. Raises
        `ResourceNotFound` for a deleted one.
        """
        org_id, endpoint_id = endpoint.org_id, endpoint.id
        signer = await self.database.read(
            lambda tx: sealed_keys.signer(
                *(tx, self.vault, org_id, endpoint_id), now=now, issuer=self.base_url
            )
        )
        if signer is None:
            raise _not_found(endpoint_id)
        return signer

    async def _lock(self, tx: Tx, org_id: UUID, endpoint_id: UUID) -> StoredEndpoint:
        found = await store.lock(tx, org_id, endpoint_id)
        if found is None:
            raise _not_found(endpoint_id)
        return found

    def _requested_changes(self, request: WebhookChange) -> Mapping[str, Any]:
        """Return the validated values by the endpoint's field names, without omitted ones."""
        if request.skip_missed and request.status is not WebhookStatus.ACTIVE:
            raise FieldInvalid("skipMissed goes with the status ACTIVE", field="skipMissed")
        changes: dict[str, Any] = {
            "status": request.status,
            "event_name_spelling": request.create_event_spelling,
            "has_standard_headers": request.standard_webhooks,
        }
        if request.url is not None:
            changes["url"] = self.egress.check("url", request.url)
        if request.event_types is not None:
            changes["event_types"] = check_subscription(request.event_types)
        changes = {name: value for name, value in changes.items() if value is not None}
        if request.description is not None:
            changes["description"] = _description(request.description)
        return changes

    async def _view(
        self, tx: Tx, stored: StoredEndpoint, key: DataKey, secret: bytes | None = None
    ) -> EndpointView:
        """Return a stored endpoint with its keys, and `secret` if it is the endpoint's own."""
        endpoint, current = stored.endpoint, stored.secrets.current
        ring = await sealed_keys.ring(tx, endpoint.org_id, endpoint.id)
        is_ours = (
            current is not None and sealed_keys.opened_secret(endpoint.id, current, key) == secret
        )
        return EndpointView(endpoint, ring, secret_text(secret) if secret and is_ours else None)

    async def _record_change(
        self,
        tx: Tx,
        key: DataKey,
        view: EndpointView,
        change_type: str,
        *,
        actor: str,
        at: datetime,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        endpoint = view.endpoint
        reply = webhook_reply(view, at, base_url=self.base_url)
        await append_change(
            tx,
            org_id=endpoint.org_id,
            object_id=endpoint.id,
            seq=endpoint.version,
            kind=KIND,
            change_type=change_type,
            actor=actor,
            at=at,
            facts=facts,
            # Addresses may have passwords in them, and descriptions names.
            snapshot=seal_snapshot(
                *(key, endpoint.org_id),
                object_id=endpoint.id,
                seq=endpoint.version,
                payload=reply,
            ),
        )


def _check_count(endpoints: Collection[object]) -> None:
    """Raise `ResourceConflict` at the maximum number of endpoints."""
    if len(endpoints) >= ENDPOINTS_MAX:
        raise ResourceConflict(f"there are {ENDPOINTS_MAX} endpoints already; delete one")


def _description(text: str | None) -> str | None:
    """Return the trimmed description; None if empty."""
    return check_text("description", text, length_max=DESCRIPTION_LENGTH_MAX) if text else None


def _not_found(endpoint_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no webhook {endpoint_id}")
