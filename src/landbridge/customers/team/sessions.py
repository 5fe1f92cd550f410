"""Operations on sessions: start, identify, list, end.

Guarantees:
- an ended session, or a session of a removed member, gives no access from the next request on:
  session and role are read again for each request;
- the database holds hashes of cookie values, never the values themselves;
- each proof of identity replaces the cookie. Concurrent proofs that a browser sends with one cookie
  replace it by the same value, so that the order of the replies does not matter.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.customers.team import session_store, store
from landbridge.customers.team.errors import RecentSignInRequired, SignInRefused
from landbridge.customers.team.model import (
    FRESH,
    IDLE_MAX,
    LIFETIME,
    SESSION,
    ChangeAuthor,
    Session,
    SessionOrigin,
    SignedInSession,
    csrf_of,
    digest,
    new_secret,
    next_secret,
)
from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ReadOnlyServer, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.platform.db.rows import read_row
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember, check_admin

_LAST_SEEN_INTERVAL = timedelta(minutes=1)
_BROWSER_LENGTH_MAX = 300


@dataclass(frozen=True, slots=True)
class Sessions:
    """Sessions of all organisations, in real time."""

    database: Database
    clock: Clock
    vault: Vault

    async def begin(
        self,
        tx: Tx,
        org_id: UUID,
        member_id: UUID,
        *,
        is_verified: bool,
        ip_address: str | None = None,
        browser: str | None = None,
        clock_offset: timedelta = timedelta(),
    ) -> str:
        """Start a session; return the value of its cookie.

        If `is_verified` is False, the second factor is still outstanding.
        """
        secret, now, session_id = new_secret(), self.clock.now(), new_id()
        origin = SessionOrigin(ip_address, None if browser is None else _plain(browser))
        key = await self.vault.make(tx, org_id, member_id)
        await session_store.add(
            tx,
            org_id=org_id,
            session_id=session_id,
            member_id=member_id,
            secret_hash=digest(secret),
            at=now,
            expires_at=now + LIFETIME,
            verified_at=now if is_verified else None,
            sealed_origin=key.seal(origin, context=_context(session_id)),
        )
        by = ChangeAuthor(org_id, f"member:{member_id}", clock_offset)
        await self._record_change(tx, by, session_id, "sign_in", {"member_id": str(member_id)})
        return secret

    async def verify(self, tx: Tx, signed: SignedInSession) -> str:
        """Record a proof of identity; return the new value of the cookie.

        Raises `SignInRefused` if the session has ended, or its cookie was replaced since.
        """
        secret = await self._replace_cookie(tx, signed, session_store.verify)
        by = ChangeAuthor.caller(signed.caller)
        await self._record_change(tx, by, signed.session_id, "verify")
        return secret

    async def find(self, secret: str) -> SignedInSession | None:
        """Return the signed-in member of this cookie; None without a session."""
        row = await self.database.single(lambda tx: session_store.find(tx, digest(secret)))
        now = self.clock.now()
        if row is None or now >= min(row["expires_at"], row["last_seen_at"] + IDLE_MAX):
            return None
        if now - row["last_seen_at"] >= _LAST_SEEN_INTERVAL:
            org_id, session_id = row["org_id"], row["session_id"]
            with suppress(ReadOnlyServer):
                await self.database.single(
                    lambda tx: session_store.see(tx, org_id, session_id, now)
                )
        return _signed_in(row, secret)

    def is_fresh(self, signed: SignedInSession) -> bool:
        """Return whether the last proof of identity is recent enough to change sign-in methods."""
        at = signed.verified_at
        return at is not None and self.clock.now() - at < FRESH

    def check_fresh(self, signed: SignedInSession) -> None:
        """Raise `RecentSignInRequired` unless `is_fresh`."""
        if not self.is_fresh(signed):
            raise RecentSignInRequired

    async def renew(self, signed: SignedInSession) -> str:
        """Record a renewed proof of identity; return the new value of the cookie.

        A copy of the previous cookie gives no access from then on. Raises `SignInRefused` as
        `verify` does, and if the second factor is outstanding.
        """
        return await self.database.transact(
            lambda tx: self._replace_cookie(tx, signed, session_store.renew)
        )

    async def sign_out(self, signed: SignedInSession) -> None:
        """End the caller's session."""
        by, now = ChangeAuthor.caller(signed.caller), self.clock.now()

        async def work(tx: Tx) -> None:
            if await session_store.end(tx, by.org_id, signed.session_id, now):
                await self._record_change(tx, by, signed.session_id, "sign_out")

        await self.database.transact(work)

    async def of(self, caller: Caller) -> Sequence[Session]:
        """Return the member's own active sessions, last used first."""
        return await self._of(caller.org_id, caller.id)

    async def of_member(self, caller: Caller, member_id: UUID) -> Sequence[Session]:
        """Return another member's sessions, as `of`; admins only."""
        check_admin(caller)
        return await self._of(caller.org_id, member_id)

    async def end_of_member(self, caller: Caller, member_id: UUID, session_id: UUID) -> None:
        """End another member's session; admins only. Raises `ResourceNotFound`."""
        check_admin(caller)
        await self._end_one(caller, member_id, session_id)

    async def end_all_of_member(self, caller: Caller, member_id: UUID) -> int:
        """End all sessions of another member; admins only. Returns their number."""
        check_admin(caller)
        by = ChangeAuthor.caller(caller)
        return await self.database.transact(lambda tx: self.end_all(tx, by, member_id))

    async def revoke(self, caller: Caller, session_id: UUID) -> None:
        """End one of the member's own sessions; raises `ResourceNotFound` for any other."""
        await self._end_one(caller, caller.id, session_id)

    async def revoke_others(self, caller: Caller, session_id: UUID) -> int:
        """End all of the member's own sessions except this one; return their number."""
        by = ChangeAuthor.caller(caller)
        return await self.database.transact(
            lambda tx: self.end_all(tx, by, caller.id, but=session_id)
        )

    async def end_all(
        self, tx: Tx, by: ChangeAuthor, member_id: UUID, *, but: UUID | None = None
    ) -> int:
        """End a member's sessions except `but`, in transaction `tx`; return their number."""
        now = self.clock.now()
        ended = await session_store.end_others(tx, by.org_id, member_id, but, now)
        for each in ended:
            await self._record_change(tx, by, each, "end")
        return len(ended)

    async def _of(self, org_id: UUID, member_id: UUID) -> Sequence[Session]:
        now = self.clock.now()

        async def work(tx: Tx) -> Sequence[Session]:
            key = await self.vault.find(tx, org_id, member_id)
            found = await session_store.of(tx, org_id, member_id, now, now - IDLE_MAX)
            return [_session(row, key) for row in found]

        return await self.database.transact(work)

    async def _replace_cookie(
        self, tx: Tx, signed: SignedInSession, replace: Callable[..., Awaitable[bool]]
    ) -> str:
        key = await self.vault.make(tx, signed.caller.org_id, signed.person.id)
        secret = next_secret(key, signed.secret_hash)
        if not await replace(
            tx,
            signed.caller.org_id,
            signed.session_id,
            at=self.clock.now(),
            before=signed.secret_hash,
            after=digest(secret),
        ):
            raise SignInRefused
        return secret

    async def _end_one(self, caller: Caller, member_id: UUID, session_id: UUID) -> None:
        by, now = ChangeAuthor.caller(caller), self.clock.now()

        async def work(tx: Tx) -> bool:
            is_ended = await session_store.end_of(tx, by.org_id, session_id, member_id, now)
            if is_ended:
                await self._record_change(tx, by, session_id, "end")
            return is_ended

        if not await self.database.transact(work):
            raise ResourceNotFound("this session has ended already")

    async def _record_change(
        self,
        tx: Tx,
        by: ChangeAuthor,
        session_id: UUID,
        change_type: str,
        facts: dict[str, str] | None = None,
    ) -> None:
        at: datetime = self.clock.stamp(by.clock_offset)
        await append_next_change(
            tx,
            org_id=by.org_id,
            object_id=session_id,
            kind=SESSION,
            change_type=change_type,
            actor=by.actor,
            at=at,
            facts=facts,
        )


def _plain(browser: str) -> str:
    """Return a browser's name without characters that cannot be encoded."""
    truncated = browser[:_BROWSER_LENGTH_MAX].encode("utf-8", "replace").decode()
    return "".join(each if each.isprintable() else " " for each in truncated)


def _context(session_id: UUID) -> str:
    return f"sessions.origin:{session_id}"


def _session(row: Row, key: DataKey | None) -> Session:
    """Return a session; it has no origin if it was stored before origins were encrypted."""
    sealed: bytes | None = row["sealed_origin"]
    origin = SessionOrigin(None, None)
    if key is not None and sealed is not None:
        origin = key.open(sealed, context=_context(row["id"]), type=SessionOrigin)
    return read_row(row, Session, ip_address=origin.ip_address, browser=origin.browser)


def _signed_in(row: Row, secret: str) -> SignedInSession:
    person = store.person(row)
    is_admin = person.role is MemberRole.ADMIN
    return SignedInSession(
        caller=Caller(
            org_id=person.org_id,
            key_id=None,
            clock_offset=row["clock_offset"],
            can_review=is_admin,
            can_approve=is_admin,
            is_org_frozen=row["is_org_frozen"],
            member=SignedInMember(person.id, person.role),
        ),
        session_id=row["session_id"],
        person=person,
        org_name=row["org_name"],
        needs_second=row["verified_at"] is None,
        verified_at=row["verified_at"],
        csrf=csrf_of(secret),
        secret_hash=digest(secret),
    )
