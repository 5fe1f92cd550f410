"""Operations on organisations and API keys, and authentication by a key."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.changes.service import append_next_change, has_changes
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    FieldInvalid,
    KeyInvalid,
    ProfileFrozen,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller, KeyScope, check_admin
from landbridge.platform.orgs import operator_freezes, store
from landbridge.platform.orgs.model import (
    DEFAULT_SCOPES,
    ApiKey,
    FirstOrganisation,
    Mode,
    Org,
    digest,
    hint,
    new_secret,
)

_ACTOR = operator_freezes.OPERATOR
# A century is more than any key or scenario needs, and far from the year 9999.
EXPIRY_MAX = AHEAD_MAX = timedelta(days=36_500)


class Orgs:
    """Organisations, their keys and their clocks."""

    def __init__(self, database: Database, clock: Clock, mode: Mode) -> None:
        self._database = database
        self._clock = clock
        self._mode = mode
        self._lookups = GroupCommit(self._find_keys, concurrency=2)
        self._gets = GroupCommit[UUID, Org | None](
            lambda ids: database.single(lambda tx: store.get_batch(tx, ids)), concurrency=2
        )
        self._used: dict[tuple[UUID, UUID], datetime] = {}

    async def authenticate(self, secret: str) -> Caller:
        """Return the caller of this secret, read on each request; raises `KeyInvalid`."""
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
        """Raise `ProfileFrozen` for a frozen organisation, `ResourceNotFound` for an unknown one.

        For steps of the worker; requests use `http.caller.check_payer`, which reads nothing.
        """
        if (await self.get(org_id)).frozen_at is not None:
            raise ProfileFrozen

    async def get(self, org_id: UUID) -> Org:
        """Return an organisation; concurrent calls share a statement. Raises `ResourceNotFound`."""
        return _existing(org_id, await self._gets.call(org_id))

    async def rename_for(self, caller: Caller, name: str) -> None:
        """Rename the organisation; raises `RoleNotAllowed` unless called by an admin."""
        check_admin(caller)
        checked, org_id, actor = check_text("name", name), caller.org_id, caller.actor

        async def work(tx: Tx) -> None:
            if await store.rename(tx, org_id, checked):
                await self._record(
                    tx, org_id, org_id, kind="ORG", change_type="rename", actor=actor
                )

        await self._database.transact(work)

    async def freeze(self, org_id: UUID, *, reason: str | None = None, actor: str = _ACTOR) -> None:
        """Freeze an organisation until it is unfrozen; `reason` must not name a person."""
        checked = None if reason is None else check_text("reason", reason)

        async def work(tx: Tx) -> None:
            at = self._clock.stamp(await _offset(tx, org_id))
            is_new = await store.freeze(tx, org_id, at, checked)
            if is_new or await operator_freezes.is_operator_takeover(tx, org_id, actor):
                await self._record(
                    tx, org_id, org_id, kind="ORG", change_type="freeze", actor=actor
                )

        await self._database.transact(work)

    async def freeze_for(self, caller: Caller, *, reason: str | None) -> None:
        """Freeze the caller's organisation; raises `RoleNotAllowed` unless called by an admin."""
        check_admin(caller)
        await self.freeze(caller.org_id, reason=reason, actor=caller.actor)

    async def unfreeze(self, org_id: UUID, *, actor: str = _ACTOR) -> None:
        """End the freeze of an organisation; does nothing if it is not frozen."""

        async def work(tx: Tx) -> None:
            await _offset(tx, org_id)
            if await store.unfreeze(tx, org_id):
                await operator_freezes.check_may_unfreeze(tx, org_id, actor)
                await self._record(
                    tx, org_id, org_id, kind="ORG", change_type="unfreeze", actor=actor
                )

        await self._database.transact(work)

    async def unfreeze_for(self, caller: Caller) -> None:
        """Unfreeze for a signed-in admin; raises `RoleNotAllowed` if the operator froze it."""
        check_admin(caller)
        if caller.member is None:
            raise RoleNotAllowed("only a signed-in admin may do this")
        await self.unfreeze(caller.org_id, actor=caller.actor)

    async def note_use(self) -> None:
        """Store when keys were last used; called every few seconds and at shutdown."""
        used, self._used = self._used, {}
        if used:
            try:
                await self._database.single(lambda tx: store.use_keys(tx, used))
            except BaseException:
                # Even after a cancellation: the next call, at shutdown at the latest, writes it.
                self._used = used | self._used
                raise

    async def create(self, name: str) -> Org:
        """Create an organisation."""
        org = self._org(name)
        await self._database.transact(lambda tx: self._add(tx, org))
        return org

    async def begin(self, name: str, *, preset_name: str, preset: str | None) -> FirstOrganisation:
        """Ensure that there is a first organisation with a key, once for all processes.

        The preset secret becomes a key of that organisation, unless another one has it already. If
        the organisation then has no key, not even a revoked one, a key is generated.
        """
        generated = new_secret(self._mode)

        async def work(tx: Tx) -> FirstOrganisation:
            await store.lock_first(tx)
            orgs = await store.orgs(tx)
            org = orgs[0] if orgs else self._org(name)
            if not orgs:
                await self._add(tx, org)
            is_ours = True
            if preset is not None:
                key = await self._stored(tx, self._key(org.id, preset_name, preset, None), preset)
                is_ours = key.org_id == org.id
            if not await store.keys(tx, org.id):
                await self._stored(tx, self._key(org.id, "first key", generated, None), generated)
            # The key is looked up, because a previous attempt may have been committed.
            is_new = bool(await store.find_keys(tx, [digest(generated)]))
            return FirstOrganisation(generated if is_new else None, is_ours)

        return await self._database.transact(work)

    async def all(self) -> Sequence[Org]:
        """Return all organisations, oldest first."""
        return await self._database.single(store.orgs)

    async def create_key(
        self,
        org_id: UUID,
        name: str,
        *,
        expires_at: datetime | None,
        secret: str | None = None,
        scopes: Collection[KeyScope] = DEFAULT_SCOPES,
    ) -> tuple[ApiKey, str]:
        """Create a key; return it with its secret, which can't be read later.

        If the secret exists already, nothing changes, and its key is returned, whichever
        organisation it belongs to.
        """
        secret = secret or new_secret(self._mode)
        key = self._key(org_id, name, secret, expires_at, scopes)
        return await self._database.transact(lambda tx: self._stored(tx, key, secret)), secret

    async def create_key_for(
        self,
        caller: Caller,
        *,
        name: str,
        expires_at: datetime | None,
        scopes: Collection[KeyScope] = DEFAULT_SCOPES,
        request_id: UUID | None = None,
    ) -> tuple[ApiKey, str | None]:
        """Create a key for a caller; return it with its secret, which can't be read later.

        A repeated request id returns the existing key, and None. `expires_at` is real time. Raises
        `FieldInvalid`, and `RoleNotAllowed` for callers who are not admins, including an admin who
        is concurrently removed or demoted.
        """
        check_admin(caller)
        now = self._clock.now()
        if expires_at is not None and not now < expires_at <= now + EXPIRY_MAX:
            raise FieldInvalid(
                "expiresAt must be still to come, within a century", field="expiresAt"
            )
        secret = new_secret(self._mode)
        key = self._key(caller.org_id, name, secret, expires_at, scopes)
        if request_id is not None:
            key = replace(key, id=derived_id(caller.org_id, f"key/{request_id}"))
        key = replace(key, created_by=None if caller.member is None else caller.member.id)

        async def work(tx: Tx) -> ApiKey:
            maker = key.created_by
            if maker is not None and not await store.lock_creating_admin(tx, key.org_id, maker):
                raise RoleNotAllowed
            return await self._stored(tx, key, secret, actor=caller.actor)

        stored = await self._database.transact(work)
        return stored, secret if stored == key else None

    async def keys(self, org_id: UUID) -> Sequence[ApiKey]:
        """Return an organisation's keys, without their secrets."""
        return await self._database.single(lambda tx: store.keys(tx, org_id))

    async def revoke_key(self, org_id: UUID, key_id: UUID) -> None:
        """Revoke a key: the next request with it is refused."""
        await self._revoke(org_id, key_id, actor=_ACTOR)

    async def revoke_key_for(self, caller: Caller, key_id: UUID) -> None:
        """Revoke a key of the caller's organisation; raises `RoleNotAllowed` for non-admins."""
        check_admin(caller)
        await self._revoke(caller.org_id, key_id, actor=caller.actor)

    async def clock_offsets(self) -> Mapping[UUID, timedelta]:
        """Return each organisation's offset from real time."""
        return await self._database.single(store.clocks)

    async def clock_offset(self, org_id: UUID) -> timedelta:
        """Return an organisation's offset from real time."""
        return (await self.get(org_id)).clock_offset

    async def now(self, org_id: UUID) -> datetime:
        """Return the current time of an organisation."""
        return self._clock.now(await self.clock_offset(org_id))

    async def advance_clock(
        self, org_id: UUID, by: timedelta, *, actor: str, until: timedelta | None = None
    ) -> timedelta:
        """Advance a clock, at most to the offset `until`; return its new offset from real time."""
        # By this id, a second attempt detects that the first was committed.
        move_id = new_id()

        async def work(tx: Tx) -> timedelta | None:
            if await has_changes(tx, org_id, move_id):
                return await _offset(tx, org_id)
            moved = await store.move_clock(tx, org_id, by, until=until, ahead_max=AHEAD_MAX)
            if moved is not None:
                await append_next_change(
                    tx,
                    org_id=org_id,
                    object_id=move_id,
                    kind="CLOCK",
                    change_type="advance",
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
            await self._record(
                tx, org_id, key_id, kind="API_KEY", change_type="revoke", actor=actor
            )
            return True

        if not await self._database.transact(work):
            raise ResourceNotFound(f"there is no key {key_id}")

    async def _add(self, tx: Tx, org: Org) -> None:
        if await store.add_org(tx, org):
            await self._record(tx, org.id, org.id, kind="ORG", change_type="create")

    async def _stored(self, tx: Tx, key: ApiKey, secret: str, *, actor: str = _ACTOR) -> ApiKey:
        """Store a key; return it, or an existing key with the same secret or id."""
        org_id, key_id, hashed = key.org_id, key.id, digest(secret)
        if await store.add_key(tx, key, hashed):
            facts = {"scopes": ", ".join(key.scopes)}
            await self._record(
                tx, org_id, key_id, kind="API_KEY", change_type="create", actor=actor, facts=facts
            )
            return key
        row = (await store.find_keys(tx, [hashed])).get(hashed)
        if row is not None:
            org_id, key_id = row["org_id"], row["id"]
        return next(each for each in await store.keys(tx, org_id) if each.id == key_id)

    async def _record(
        self,
        tx: Tx,
        org_id: UUID,
        object_id: UUID,
        *,
        kind: str,
        change_type: str,
        actor: str = _ACTOR,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        await append_next_change(
            tx,
            org_id=org_id,
            object_id=object_id,
            kind=kind,
            change_type=change_type,
            actor=actor,
            at=self._clock.stamp(await _offset(tx, org_id)),
            facts=facts,
        )

    def _org(self, name: str) -> Org:
        return Org(new_id(), check_text("name", name), timedelta(), self._clock.now())

    def _key(
        self,
        org_id: UUID,
        name: str,
        secret: str,
        expires_at: datetime | None,
        scopes: Collection[KeyScope] = DEFAULT_SCOPES,
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
            can_review=KeyScope.REVIEW in scopes,
            can_approve=KeyScope.APPROVE in scopes,
            can_pay=not {KeyScope.PAY, KeyScope.ADMIN}.isdisjoint(scopes),
            can_administer=KeyScope.ADMIN in scopes,
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
        """Build the caller of a key. In a sandbox an admin's key may decide: no money is real."""
        decides = self._mode is Mode.SANDBOX and row["can_administer"]
        return Caller(
            org_id=row["org_id"],
            key_id=row["id"],
            clock_offset=row["clock_offset"],
            can_review=row["can_review"] or decides,
            can_approve=row["can_approve"] or decides,
            can_pay=row["can_pay"],
            can_administer=row["can_administer"],
            is_org_frozen=row["is_org_frozen"],
        )


async def _offset(tx: Tx, org_id: UUID) -> timedelta:
    (found,) = await store.get_batch(tx, [org_id])
    return _existing(org_id, found).clock_offset


def _existing(org_id: UUID, found: Org | None) -> Org:
    if found is None:
        raise ResourceNotFound(f"there is no organisation {org_id}")
    return found
