"""Verbs on members: invite, change, remove; the first one.

Guarantees:
- an organisation that has an admin keeps one who can sign in: two admins who remove or demote each
  other at once don't both succeed;
- who was removed is out from the next request on: sessions end, links, second factors and passkeys
  are gone with the transaction that removes them, and mails to them are not sent any more;
- every change is told in the log; names and addresses are not in it.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from landbridge.changes.service import tell
from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.formats.people import check_name
from landbridge.members import link_store, passkey_store, second_store, store
from landbridge.members.errors import AddressTaken, LastAdmin
from landbridge.members.links import MemberLinks
from landbridge.members.model import (
    KIND,
    Account,
    By,
    First,
    Invited,
    Person,
    Purpose,
    Standing,
    Theme,
    address,
    email_hash,
    new_password,
)
from landbridge.members.passwords import check_password, hash_password
from landbridge.members.sessions import Sessions
from landbridge.orgs.makers import revoke_deciding_keys
from landbridge.privacy.service import Vault
from landbridge.web.caller import Caller, Role, check_admin

# Of nobody: mail to it goes nowhere (RFC 6761).
FIRST_EMAIL: Final = "admin@landbridge.test"
_FIRST_NAME: Final = "First admin"
# As the browser says, until somebody chooses.
_NO_LANGUAGE: Final = ""
_CLI: Final = "cli"
_LANGUAGE_LENGTH_MAX: Final = 10


class Members:
    """The people of all organisations."""

    def __init__(
        self, database: Database, clock: Clock, sessions: Sessions, links: MemberLinks, vault: Vault
    ) -> None:
        self._database = database
        self._clock = clock
        self._sessions = sessions
        self._links = links
        self._vault = vault

    async def everybody(self, org_id: UUID) -> Sequence[Person]:
        """All members, those who were removed too, the oldest first."""
        return await self._database.single(lambda tx: store.everybody(tx, org_id))

    async def get(self, org_id: UUID, member_id: UUID) -> Person:
        """A member, also one who was removed; raises `ResourceNotFound`."""
        found = await self._database.single(lambda tx: store.get(tx, org_id, member_id))
        if found is None:
            raise _unknown(member_id)
        return found

    async def standings(self, org_id: UUID) -> Mapping[UUID, Standing]:
        """When members were last seen, and how they get in, by their ids."""
        return await self._database.single(lambda tx: store.standings(tx, org_id))

    async def invite(self, caller: Caller, *, email: str, name: str, role: Role) -> Invited:
        """Make a member who chooses a password by the link; admins only.

        Raises `AddressTaken` where the address is a member's, of whatever organisation.
        """
        check_admin(caller)
        return await self._invite(By.caller(caller), email=email, name=name, role=role)

    async def invite_from_desk(
        self, org_id: UUID, offset: timedelta, *, email: str, name: str, role: Role
    ) -> Invited:
        """As `invite`, by a command; whoever has not taken theirs up yet is invited again."""
        by, wanted = By(org_id, _CLI, offset), address(email)
        found = await self._database.single(lambda tx: store.find_by_email(tx, wanted))
        if found is not None and found.person.is_invited and found.person.org_id == org_id:
            return await self._invite_again(by, found.person.id)
        return await self._invite(by, email=email, name=name, role=role)

    async def invite_again(self, caller: Caller, member_id: UUID) -> Invited:
        """Another link for somebody who has not taken theirs up; the one before is void."""
        check_admin(caller)
        return await self._invite_again(By.caller(caller), member_id)

    async def change_role(
        self, caller: Caller, member_id: UUID, role: Role, *, kept_keys: Collection[UUID] = ()
    ) -> None:
        """What they may do, from the next request on; raises `LastAdmin`.

        Whoever is an admin no longer loses the keys that they made and that may review or approve,
        but for `kept_keys`.
        """
        check_admin(caller)
        by = By.caller(caller)

        async def work(tx: Tx) -> None:
            account = await self._locked(tx, by.org_id, member_id, role=role)
            before = account.person.role
            if before is role:
                return
            version = await store.set_role(tx, by.org_id, member_id, role)
            facts = {"role_before": before.value, "role": role.value}
            await self.tell(tx, by, member_id, version, what="role", facts=facts)
            if before is Role.ADMIN:
                await revoke_deciding_keys(tx, caller, member_id, kept=kept_keys, clock=self._clock)

        await self._database.transact(work)

    async def remove(
        self, caller: Caller, member_id: UUID, *, kept_keys: Collection[UUID] = ()
    ) -> None:
        """They may not sign in any more, at once; raises `LastAdmin`.

        Keys that they made and that may review or approve end too, but for `kept_keys`.
        """
        check_admin(caller)
        by = By.caller(caller)

        async def work(tx: Tx) -> None:
            await self._locked(tx, by.org_id, member_id, role=None)
            version = await store.remove(tx, by.org_id, member_id, self._clock.now())
            await self._sessions.end_all(tx, by, member_id)
            await link_store.drop(tx, by.org_id, member_id)
            await second_store.drop(tx, by.org_id, member_id)
            await passkey_store.drop(tx, by.org_id, member_id)
            await self._vault.destroy(tx, by.org_id, [member_id])
            await self.tell(tx, by, member_id, version, what="remove")
            await revoke_deciding_keys(tx, caller, member_id, kept=kept_keys, clock=self._clock)

        await self._database.transact(work)

    async def rename(self, caller: Caller, name: str) -> None:
        """Another name for oneself."""
        checked, by = check_name("name", name), By.caller(caller)
        await self._change_own(
            by, caller.id, "rename", lambda tx: store.set_name(tx, by.org_id, caller.id, checked)
        )

    async def prefer(
        self, caller: Caller, *, language: str, theme: Theme, wants_approval_mails: bool
    ) -> None:
        """How one likes pages and mails; an empty language is the browser's."""
        if len(language) > _LANGUAGE_LENGTH_MAX or not language.isascii():
            raise FieldInvalid("language must be one of those offered", field="language")
        by = By.caller(caller)
        await self._change_own(
            by,
            caller.id,
            "prefer",
            lambda tx: store.set_preferences(
                tx,
                by.org_id,
                caller.id,
                language=language,
                theme=theme,
                wants_approval_mails=wants_approval_mails,
            ),
        )

    async def first(self, org_id: UUID, *, email: str | None, password: str | None) -> First | None:
        """Make sure that an organisation has, or had, a member, however many processes start.

        A preset address becomes an admin unless it is, or was, a member's. Answers the admin that
        was made; with the password, if that was made up.
        """
        wanted = address(email or FIRST_EMAIL)

        async def is_known(tx: Tx) -> bool:
            key = await self._vault.find(tx, org_id, org_id)
            hashed = None if key is None else email_hash(key, wanted)
            return await store.is_known(tx, org_id, wanted, hashed)

        if await self._database.transact(is_known):
            return None
        if email is None and await self._database.single(lambda tx: store.has_had(tx, org_id)):
            return None
        chosen = password or new_password()
        check_password(chosen, email=wanted)
        hashed = await hash_password(chosen)
        person = self._person(org_id, wanted, _FIRST_NAME, Role.ADMIN, is_invited=False)

        async def work(tx: Tx) -> bool:
            is_new = await store.add(tx, person, hashed)
            if is_new:
                by = By(org_id, _CLI, timedelta())
                await self.tell(
                    tx, by, person.id, 1, what="create", facts={"role": person.role.value}
                )
            return is_new

        if not await self._database.transact(work):
            return None
        return First(wanted, None if password else chosen)

    async def reset_from_desk(
        self, org_id: UUID, offset: timedelta, *, email: str, drops_factors: bool
    ) -> str:
        """A link to choose another password, by a command; also without second factors then."""
        by, wanted = By(org_id, _CLI, offset), address(email)
        found = await self._database.single(lambda tx: store.find_by_email(tx, wanted))
        if found is None or found.person.org_id != org_id:
            raise ResourceNotFound("there is no member with this address")
        if found.person.is_invited:
            raise ResourceConflict("they have not taken their invitation up: invite them again")
        member_id = found.person.id

        async def work(tx: Tx) -> str:
            account = await self._locked(tx, org_id, member_id, role=found.person.role)
            if drops_factors:
                await second_store.drop(tx, org_id, member_id)
                await passkey_store.drop(tx, org_id, member_id)
            version = await store.count_change(tx, org_id, member_id)
            what = "drop_factors" if drops_factors else "ask_reset"
            await self.tell(tx, by, member_id, version, what=what)
            if drops_factors:
                await self.warn(tx, account.person, what)
            link, _ = await self._links.make(
                tx, account.person, Purpose.RESET, org_name=account.org_name
            )
            return link

        return await self._database.transact(work)

    async def tell(
        self,
        tx: Tx,
        by: By,
        member_id: UUID,
        version: int,
        *,
        what: str,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell of a change of a member; their row, which is locked, has this number by now."""
        await tell(
            tx,
            org_id=by.org_id,
            object_id=member_id,
            seq=version,
            kind=KIND,
            what=what,
            actor=by.actor,
            at=self._clock.stamp(by.clock_offset),
            facts=facts,
        )

    async def tell_own(self, tx: Tx, by: By, member_id: UUID, what: str) -> None:
        """Tell of a change that is kept elsewhere, such as a second factor."""
        version = await store.count_change(tx, by.org_id, member_id)
        await self.tell(tx, by, member_id, version, what=what)

    async def warn(self, tx: Tx, person: Person, what: str) -> None:
        """Mail somebody that how they sign in was changed, if that is worth a mail."""
        await self._links.warn(tx, person, what)

    async def _invite(self, by: By, *, email: str, name: str, role: Role) -> Invited:
        person = self._person(
            by.org_id, address(email), check_name("name", name), role, is_invited=True
        )

        async def work(tx: Tx) -> Invited:
            is_new = await store.add(tx, person, None)
            account = await store.lock(tx, by.org_id, person.id)
            # An attempt before this one may have been committed: it is ours by its id.
            if account is None:
                raise AddressTaken
            if is_new:
                await self.tell(tx, by, person.id, 1, what="invite", facts={"role": role.value})
            return await self._link(tx, person, account.org_name)

        return await self._database.transact(work)

    async def _invite_again(self, by: By, member_id: UUID) -> Invited:
        async def work(tx: Tx) -> Invited:
            account = await store.lock(tx, by.org_id, member_id)
            if account is None:
                raise _unknown(member_id)
            if not account.person.is_invited:
                raise ResourceConflict("this member has taken the invitation up already")
            await self.tell_own(tx, by, member_id, "invite_again")
            return await self._link(tx, account.person, account.org_name)

        return await self._database.transact(work)

    async def _link(self, tx: Tx, person: Person, org_name: str) -> Invited:
        link, expires_at = await self._links.make(tx, person, Purpose.INVITATION, org_name=org_name)
        return Invited(person, link, expires_at, self._links.can_mail)

    async def _locked(self, tx: Tx, org_id: UUID, member_id: UUID, *, role: Role | None) -> Account:
        """A member who is to have this role, or none; raises `LastAdmin`."""
        # Admins first, in one order: nobody waits for somebody who waits for them.
        admins: Sequence[UUID] = ()
        if role is not Role.ADMIN:
            admins = await store.lock_admins(tx, org_id)
        account = await store.lock(tx, org_id, member_id)
        if account is None:
            raise _unknown(member_id)
        if role is not Role.ADMIN and set(admins) == {member_id}:
            raise LastAdmin
        return account

    async def _change_own(
        self, by: By, member_id: UUID, what: str, change: Callable[[Tx], Awaitable[int]]
    ) -> None:
        async def work(tx: Tx) -> None:
            if await store.lock(tx, by.org_id, member_id) is None:
                raise _unknown(member_id)
            await self.tell(tx, by, member_id, await change(tx), what=what)

        await self._database.transact(work)

    def _person(
        self, org_id: UUID, email: str, name: str, role: Role, *, is_invited: bool
    ) -> Person:
        return Person(
            org_id=org_id,
            id=new_id(),
            email=email,
            name=name,
            role=role,
            has_password=not is_invited,
            language=_NO_LANGUAGE,
            theme=Theme.SYSTEM,
            wants_approval_mails=True,
            created_at=self._clock.now(),
            removed_at=None,
            version=1,
            is_invited=is_invited,
        )


def _unknown(member_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no member {member_id}")
