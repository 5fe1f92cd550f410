"""Sign-in, password changes, and acceptance of invitations.

Guarantees:
- every sign-in with a wrong address or password gets the same message after the same time; so does
  every request for a password reset, whether the address is known or not;
- a password that was changed concurrently gives no access: the session starts in a transaction that
  reads the same hash that was checked;
- a password change ends every session but the one that changes it, which gets another cookie; it
  does not replace a second factor;
- passwords, tokens and secrets appear in no log and no error.
"""

import asyncio
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog

from landbridge.customers.team import link_store, mfa_store, store
from landbridge.customers.team.errors import LinkInvalid, SignInRefused, TooManyAttempts
from landbridge.customers.team.known_browsers import browser_of, make_token
from landbridge.customers.team.links import MemberLinks
from landbridge.customers.team.login_rate_limit import AttemptSubject, LoginRateLimit, network_of
from landbridge.customers.team.model import (
    ChangeAuthor,
    Invitation,
    MemberCredentials,
    MemberLinkPurpose,
    SignedInSession,
    address,
    digest,
)
from landbridge.customers.team.passwords import PasswordHashes, check_password
from landbridge.customers.team.service import Team
from landbridge.customers.team.sessions import Sessions
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, LandbridgeError
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.formats.people import check_name

_log = structlog.stdlib.get_logger()
# Seconds that a reset request takes: more than queueing an e-mail, so the time reveals nothing.
_RESET_TAKES_S: Final = 0.3


@dataclass(frozen=True, slots=True)
class SignIn:
    """Sign-in of members, and changes of their passwords."""

    database: Database
    clock: Clock
    members: Team
    sessions: Sessions
    links: MemberLinks
    throttle: LoginRateLimit
    vault: Vault
    hashes: PasswordHashes

    async def sign_in(
        self,
        email: str,
        password: str,
        *,
        ip_address: str | None,
        browser: str | None,
        known_browser: str | None = None,
    ) -> str:
        """Start a session; return the value of its cookie.

        The second factor, if the member has one, is then still outstanding. `known_browser` is the
        value that `remember_browser` returned for this browser. Raises `SignInRefused` and
        `TooManyAttempts`.
        """
        normalized = _address_or_not(email)
        network = network_of(ip_address)
        await self.throttle.take(AttemptSubject.NETWORK, network)
        account = await self.database.single(lambda tx: store.find_by_email(tx, normalized))
        subject, counted = await self._subject(normalized, account, known_browser)
        await self.throttle.take(subject, counted)
        stored = None if account is None else account.password_hash
        if not await self.hashes.is_right(password, stored) or account is None or stored is None:
            raise SignInRefused
        anew = await self.hashes.hash(password) if self.hashes.is_outdated(stored) else None

        async def work(tx: Tx) -> str:
            person = account.person
            locked = await store.lock(tx, person.org_id, person.id)
            if locked is None or locked.password_hash not in {stored, anew}:
                raise SignInRefused
            if anew is not None:
                await store.rehash(tx, person.org_id, person.id, anew)
            has_second = await mfa_store.has(tx, person.org_id, person.id)
            return await self._begin(
                tx, locked, is_verified=not has_second, ip_address=ip_address, browser=browser
            )

        secret = await self.database.transact(work)
        await self.throttle.succeed(subject, counted)
        await self.throttle.give_back(AttemptSubject.NETWORK, network)
        return secret

    async def remember_browser(self, signed: SignedInSession) -> str:
        """Return a token by which later attempts from this browser are counted separately."""
        org_id, member_id = signed.person.org_id, signed.person.id

        async def work(tx: Tx) -> str:
            account = await store.lock(tx, org_id, member_id)
            if account is None:
                raise SignInRefused
            return make_token(await self.vault.make(tx, org_id, member_id), account)

        return await self.database.transact(work)

    async def request_reset(self, email: str, *, ip_address: str | None = None) -> None:
        """Send a password reset link to the owner of the address, if there is one.

        It takes the same time and returns no value, for any address and outcome.
        """
        await self.throttle.take(AttemptSubject.RESET, network_of(ip_address))
        reset_task = asyncio.create_task(self._mail_reset(_address_or_not(email)))
        await asyncio.gather(reset_task, asyncio.sleep(_RESET_TAKES_S))

    async def reset_of(self, token: str) -> str:
        """Return the e-mail address of the member of a reset link; raise `LinkInvalid`."""
        found = await self.links.find_owner(token, MemberLinkPurpose.RESET)
        return (await self._account(found.org_id, found.member_id)).person.email

    async def reset(self, token: str, *, password: str) -> None:
        """Set another password by a reset link; every session of the member ends.

        Raises `LinkInvalid`, `PasswordWeak` and `TooManyAttempts`.
        """
        found = await self.links.find_owner(token, MemberLinkPurpose.RESET)
        account = await self._account(found.org_id, found.member_id)
        check_password(password, email=account.person.email)
        await self.throttle.take(AttemptSubject.LINK, str(found.member_id))
        hashed = await self.hashes.hash(password)

        async def work(tx: Tx) -> None:
            locked = await store.lock(tx, found.org_id, found.member_id)
            if locked is None:
                raise LinkInvalid
            await self.links.use(tx, found, token, MemberLinkPurpose.RESET)
            by = ChangeAuthor.member(locked)
            version = await store.set_password(tx, by.org_id, found.member_id, hashed)
            await self.members.append_change(tx, by, found.member_id, version, change_type="reset")
            await self.members.warn(tx, locked.person, "reset")
            await link_store.drop(tx, by.org_id, found.member_id)
            await self.sessions.end_all(tx, by, found.member_id)

        await self.database.transact(work)
        await self.throttle.succeed(AttemptSubject.ADDRESS, account.person.email)
        await self.throttle.succeed(AttemptSubject.LINK, str(found.member_id))

    async def change_password(self, signed: SignedInSession, old: str, new: str) -> str:
        """Change the password, given the present one; other sessions end.

        Returns the new value of this session's cookie: a copy of the previous one gives no access.
        Raises `FieldInvalid` (`old`), `PasswordWeak` (`new`) and `TooManyAttempts`.
        """
        caller = signed.caller
        await self.throttle.take(AttemptSubject.OWN, str(caller.id))
        account = await self._account(caller.org_id, caller.id)
        if not await self.hashes.is_right(old, account.password_hash):
            raise FieldInvalid("Wrong password", field="old")
        await self.throttle.succeed(AttemptSubject.OWN, str(caller.id))
        check_password(new, email=account.person.email, field="new")
        hashed, by = await self.hashes.hash(new), ChangeAuthor.caller(caller)

        async def work(tx: Tx) -> str:
            locked = await store.lock(tx, by.org_id, caller.id)
            if locked is None or locked.password_hash not in {account.password_hash, hashed}:
                raise SignInRefused
            version = await store.set_password(tx, by.org_id, caller.id, hashed)
            await self.members.append_change(tx, by, caller.id, version, change_type="password")
            await self.members.warn(tx, locked.person, "password")
            await link_store.drop(tx, by.org_id, caller.id)
            await self.sessions.end_all(tx, by, caller.id, but=signed.session_id)
            return await self.sessions.verify(tx, signed)

        return await self.database.transact(work)

    async def prove(self, signed: SignedInSession, password: str) -> str:
        """Permit changes of sign-in methods for a while, given the present password.

        Returns the new value of the session's cookie. Raises `FieldInvalid` (`password`) and
        `TooManyAttempts`, and `SignInRefused` while the second factor is outstanding.
        """
        caller = signed.caller
        await self.throttle.take(AttemptSubject.OWN, str(caller.id))
        account = await self._account(caller.org_id, caller.id)
        if not await self.hashes.is_right(password, account.password_hash):
            raise FieldInvalid("Wrong password", field="password")
        await self.throttle.succeed(AttemptSubject.OWN, str(caller.id))
        return await self.sessions.renew(signed)

    async def invitation(self, token: str) -> Invitation:
        """Return the invitation of a link; raise `LinkInvalid`."""
        found = await self.links.find_owner(token, MemberLinkPurpose.INVITATION)
        account = await self._account(found.org_id, found.member_id)
        person = account.person
        return Invitation(
            person.email, person.name, person.role, account.org_name, found.expires_at
        )

    async def accept(
        self,
        token: str,
        *,
        name: str,
        password: str,
        ip_address: str | None,
        browser: str | None,
    ) -> str:
        """Accept an invitation; return the cookie value of the first session.

        Raises `LinkInvalid`, `FieldInvalid` (`name`, `password`) and `TooManyAttempts`.
        """
        found = await self.links.find_owner(token, MemberLinkPurpose.INVITATION)
        account = await self._account(found.org_id, found.member_id)
        checked = check_name("name", name)
        check_password(password, email=account.person.email)
        await self.throttle.take(AttemptSubject.LINK, str(found.member_id))
        hashed = await self.hashes.hash(password)

        async def work(tx: Tx) -> str:
            locked = await store.lock(tx, found.org_id, found.member_id)
            if locked is None:
                raise LinkInvalid
            await self.links.use(tx, found, token, MemberLinkPurpose.INVITATION)
            by = ChangeAuthor.member(locked)
            version = await store.join(tx, by.org_id, found.member_id, checked, hashed)
            await self.members.append_change(tx, by, found.member_id, version, change_type="accept")
            return await self._begin(
                tx, locked, is_verified=True, ip_address=ip_address, browser=browser
            )

        return await self.database.transact(work)

    async def _mail_reset(self, email: str) -> None:
        try:
            await self.throttle.take(AttemptSubject.MAILS, email)
            account = await self.database.single(lambda tx: store.find_by_email(tx, email))
            if account is None or account.person.is_invited:
                return
            person = account.person

            async def work(tx: Tx) -> None:
                locked = await store.lock(tx, person.org_id, person.id)
                if locked is None:
                    return
                by = ChangeAuthor.member(locked)
                await self.members.record_own_change(tx, by, person.id, "ask_reset")
                await self.links.make(
                    tx, locked.person, MemberLinkPurpose.RESET, org_name=locked.org_name
                )

            await self.database.transact(work)
        except TooManyAttempts:
            return
        except LandbridgeError as error:
            # Only log the error: a result for the requester would reveal who is a member.
            _log.error("members.reset_not_mailed", reason=type(error).__name__)

    async def _subject(
        self, email: str, account: MemberCredentials | None, token: str | None
    ) -> tuple[AttemptSubject, str]:
        """Return the subject by which an attempt is counted: a known browser, else the address."""
        if token:
            # The key is read for unknown addresses as well, so that the time is the same.
            org_id, member_id = (
                (new_id(), new_id())
                if account is None
                else (account.person.org_id, account.person.id)
            )
            key = await self.database.single(lambda tx: self.vault.find(tx, org_id, member_id))
            if account is not None and key is not None:
                browser_id = browser_of(key, account, token)
                if browser_id is not None:
                    return AttemptSubject.BROWSER, f"{member_id}:{browser_id}"
        return AttemptSubject.ADDRESS, email

    async def _account(self, org_id: UUID, member_id: UUID) -> MemberCredentials:
        found = await self.database.transact(lambda tx: store.lock(tx, org_id, member_id))
        if found is None:
            raise LinkInvalid
        return found

    async def _begin(
        self,
        tx: Tx,
        account: MemberCredentials,
        *,
        is_verified: bool,
        ip_address: str | None,
        browser: str | None,
    ) -> str:
        person = account.person
        return await self.sessions.begin(
            tx,
            person.org_id,
            person.id,
            is_verified=is_verified,
            ip_address=ip_address,
            browser=browser,
            clock_offset=account.clock_offset,
        )


def _address_or_not(email: str) -> str:
    """Return the normalised address; for an invalid one a value that no member has."""
    try:
        return address(email)
    except FieldInvalid:
        return f"none:{digest(email[:500].encode('utf-8', 'replace').decode()).hex()}"
