"""The verbs of endpoints.

Guarantees:
- an organisation has at most `ENDPOINTS_MAX`, however many are made at once;
- of members who signed in, admins alone make, change, rotate and end endpoints; analysts can't
  even send a test;
- every change is told in the log, under the endpoint's lock, with a picture of how it looked then
  and never with a secret;
- private keys and secrets are sealed under the organisation's own data key and go with the
  endpoint;
- a new key is shown for as long as its rotation asks before it signs, and the one before for an
  hour after it signed last: a receiver that looks keys up never meets one that it can't find. One
  that signs at once, since the one before leaked, leaves that for the five minutes of its tokens.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.changes.service import SPREAD, end_of_log, settle, tell
from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.db.sealing import new_key
from landbridge.events.model import EventKey
from landbridge.events.names import check_patterns
from landbridge.formats.texts import check_text
from landbridge.privacy.pictures import take
from landbridge.privacy.service import DataKey, Vault
from landbridge.web.caller import Caller, check_admin, check_editor
from landbridge.web.outbound import Outbound
from landbridge.webhooks import sealed, store
from landbridge.webhooks.keys import new_pair
from landbridge.webhooks.model import (
    DESCRIPTION_LENGTH_MAX,
    ENDPOINTS_MAX,
    EVERYTHING,
    KIND,
    TEST,
    Endpoint,
    Status,
)
from landbridge.webhooks.shapes import NewWebhook, Shown, WebhookChange, webhook_reply
from landbridge.webhooks.signing import Signer, secret_text
from landbridge.webhooks.store import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Endpoints of all organisations."""

    database: Database
    vault: Vault
    clock: Clock
    outbound: Outbound
    # What addresses of our own begin with.
    base_url: str

    async def create(self, caller: Caller, told: NewWebhook) -> Shown:
        """Make an endpoint, which is told of what happens from now on.

        Raises `FieldInvalid`, `RoleNotAllowed`, and `ResourceConflict` where there are enough.
        """
        check_admin(caller)
        org_id, endpoint_id, key_id = caller.org_id, new_id(), new_id()
        url = self.outbound.check("url", told.url)
        event_types = check_patterns(told.event_types or [EVERYTHING], field="eventTypes")
        description = _description(told.description)
        # A key costs more than all the rest: whoever is to be refused is refused without one.
        _check_room(await self.page(org_id))
        pair, secret = await asyncio.to_thread(new_pair), new_key()
        await settle(self.database, org_id)

        async def work(tx: Tx) -> Shown:
            await store.lock_org(tx, org_id)
            key = await self.vault.make(tx, org_id, org_id)
            known = await store.get(tx, org_id, endpoint_id)
            if known is not None:
                # Made by an attempt whose commit was not heard of.
                return await self._shown(tx, known, key, secret)
            _check_room(await store.page(tx, org_id))
            at = self.clock.stamp(caller.clock_offset)
            endpoint = Endpoint(
                org_id=org_id,
                id=endpoint_id,
                url=url,
                description=description,
                event_types=event_types,
                status=Status.ACTIVE,
                spelling=told.create_event_spelling,
                has_standard_headers=told.standard_webhooks,
                version=1,
                created_at=at,
                updated_at=at,
                flagged_at=None,
                flagged_reason=None,
                # Not later than what happens from now on by another machine's clock.
                begins_at=at - SPREAD,
                read_to=await end_of_log(tx),
                round=1,
            )
            stored = Stored(endpoint, sealed.new_secrets(endpoint, key, secret))
            await store.add(tx, stored)
            made = sealed.stored_key(endpoint_id, key_id, pair, key, signs_from=at)
            await store.add_key(tx, org_id, made, at=at)
            shown = await self._shown(tx, stored, key, secret)
            await self._tell(tx, key, shown, "create", actor=caller.actor, at=at)
            return shown

        return await self.database.transact(work)

    async def update(self, caller: Caller, endpoint_id: UUID, told: WebhookChange) -> Shown:
        """Change what is told; nothing happens where that is so already.

        A paused endpoint keeps its place in the log, and goes on there once it is active again,
        unless what it missed is skipped. Raises as `create`, and `ResourceNotFound`.
        """
        check_admin(caller)
        wanted = self._wanted(told)
        secret = new_key()
        if told.skip_missed:
            await settle(self.database, caller.org_id)

        async def work(tx: Tx) -> Shown:
            stored = await self._lock(tx, caller.org_id, endpoint_id)
            before = stored.endpoint
            key = await self.vault.make(tx, before.org_id, before.org_id)
            endpoint = replace(before, **wanted)
            if endpoint == before:
                return await self._shown(tx, stored, key, secret)
            at = self.clock.stamp(caller.clock_offset)
            endpoint = replace(endpoint, version=before.version + 1, updated_at=at)
            secrets = stored.secrets
            if endpoint.has_standard_headers is not before.has_standard_headers:
                secrets = sealed.new_secrets(endpoint, key, secret)
            stored = Stored(endpoint, secrets)
            await store.update(tx, stored)
            if told.skip_missed and before.status is Status.PAUSED:
                place = await end_of_log(tx)
                await store.skip(tx, before.org_id, before.id, place, begins_at=at - SPREAD)
            shown = await self._shown(tx, stored, key, secret)
            changed = [name for name in wanted if getattr(before, name) != wanted[name]]
            facts = {"changed": sorted(changed)}
            what = _what(before.status, endpoint.status)
            await self._tell(tx, key, shown, what, actor=caller.actor, at=at, facts=facts)
            return shown

        return await self.database.transact(work)

    async def rotate(self, caller: Caller, endpoint_id: UUID, *, overlap: timedelta) -> Shown:
        """Let a new key follow: shown now, signing after the overlap; the old one goes later.

        The secret of Standard Webhooks is a new one at once, and the old one signs beside it for as
        long as the overlap. A rotation that is under way begins anew: what it made counts no more.
        Raises `ResourceNotFound`, `RoleNotAllowed`, and `ResourceConflict` if too many keys are
        shown still.
        """
        check_admin(caller)
        key_id, org_id = new_id(), caller.org_id
        shown_keys = (await self.look_at(org_id, endpoint_id)).keys
        sealed.staying(shown_keys, self.clock.now(caller.clock_offset))
        pair, secret = await asyncio.to_thread(new_pair), new_key()

        async def work(tx: Tx) -> Shown:
            stored = await self._lock(tx, org_id, endpoint_id)
            key = await self.vault.make(tx, org_id, org_id)
            ring = await sealed.ring(tx, org_id, endpoint_id)
            if any(each.id == key_id for each in ring.keys):
                # Rotated by an attempt whose commit was not heard of.
                return await self._shown(tx, stored, key, secret)
            at = self.clock.stamp(caller.clock_offset)
            made = sealed.stored_key(endpoint_id, key_id, pair, key, signs_from=at + overlap)
            await sealed.follow(tx, org_id, ring, made, at)
            stored = Stored(
                replace(stored.endpoint, version=stored.endpoint.version + 1, updated_at=at),
                sealed.rotated(stored, key, secret, at, overlap),
            )
            await store.update(tx, stored)
            shown = await self._shown(tx, stored, key, secret)
            facts = {"kid": str(key_id), "overlap_seconds": overlap // timedelta(seconds=1)}
            await self._tell(tx, key, shown, "rotate", actor=caller.actor, at=at, facts=facts)
            return shown

        return await self.database.transact(work)

    async def test(self, caller: Caller, endpoint_id: UUID) -> EventKey:
        """Have the test event delivered here, whatever the endpoint's patterns are.

        Raises `ResourceNotFound`, `RoleNotAllowed`, and `ResourceConflict` while it is paused.
        """
        check_editor(caller)

        async def work(tx: Tx) -> EventKey:
            stored = await self._lock(tx, caller.org_id, endpoint_id)
            if stored.endpoint.status is Status.PAUSED:
                raise ResourceConflict("the endpoint is paused; resume it first")
            at = self.clock.stamp(caller.clock_offset)
            # It is told and not changed: `updated_at` stays.
            endpoint = replace(stored.endpoint, version=stored.endpoint.version + 1)
            stored = replace(stored, endpoint=endpoint)
            await store.update(tx, stored)
            key = await self.vault.make(tx, caller.org_id, caller.org_id)
            shown = await self._shown(tx, stored, key)
            await self._tell(tx, key, shown, TEST, actor=caller.actor, at=at)
            return EventKey(endpoint_id, endpoint.version, 0)

        return await self.database.transact(work)

    async def delete(self, caller: Caller, endpoint_id: UUID) -> None:
        """Let an endpoint be gone, with its keys; raises `ResourceNotFound`, `RoleNotAllowed`."""
        check_admin(caller)
        is_ours = False

        async def work(tx: Tx) -> None:
            nonlocal is_ours
            stored = await store.lock(tx, caller.org_id, endpoint_id)
            if stored is None and is_ours:
                return  # deleted by an attempt whose commit was not heard of
            if stored is None:
                raise _unknown(endpoint_id)
            is_ours = True
            at = self.clock.stamp(caller.clock_offset)
            await store.delete(tx, caller.org_id, endpoint_id, at)
            ring = await sealed.ring(tx, caller.org_id, endpoint_id)
            await store.drop_keys(tx, caller.org_id, [each.id for each in ring.keys])
            await tell(
                tx,
                org_id=caller.org_id,
                object_id=endpoint_id,
                seq=stored.endpoint.version + 1,
                kind=KIND,
                what="delete",
                actor=caller.actor,
                at=at,
            )

        await self.database.transact(work)

    async def get(self, org_id: UUID, endpoint_id: UUID) -> Endpoint:
        """An endpoint; raises `ResourceNotFound`, also for one that was deleted."""
        found = await self.database.single(lambda tx: store.get(tx, org_id, endpoint_id))
        if found is None:
            raise _unknown(endpoint_id)
        return found.endpoint

    async def page(self, org_id: UUID) -> Sequence[Endpoint]:
        """All endpoints of an organisation, newest first."""
        found = await self.database.single(lambda tx: store.page(tx, org_id))
        return [each.endpoint for each in found]

    async def look_at(self, org_id: UUID, endpoint_id: UUID) -> Shown:
        """An endpoint with its keys; raises `ResourceNotFound`."""
        found = await self.shown([await self.get(org_id, endpoint_id)])
        if not found:
            raise _unknown(endpoint_id)
        return found[0]

    async def shown(self, endpoints: Sequence[Endpoint]) -> Sequence[Shown]:
        """The same endpoints, of one organisation, with their keys; those just deleted left out."""
        if not endpoints:
            return []
        org_id, ids = endpoints[0].org_id, [each.id for each in endpoints]
        rings = await self.database.single(lambda tx: sealed.rings(tx, org_id, ids))
        return [Shown(each, rings[each.id]) for each in endpoints if each.id in rings]

    async def find_org(self, endpoint_id: UUID) -> UUID:
        """Whose endpoint this is, for receivers, who know no more; raises `ResourceNotFound`."""
        found = await self.database.single(lambda tx: store.find_org(tx, endpoint_id))
        if found is None:
            raise _unknown(endpoint_id)
        return found

    async def signer(self, endpoint: Endpoint, now: datetime) -> Signer:
        """What signs deliveries to it at this moment of the organisation.

        Ask again from `good_until` on, and when the endpoint's version has changed. Raises
        `ResourceNotFound` for one that was deleted.
        """
        org_id, endpoint_id = endpoint.org_id, endpoint.id

        async def read(tx: Tx) -> Signer | None:
            return await sealed.signer(
                *(tx, self.vault, org_id, endpoint_id), now=now, issuer=self.base_url
            )

        found = await self.database.transact(read)
        if found is None:
            raise _unknown(endpoint_id)
        return found

    async def _lock(self, tx: Tx, org_id: UUID, endpoint_id: UUID) -> Stored:
        found = await store.lock(tx, org_id, endpoint_id)
        if found is None:
            raise _unknown(endpoint_id)
        return found

    def _wanted(self, told: WebhookChange) -> Mapping[str, Any]:
        """What is asked for, checked, by the endpoint's own names; without what is left out."""
        if told.skip_missed and told.status is not Status.ACTIVE:
            raise FieldInvalid("skipMissed goes with the status ACTIVE", field="skipMissed")
        wanted: dict[str, Any] = {
            "status": told.status,
            "spelling": told.create_event_spelling,
            "has_standard_headers": told.standard_webhooks,
        }
        if told.url is not None:
            wanted["url"] = self.outbound.check("url", told.url)
        if told.event_types is not None:
            wanted["event_types"] = check_patterns(told.event_types, field="eventTypes")
        wanted = {name: value for name, value in wanted.items() if value is not None}
        if told.description is not None:
            wanted["description"] = _description(told.description)
        return wanted

    async def _shown(
        self, tx: Tx, stored: Stored, key: DataKey, secret: bytes | None = None
    ) -> Shown:
        """An endpoint as it is stored; `secret` is told if it is the endpoint's own."""
        endpoint, current = stored.endpoint, stored.secrets.current
        ring = await sealed.ring(tx, endpoint.org_id, endpoint.id)
        is_ours = current is not None and sealed.opened_secret(endpoint.id, current, key) == secret
        return Shown(endpoint, ring, secret_text(secret) if secret and is_ours else None)

    async def _tell(
        self,
        tx: Tx,
        key: DataKey,
        shown: Shown,
        what: str,
        *,
        actor: str,
        at: datetime,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        endpoint = shown.endpoint
        reply = webhook_reply(shown, at, base_url=self.base_url)
        await tell(
            tx,
            org_id=endpoint.org_id,
            object_id=endpoint.id,
            seq=endpoint.version,
            kind=KIND,
            what=what,
            actor=actor,
            at=at,
            facts=facts,
            # Addresses may have passwords in them, and descriptions names.
            picture=take(
                *(key, endpoint.org_id),
                object_id=endpoint.id,
                seq=endpoint.version,
                shown=reply,
            ),
        )


def _check_room(endpoints: Collection[object]) -> None:
    """Raise `ResourceConflict` if there can't be another one."""
    if len(endpoints) >= ENDPOINTS_MAX:
        raise ResourceConflict(f"there are {ENDPOINTS_MAX} endpoints already; delete one")


def _what(before: Status, after: Status) -> str:
    """What a change is called."""
    match before, after:
        case Status.ACTIVE, Status.PAUSED:
            return "pause"
        case Status.PAUSED, Status.ACTIVE:
            return "resume"
        case _:
            return "update"


def _description(text: str | None) -> str | None:
    """What a person wrote about an endpoint; nothing, if that is what was written."""
    if not text:
        return None
    return check_text("description", text, length_max=DESCRIPTION_LENGTH_MAX)


def _unknown(endpoint_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no webhook {endpoint_id}")
