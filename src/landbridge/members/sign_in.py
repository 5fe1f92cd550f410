"""Signing in, new passwords, and taking an invitation up.

Guarantees:
- whatever is wrong about an address and a password is refused in the same words, after the same
  work; so is whoever asks for a new password, known or not;
- a password that was changed meanwhile opens nothing: the session begins in a transaction that
  finds the very hash which was checked;
- choosing another password ends every session, and skips no second factor;
- passwords, tokens and secrets are in no log and no error.
"""

import asyncio
from typing import Final
from uuid import UUID

import structlog

from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid, LandbridgeError
from landbridge.db.pool import Database, Tx
from landbridge.formats.people import check_name
from landbridge.members import link_store, second_store, store
from landbridge.members.errors import LinkInvalid, SignInRefused, TooManyTries
from landbridge.members.links import MemberLinks
from landbridge.members.model import Account, By, Invitation, Purpose, SignedIn, address, digest
from landbridge.members.passwords import check_password, hash_password, is_outdated, is_right
from landbridge.members.service import Members
from landbridge.members.sessions import Sessions
from landbridge.members.throttle import Subject, Throttle, network_of
from landbridge.web.caller import Caller

_log = structlog.stdlib.get_logger()
# Longer than it takes to write down a mail, so that nobody can tell whether one was.
_RESET_TAKES_S: Final = 0.3


class SignIn:
    """Verbs of who is not signed in yet, and of passwords."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        members: Members,
        sessions: Sessions,
        links: MemberLinks,
        throttle: Throttle,
    ) -> None:
        self._database = database
        self._clock = clock
        self._members = members
        self._sessions = sessions
        self._links = links
        self._throttle = throttle

    async def sign_in(
        self, email: str, password: str, *, ip_address: str | None, browser: str | None
    ) -> str:
        """Begin a session; answers what its cookie is to hold.

        A second factor, if the member has one, is still to be given then. Raises `SignInRefused`
        and `TooManyTries`.
        """
        whose = _address_or_not(email)
        network = network_of(ip_address)
        await self._throttle.take(Subject.NETWORK, network)
        await self._throttle.take(Subject.ADDRESS, whose)
        account = await self._database.single(lambda tx: store.find_by_email(tx, whose))
        stored = None if account is None else account.password_hash
        if not await is_right(password, stored) or account is None or stored is None:
            raise SignInRefused
        anew = await hash_password(password) if is_outdated(stored) else None

        async def work(tx: Tx) -> str:
            person = account.person
            locked = await store.lock(tx, person.org_id, person.id)
            if locked is None or locked.password_hash not in {stored, anew}:
                raise SignInRefused
            if anew is not None:
                await store.rehash(tx, person.org_id, person.id, anew)
            has_second = await second_store.has(tx, person.org_id, person.id)
            return await self._begin(
                tx, locked, is_verified=not has_second, ip_address=ip_address, browser=browser
            )

        secret = await self._database.transact(work)
        await self._throttle.succeed(Subject.ADDRESS, whose)
        await self._throttle.give_back(Subject.NETWORK, network)
        return secret

    async def ask_reset(self, email: str, *, ip_address: str | None = None) -> None:
        """Mail a link to choose another password to whom the address belongs, if to anybody.

        It takes the same time and answers nothing, whoever it is and whatever happens.
        """
        await self._throttle.take(Subject.RESET, network_of(ip_address))
        asked = asyncio.create_task(self._mail_reset(_address_or_not(email)))
        await asyncio.gather(asked, asyncio.sleep(_RESET_TAKES_S))

    async def reset_of(self, token: str) -> str:
        """The e-mail address of who chooses a password by this link; raises `LinkInvalid`."""
        found = await self._links.look(token, Purpose.RESET)
        return (await self._account(found.org_id, found.member_id)).person.email

    async def reset(self, token: str, *, password: str) -> None:
        """Choose another password; every session ends, and one signs in with it.

        Raises `LinkInvalid` and `PasswordWeak`.
        """
        found = await self._links.look(token, Purpose.RESET)
        account = await self._account(found.org_id, found.member_id)
        check_password(password, email=account.person.email)
        hashed = await hash_password(password)

        async def work(tx: Tx) -> None:
            locked = await store.lock(tx, found.org_id, found.member_id)
            if locked is None:
                raise LinkInvalid
            await self._links.use(tx, found, token, Purpose.RESET)
            by = By.member(locked)
            version = await store.set_password(tx, by.org_id, found.member_id, hashed)
            await self._members.tell(tx, by, found.member_id, version, what="reset")
            await self._members.warn(tx, locked.person, "reset")
            await link_store.drop(tx, by.org_id, found.member_id)
            await self._sessions.end_all(tx, by, found.member_id)

        await self._database.transact(work)
        await self._throttle.succeed(Subject.ADDRESS, account.person.email)

    async def change_password(self, caller: Caller, session_id: UUID, old: str, new: str) -> None:
        """Another password for who knows the one before; other sessions end.

        Raises `FieldInvalid` (`old`), `PasswordWeak` (`new`) and `TooManyTries`.
        """
        await self._throttle.take(Subject.OWN, str(caller.id))
        account = await self._account(caller.org_id, caller.id)
        if not await is_right(old, account.password_hash):
            raise FieldInvalid("this is not your password", field="old")
        await self._throttle.succeed(Subject.OWN, str(caller.id))
        check_password(new, email=account.person.email, field="new")
        hashed, by = await hash_password(new), By.caller(caller)

        async def work(tx: Tx) -> None:
            locked = await store.lock(tx, by.org_id, caller.id)
            if locked is None or locked.password_hash not in {account.password_hash, hashed}:
                raise SignInRefused
            version = await store.set_password(tx, by.org_id, caller.id, hashed)
            await self._members.tell(tx, by, caller.id, version, what="password")
            await self._members.warn(tx, locked.person, "password")
            await link_store.drop(tx, by.org_id, caller.id)
            await self._sessions.end_all(tx, by, caller.id, but=session_id)

        await self._database.transact(work)

    async def prove(self, signed: SignedIn, password: str) -> None:
        """Let somebody change how they sign in for a while: they know the present password.

        Raises `FieldInvalid` (`password`) and `TooManyTries`.
        """
        caller = signed.caller
        await self._throttle.take(Subject.OWN, str(caller.id))
        account = await self._account(caller.org_id, caller.id)
        if not await is_right(password, account.password_hash):
            raise FieldInvalid("this is not your password", field="password")
        await self._throttle.succeed(Subject.OWN, str(caller.id))
        await self._sessions.renew(signed)

    async def invitation(self, token: str) -> Invitation:
        """What somebody is invited to; raises `LinkInvalid`."""
        found = await self._links.look(token, Purpose.INVITATION)
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
        """Take an invitation up; answers what the cookie of the first session is to hold.

        Raises `LinkInvalid`, and `FieldInvalid` (`name`, `password`).
        """
        found = await self._links.look(token, Purpose.INVITATION)
        account = await self._account(found.org_id, found.member_id)
        checked = check_name("name", name)
        check_password(password, email=account.person.email)
        hashed = await hash_password(password)

        async def work(tx: Tx) -> str:
            locked = await store.lock(tx, found.org_id, found.member_id)
            if locked is None:
                raise LinkInvalid
            await self._links.use(tx, found, token, Purpose.INVITATION)
            by = By.member(locked)
            version = await store.join(tx, by.org_id, found.member_id, checked, hashed)
            await self._members.tell(tx, by, found.member_id, version, what="accept")
            return await self._begin(
                tx, locked, is_verified=True, ip_address=ip_address, browser=browser
            )

        return await self._database.transact(work)

    async def _mail_reset(self, email: str) -> None:
        try:
            await self._throttle.take(Subject.MAILS, email)
            account = await self._database.single(lambda tx: store.find_by_email(tx, email))
            if account is None or account.person.is_invited:
                return
            person = account.person

            async def work(tx: Tx) -> None:
                locked = await store.lock(tx, person.org_id, person.id)
                if locked is None:
                    return
                by = By.member(locked)
                await self._members.tell_own(tx, by, person.id, "ask_reset")
                await self._links.make(tx, locked.person, Purpose.RESET, org_name=locked.org_name)

            await self._database.transact(work)
        except TooManyTries:
            return
        except LandbridgeError as error:
            # Whoever asked is told nothing, so that nothing is told of whom.
            _log.error("members.reset_not_mailed", reason=type(error).__name__)

    async def _account(self, org_id: UUID, member_id: UUID) -> Account:
        found = await self._database.transact(lambda tx: store.lock(tx, org_id, member_id))
        if found is None:
            raise LinkInvalid
        return found

    async def _begin(
        self,
        tx: Tx,
        account: Account,
        *,
        is_verified: bool,
        ip_address: str | None,
        browser: str | None,
    ) -> str:
        person = account.person
        return await self._sessions.begin(
            tx,
            person.org_id,
            person.id,
            is_verified=is_verified,
            ip_address=ip_address,
            browser=browser,
            clock_offset=account.clock_offset,
        )


def _address_or_not(email: str) -> str:
    """The address as members are found by; what is none is tried like any that is nobody's."""
    try:
        return address(email)
    except FieldInvalid:
        return f"none:{digest(email[:500].encode('utf-8', 'replace').decode()).hex()}"
