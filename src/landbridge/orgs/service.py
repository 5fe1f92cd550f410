"""Verbs on organisations and keys, and the check of a caller's key."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.changes.service import tell_next, was_told
from landbridge.core.clock import Clock
from landbridge.core.errors import (
    FieldInvalid,
    KeyInvalid,
    ProfileFrozen,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.core.ids import derived_id, new_id
from landbridge.db.group import Group
from landbridge.db.pool import Database, Row, Tx
from landbridge.formats.texts import check_text
from landbridge.orgs import store
from landbridge.orgs.model import ApiKey, Begun, Mode, Org, digest, hint, new_secret
from landbridge.web.caller import Caller, check_admin

# Organisations are made and ended by commands alone; keys also by admins, whose names stand there.
_ACTOR = "cli"
# No key needs longer, and calendars end.
EXPIRY_MAX = timedelta(days=36_500)
# A century is further than any story needs, and far from the year 9999, where calendars end.
AHEAD_MAX = timedelta(days=36_500)


class Orgs:
    """Organisations, their keys and their clocks."""

    def __init__(self, database: Database, clock: Clock, mode: Mode) -> None:
        self._database = database
        self._clock = clock
        self._mode = mode
        self._lookups = Group(self._find_keys, lanes=2)
        self._used: dict[tuple[UUID, UUID], datetime] = {}

    async def authenticate(self, secret: str) -> Caller:
        """Who this key speaks for; raises `KeyInvalid`.

        Asked anew on each request, so that a revoked key ends at once; callers that come together
        are looked up together.
        """
        found = await self._lookups.call(digest(secret))
        if found is None:
            raise KeyInvalid
        caller, expires_at = found
        now = self._clock.now()
        if expires_at is not None and expires_at <= now:
            raise KeyInvalid("the API key has expired")
        self._used[caller.org_id, caller.id] = now
        return caller

    async def check_active(self, org_id: UUID) -> None:
        """Raise `ProfileFrozen` while the organisation is frozen, `ResourceNotFound` without one.

        For steps; a request's own caller knows it already (`web.caller.check_payer`).
        """
        is_frozen = await self._database.single(lambda tx: store.is_frozen(tx, org_id))
        if is_frozen is None:
            raise ResourceNotFound(f"there is no organisation {org_id}")
        if is_frozen:
            raise ProfileFrozen

    async def get(self, org_id: UUID) -> Org:
        """An organisation; raises `ResourceNotFound`."""
        found = await self._database.single(lambda tx: store.org(tx, org_id))
        if found is None:
            raise ResourceNotFound(f"there is no organisation {org_id}")
        return found

    async def rename_for(self, caller: Caller, name: str) -> None:
        """Give the organisation another name; `RoleNotAllowed` for all but admins."""
        check_admin(caller)
        wanted = check_text("name", name)

        async def work(tx: Tx) -> None:
            if await store.rename(tx, caller.org_id, wanted):
                await self._tell(
                    tx, caller.org_id, caller.org_id, kind="ORG", what="rename", actor=caller.actor
                )

        await self._database.transact(work)

    async def freeze(self, org_id: UUID, *, reason: str | None = None, actor: str = _ACTOR) -> None:
        """Let an organisation move nothing until unfrozen; done again, the first time counts.

        `reason` is a note of the operator's own; it must not name a person.
        """
        checked = None if reason is None else check_text("reason", reason)

        async def work(tx: Tx) -> None:
            at = self._clock.stamp(await _offset(tx, org_id))
            if await store.freeze(tx, org_id, at, checked):
                await self._tell(tx, org_id, org_id, kind="ORG", what="freeze", actor=actor)

        await self._database.transact(work)

    async def freeze_for(self, caller: Caller, *, reason: str | None) -> None:
        """As `freeze`, because somebody asks for it; `RoleNotAllowed` for all but admins."""
        check_admin(caller)
        await self.freeze(caller.org_id, reason=reason, actor=caller.actor)

    async def unfreeze(self, org_id: UUID, *, actor: str = _ACTOR) -> None:
        """Let an organisation move money again; done again, it does nothing."""

        async def work(tx: Tx) -> None:
            await _offset(tx, org_id)
            if await store.unfreeze(tx, org_id):
                await self._tell(tx, org_id, org_id, kind="ORG", what="unfreeze", actor=actor)

        await self._database.transact(work)

    async def unfreeze_for(self, caller: Caller) -> None:
        """As `unfreeze`, because somebody asks for it; only an admin who signed in may."""
        check_admin(caller)
        if caller.member is None:
            raise RoleNotAllowed("only an admin who signed in may do this")
        await self.unfreeze(caller.org_id, actor=caller.actor)

    async def note_use(self) -> None:
        """Write down when keys were last used; called every few seconds and at the end."""
        used, self._used = self._used, {}
        if used:
            try:
                await self._database.single(lambda tx: store.use_keys(tx, used))
            except BaseException:
                # Also for a cancellation: the next call, at the end at the latest, writes it.
                self._used = used | self._used
                raise

    async def create(self, name: str) -> Org:
        """Make an organisation."""
        org = self._org(name)
        await self._database.transact(lambda tx: self._add(tx, org))
        return org

    async def begin(self, name: str, *, preset_name: str, preset: str | None) -> Begun:
        """Make sure of a first organisation with a key, once, however many processes start at once.

        The preset secret becomes a key of that organisation, unless it is another's already. If it
        has no key then, not even a revoked one, it gets one that is made up.
        """
        made_up = new_secret(self._mode)

        async def work(tx: Tx) -> Begun:
            await store.lock_first(tx)
            everyone = await store.orgs(tx)
            org = everyone[0] if everyone else self._org(name)
            if not everyone:
                await self._add(tx, org)
            is_ours = True
            if preset is not None:
                key = await self._stored(tx, self._key(org.id, preset_name, preset, None), preset)
                is_ours = key.org_id == org.id
            if not await store.keys(tx, org.id):
                await self._stored(tx, self._key(org.id, "first key", made_up, None), made_up)
            # Asked for, because an attempt before this one may have been committed.
            is_new = bool(await store.find_keys(tx, [digest(made_up)]))
            return Begun(made_up if is_new else None, is_ours)

        return await self._database.transact(work)

    async def all(self) -> Sequence[Org]:
        """All organisations, the oldest first."""
        return await self._database.single(store.orgs)

    async def create_key(
        self,
        org_id: UUID,
        name: str,
        *,
        expires_at: datetime | None,
        secret: str | None = None,
        can_review: bool = False,
        can_approve: bool = False,
    ) -> tuple[ApiKey, str]:
        """Make a key; answers it and, this once, its secret.

        A known secret is left as it is, and the key that is answered is the one that has it,
        whoever's it is.
        """
        secret = secret or new_secret(self._mode)
        key = self._key(
            org_id, name, secret, expires_at, can_review=can_review, can_approve=can_approve
        )
        return await self._database.transact(lambda tx: self._stored(tx, key, secret)), secret

    async def create_key_for(
        self,
        caller: Caller,
        *,
        name: str,
        expires_at: datetime | None,
        can_review: bool = False,
        can_approve: bool = False,
        request_id: UUID | None = None,
    ) -> tuple[ApiKey, str | None]:
        """Make a key because somebody asks for it; answers it and, this once, its secret.

        Asked again with the same request id, it answers the key that was made then, and None.
        `expires_at` is real time. Raises `RoleNotAllowed` for all but admins, and `FieldInvalid`.
        """
        check_admin(caller)
        now = self._clock.now()
        if expires_at is not None and not now < expires_at <= now + EXPIRY_MAX:
            raise FieldInvalid(
                "expiresAt must be still to come, within a century", field="expiresAt"
            )
        secret = new_secret(self._mode)
        key = self._key(
            caller.org_id, name, secret, expires_at, can_review=can_review, can_approve=can_approve
        )
        if request_id is not None:
            key = replace(key, id=derived_id(caller.org_id, f"key/{request_id}"))
        key = replace(key, made_by=None if caller.member is None else caller.member.id)

        async def work(tx: Tx) -> ApiKey:
            return await self._stored(tx, key, secret, actor=caller.actor)

        stored = await self._database.transact(work)
        return stored, secret if stored == key else None

    async def keys(self, org_id: UUID) -> Sequence[ApiKey]:
        """An organisation's keys, without their secrets."""
        return await self._database.single(lambda tx: store.keys(tx, org_id))

    async def revoke_key(self, org_id: UUID, key_id: UUID) -> None:
        """End a key, from the next request on."""
        await self._revoke(org_id, key_id, actor=_ACTOR)

    async def revoke_key_for(self, caller: Caller, key_id: UUID) -> None:
        """As `revoke_key`, because somebody asks for it; `RoleNotAllowed` for all but admins."""
        check_admin(caller)
        await self._revoke(caller.org_id, key_id, actor=caller.actor)

    async def clock_offsets(self) -> Mapping[UUID, timedelta]:
        """How far each organisation's time is ahead of real time."""
        return await self._database.single(store.clocks)

    async def clock_offset(self, org_id: UUID) -> timedelta:
        """How far an organisation's time is ahead of real time."""
        return await self._database.single(lambda tx: _offset(tx, org_id))

    async def now(self, org_id: UUID) -> datetime:
        """The present moment of an organisation."""
        return self._clock.now(await self.clock_offset(org_id))

    async def advance_clock(self, org_id: UUID, by: timedelta, *, actor: str) -> timedelta:
        """Move an organisation's time on; answers how far it is ahead of real time then."""
        # By this a second attempt finds that the first was committed.
        move_id = new_id()

        async def work(tx: Tx) -> timedelta | None:
            if await was_told(tx, org_id, move_id):
                return await _offset(tx, org_id)
            moved = await store.move_clock(tx, org_id, by, ahead_max=AHEAD_MAX)
            if moved is not None:
                await tell_next(
                    tx,
                    org_id=org_id,
                    object_id=move_id,
                    kind="CLOCK",
                    what="advance",
                    actor=actor,
                    at=self._clock.stamp(moved),
                    facts={"offset_seconds": int(moved.total_seconds())},
                )
            return moved

        moved = None
        if timedelta() <= by <= AHEAD_MAX:
            moved = await self._database.transact(work)
        if moved is None:
            raise FieldInvalid(
                "seconds: the clock moves forward only, and at most a century ahead of real time",
                field="seconds",
            )
        return moved

    async def _revoke(self, org_id: UUID, key_id: UUID, *, actor: str) -> None:
        now = self._clock.now()

        async def work(tx: Tx) -> bool:
            if not await store.revoke_key(tx, org_id, key_id, now):
                return await store.has_key(tx, org_id, key_id)
            await self._tell(tx, org_id, key_id, kind="API_KEY", what="revoke", actor=actor)
            return True

        if not await self._database.transact(work):
            raise ResourceNotFound(f"there is no key {key_id}")

    async def _add(self, tx: Tx, org: Org) -> None:
        if await store.add_org(tx, org):
            await self._tell(tx, org.id, org.id, kind="ORG", what="create")

    async def _stored(self, tx: Tx, key: ApiKey, secret: str, *, actor: str = _ACTOR) -> ApiKey:
        """Store a key; answers it, or the one that has this very secret or id already."""
        hashed = digest(secret)
        if await store.add_key(tx, key, hashed):
            await self._tell(tx, key.org_id, key.id, kind="API_KEY", what="create", actor=actor)
            return key
        row = (await store.find_keys(tx, [hashed])).get(hashed)
        org_id, key_id = (key.org_id, key.id) if row is None else (row["org_id"], row["id"])
        return next(each for each in await store.keys(tx, org_id) if each.id == key_id)

    async def _tell(
        self,
        tx: Tx,
        org_id: UUID,
        object_id: UUID,
        *,
        kind: str,
        what: str,
        actor: str = _ACTOR,
    ) -> None:
        await tell_next(
            tx,
            org_id=org_id,
            object_id=object_id,
            kind=kind,
            what=what,
            actor=actor,
            at=self._clock.stamp(await _offset(tx, org_id)),
        )

    def _org(self, name: str) -> Org:
        return Org(new_id(), check_text("name", name), timedelta(), self._clock.now())

    def _key(
        self,
        org_id: UUID,
        name: str,
        secret: str,
        expires_at: datetime | None,
        *,
        can_review: bool = False,
        can_approve: bool = False,
    ) -> ApiKey:
        return ApiKey(
            org_id=org_id,
            id=new_id(),
            name=check_text("name", name),
            hint=hint(secret),
            created_at=self._clock.now(),
            expires_at=expires_at,
            revoked_at=None,
            last_used_at=None,
            can_review=can_review,
            can_approve=can_approve,
        )

    async def _find_keys(self, hashes: list[bytes]) -> list[tuple[Caller, datetime | None] | None]:
        rows = await self._database.single(lambda tx: store.find_keys(tx, hashes))
        return [
            None
            if (row := rows.get(each)) is None or row["revoked_at"] is not None
            else (self._caller(row), row["expires_at"])
            for each in hashes
        ]

    def _caller(self, row: Row) -> Caller:
        """Who has this key. In a sandbox every key may decide: there is nobody to guard."""
        is_sandbox = self._mode is Mode.SANDBOX
        return Caller(
            org_id=row["org_id"],
            key_id=row["id"],
            clock_offset=row["clock_offset"],
            can_review=row["can_review"] or is_sandbox,
            can_approve=row["can_approve"] or is_sandbox,
            is_org_frozen=row["is_org_frozen"],
        )


async def take_lane(database: Database) -> int:
    """The clock lane of this process (core/clock.py)."""

    async def take(tx: Tx) -> int:
        return await store.take_lane(tx)

    return await database.single(take)


async def _offset(tx: Tx, org_id: UUID) -> timedelta:
    offset = await store.clock(tx, org_id)
    if offset is None:
        raise ResourceNotFound(f"there is no organisation {org_id}")
    return offset
