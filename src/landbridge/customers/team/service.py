"""Operations on members: invite, change, remove; creation of the first one.

Guarantees:
- an organisation that has an admin keeps one who can sign in; of two admins who remove or demote
  each other concurrently, at most one succeeds, and who was removed or demoted invites nobody;
- a removed member has no access from the next request on: sessions, links, second factors and
  passkeys are deleted in the removing transaction, and pending e-mails to them are not sent;
- every change is recorded in the log, without names and addresses.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from landbridge.customers.team import link_store, mfa_store, passkey_store, store
from landbridge.customers.team.errors import AddressTaken, LastAdmin
from landbridge.customers.team.links import MemberLinks
from landbridge.customers.team.login_rate_limit import AttemptSubject, LoginRateLimit
from landbridge.customers.team.model import (
    KIND,
    ChangeAuthor,
    FirstAdmin,
    MemberCredentials,
    MemberLinkPurpose,
    MemberSignInStatus,
    NewInvitation,
    TeamMember,
    Theme,
    address,
    email_hash,
    new_password,
)
from landbridge.customers.team.passwords import PasswordHashes, check_password
from landbridge.customers.team.present_admins import author_of
from landbridge.customers.team.sessions import Sessions
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.formats.people import check_name
from landbridge.platform.http.caller import Caller, MemberRole, check_admin
from landbridge.platform.orgs.key_creators import revoke_deciding_keys

# Reserved domain: e-mail to it is never delivered (RFC 6761).
FIRST_EMAIL: Final = "admin@landbridge.test"
_FIRST_NAME: Final = "First admin"
# Language setting that means the browser's preference, until the member chooses.
_NO_LANGUAGE: Final = ""
_CLI: Final = "cli"
_LANGUAGE_LENGTH_MAX: Final = 10


@dataclass(frozen=True, slots=True)
class Team:
    """Members of all organisations."""

    database: Database
    clock: Clock
    sessions: Sessions
    links: MemberLinks
    throttle: LoginRateLimit
    vault: Vault
    hashes: PasswordHashes

    async def list_members(self, org_id: UUID) -> Sequence[TeamMember]:
        """List all members, including removed ones, oldest first."""
        return await self.database.single(lambda tx: store.list_members(tx, org_id))

    async def get(self, org_id: UUID, member_id: UUID) -> TeamMember:
        """Return a member, also a removed one; raise `ResourceNotFound`."""
        found = await self.database.single(lambda tx: store.get(tx, org_id, member_id))
        if found is None:
            raise _unknown(member_id)
        return found

    async def sign_in_statuses(self, org_id: UUID) -> Mapping[UUID, MemberSignInStatus]:
        """Return last activity and sign-in methods of members, by id."""
        return await self.database.single(lambda tx: store.sign_in_statuses(tx, org_id))

    async def invite(
        self, caller: Caller, *, email: str, name: str, role: MemberRole
    ) -> NewInvitation:
        """Create a member who sets a password by the link; admins only.

        Raises `AddressTaken` if the address belongs to a member of any organisation. Raises
        `TooManyAttempts` after several such refusals, which show who uses this installation, and
        after several invitations of one address, since each is an e-mail.
        """
        check_admin(caller)
        await self.throttle.take(AttemptSubject.INVITED, address(email))
        subject = (AttemptSubject.INVITATION, str(caller.org_id))
        await self.throttle.take(*subject)
        try:
            invitation = await self._invite(caller, email=email, name=name, role=role)
        except FieldInvalid as refusal:
            await self.throttle.give_back(AttemptSubject.INVITED, address(email))
            if not isinstance(refusal, AddressTaken):
                await self.throttle.give_back(*subject)
            raise
        await self.throttle.give_back(*subject)
        return invitation

    async def invite_by_operator(
        self, org_id: UUID, offset: timedelta, *, email: str, name: str, role: MemberRole
    ) -> NewInvitation:
        """Invite a member from the CLI; an invitation that is not accepted yet is repeated."""
        by, normalized = ChangeAuthor(org_id, _CLI, offset), address(email)
        found = await self.database.single(lambda tx: store.find_by_email(tx, normalized))
        if found is not None and found.person.is_invited and found.person.org_id == org_id:
            return await self._invite_again(by, found.person.id)
        return await self._invite(by, email=email, name=name, role=role)

    async def invite_again(self, caller: Caller, member_id: UUID) -> NewInvitation:
        """Create another link for an unaccepted invitation; raises as `invite`."""
        check_admin(caller)
        person = await self.get(caller.org_id, member_id)
        await self.throttle.take(AttemptSubject.INVITED, person.email)
        return await self._invite_again(caller, member_id)

    async def change_role(
        self, caller: Caller, member_id: UUID, role: MemberRole, *, kept_keys: Collection[UUID] = ()
    ) -> None:
        """Change a member's role, effective from the next request on; raise `LastAdmin`.

        A demoted admin loses the keys that they created and that may review or approve, except
        `kept_keys`.
        """
        check_admin(caller)

        async def work(tx: Tx) -> None:
            by = await author_of(tx, caller)
            account = await self._locked(tx, by.org_id, member_id, role=role)
            before = account.person.role
            if before is role:
                return
            version = await store.set_role(tx, by.org_id, member_id, role)
            facts = {"role_before": before.value, "role": role.value}
            await self.append_change(tx, by, member_id, version, change_type="role", facts=facts)
            if before is MemberRole.ADMIN:
                await revoke_deciding_keys(
                    tx, caller, member_id, except_ids=kept_keys, clock=self.clock
                )

        await self.database.transact(work)

    async def remove(
        self, caller: Caller, member_id: UUID, *, kept_keys: Collection[UUID] = ()
    ) -> None:
        """Remove a member, effective immediately; raise `LastAdmin`.

        Keys that they created and that may review or approve end too, except `kept_keys`.
        """
        check_admin(caller)

        async def work(tx: Tx) -> None:
            by = await author_of(tx, caller)
            await self._locked(tx, by.org_id, member_id, role=None)
            version = await store.remove(tx, by.org_id, member_id, self.clock.now())
            await self.sessions.end_all(tx, by, member_id)
            await link_store.drop(tx, by.org_id, member_id)
            await mfa_store.drop(tx, by.org_id, member_id)
            await passkey_store.drop(tx, by.org_id, member_id)
            await self.vault.destroy(tx, by.org_id, [member_id])
            await self.append_change(tx, by, member_id, version, change_type="remove")
            await revoke_deciding_keys(
                tx, caller, member_id, except_ids=kept_keys, clock=self.clock
            )

        await self.database.transact(work)

    async def rename(self, caller: Caller, name: str) -> None:
        """Change the caller's own name."""
        checked, by = check_name("name", name), ChangeAuthor.caller(caller)
        await self._change_own(
            by, caller.id, "rename", lambda tx: store.set_name(tx, by.org_id, caller.id, checked)
        )

    async def prefer(
        self, caller: Caller, *, language: str, theme: Theme, receives_approval_emails: bool
    ) -> None:
        """Set preferences for pages and e-mails; an empty language is the browser's."""
        if len(language) > _LANGUAGE_LENGTH_MAX or not language.isascii():
            raise FieldInvalid("Choose one of the listed languages.", field="language")
        by = ChangeAuthor.caller(caller)
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
                receives_approval_emails=receives_approval_emails,
            ),
        )

    async def first(
        self, org_id: UUID, *, email: str | None, password: str | None
    ) -> FirstAdmin | None:
        """Create an admin for `email`, or if there never was a member; safe at concurrent starts.

        A given `email` is registered as admin unless it is, or was, a member's. Returns the created
        admin, with the password if it was generated; None if none was created.
        """
        normalized = address(email or FIRST_EMAIL)

        async def is_known(tx: Tx) -> bool:
            key = await self.vault.find(tx, org_id, org_id)
            hashed = None if key is None else email_hash(key, normalized)
            return await store.is_known(tx, org_id, normalized, hashed)

        if await self.database.transact(is_known):
            return None
        if email is None and await self.database.single(lambda tx: store.has_had(tx, org_id)):
            return None
        chosen = password or new_password()
        check_password(chosen, email=normalized)
        hashed = await self.hashes.hash(chosen)
        person = self._person(org_id, normalized, _FIRST_NAME, MemberRole.ADMIN, is_invited=False)

        async def work(tx: Tx) -> bool:
            is_new = await store.add(tx, person, hashed)
            if is_new:
                by = ChangeAuthor(org_id, _CLI, timedelta())
                await self.append_change(
                    tx, by, person.id, 1, change_type="create", facts={"role": person.role.value}
                )
            return is_new

        if not await self.database.transact(work):
            return None
        return FirstAdmin(normalized, None if password else chosen)

    async def reset_by_operator(
        self, org_id: UUID, offset: timedelta, *, email: str, drops_factors: bool
    ) -> str:
        """Create a password reset link from the CLI.

        With `drops_factors`, second factors are removed at once, and so are password and sessions:
        otherwise these would give access without a second factor until the link is used.
        """
        by, normalized = ChangeAuthor(org_id, _CLI, offset), address(email)
        found = await self.database.single(lambda tx: store.find_by_email(tx, normalized))
        if found is None or found.person.org_id != org_id:
            raise ResourceNotFound("there is no member with this address")
        if found.person.is_invited:
            raise ResourceConflict("they have not taken their invitation up: invite them again")
        member_id = found.person.id

        async def work(tx: Tx) -> str:
            account = await self._locked(tx, org_id, member_id, role=found.person.role)
            if drops_factors:
                await mfa_store.drop(tx, org_id, member_id)
                await passkey_store.drop(tx, org_id, member_id)
                await self.sessions.end_all(tx, by, member_id)
                version = await store.set_password(tx, org_id, member_id, None)
            else:
                version = await store.count_change(tx, org_id, member_id)
            change_type = "drop_factors" if drops_factors else "ask_reset"
            await self.append_change(tx, by, member_id, version, change_type=change_type)
            if drops_factors:
                await self.warn(tx, account.person, change_type)
            link, _ = await self.links.make(
                tx, account.person, MemberLinkPurpose.RESET, org_name=account.org_name
            )
            return link

        return await self.database.transact(work)

    async def append_change(
        self,
        tx: Tx,
        by: ChangeAuthor,
        member_id: UUID,
        version: int,
        *,
        change_type: str,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Record a change of a member with a locked row; `version` is the row's present one."""
        await append_change(
            tx,
            org_id=by.org_id,
            object_id=member_id,
            seq=version,
            kind=KIND,
            change_type=change_type,
            actor=by.actor,
            at=self.clock.stamp(by.clock_offset),
            facts=facts,
        )

    async def record_own_change(
        self, tx: Tx, by: ChangeAuthor, member_id: UUID, change_type: str
    ) -> None:
        """Record a change that is stored elsewhere, such as a second factor."""
        version = await store.count_change(tx, by.org_id, member_id)
        await self.append_change(tx, by, member_id, version, change_type=change_type)

    async def warn(self, tx: Tx, person: TeamMember, change_type: str) -> None:
        """Notify a member of a changed sign-in method, if the change warrants an e-mail."""
        await self.links.warn(tx, person, change_type)

    async def _invite(
        self, inviter: Caller | ChangeAuthor, *, email: str, name: str, role: MemberRole
    ) -> NewInvitation:
        org_id, checked = inviter.org_id, check_name("name", name)
        person = self._person(org_id, address(email), checked, role, is_invited=True)

        async def work(tx: Tx) -> NewInvitation:
            by = await author_of(tx, inviter)
            is_new = await store.add(tx, person, None)
            account = await store.lock(tx, by.org_id, person.id)
            # The row with this id exists if it was added now or by an earlier attempt.
            if account is None:
                raise AddressTaken
            if is_new:
                await self.append_change(
                    tx, by, person.id, 1, change_type="invite", facts={"role": role.value}
                )
            return await self._link(tx, person, account.org_name)

        return await self.database.transact(work)

    async def _invite_again(self, inviter: Caller | ChangeAuthor, member_id: UUID) -> NewInvitation:
        async def work(tx: Tx) -> NewInvitation:
            by = await author_of(tx, inviter)
            account = await store.lock(tx, by.org_id, member_id)
            if account is None:
                raise _unknown(member_id)
            if not account.person.is_invited:
                raise ResourceConflict("this member has taken the invitation up already")
            await self.record_own_change(tx, by, member_id, "invite_again")
            return await self._link(tx, account.person, account.org_name)

        return await self.database.transact(work)

    async def _link(self, tx: Tx, person: TeamMember, org_name: str) -> NewInvitation:
        link, expires_at = await self.links.make(
            tx, person, MemberLinkPurpose.INVITATION, org_name=org_name
        )
        return NewInvitation(person, link, expires_at, self.links.can_mail)

    async def _locked(
        self, tx: Tx, org_id: UUID, member_id: UUID, *, role: MemberRole | None
    ) -> MemberCredentials:
        """Lock and return a member before a change to `role` (None: removal); raise `LastAdmin`."""
        # Admins are locked first, in the order of ids, which prevents deadlocks.
        admins: Sequence[UUID] = ()
        if role is not MemberRole.ADMIN:
            admins = await store.lock_admins(tx, org_id)
        account = await store.lock(tx, org_id, member_id)
        if account is None:
            raise _unknown(member_id)
        if role is not MemberRole.ADMIN and set(admins) == {member_id}:
            raise LastAdmin
        return account

    async def _change_own(
        self,
        by: ChangeAuthor,
        member_id: UUID,
        change_type: str,
        change: Callable[[Tx], Awaitable[int]],
    ) -> None:
        async def work(tx: Tx) -> None:
            if await store.lock(tx, by.org_id, member_id) is None:
                raise _unknown(member_id)
            await self.append_change(tx, by, member_id, await change(tx), change_type=change_type)

        await self.database.transact(work)

    def _person(
        self, org_id: UUID, email: str, name: str, role: MemberRole, *, is_invited: bool
    ) -> TeamMember:
        return TeamMember(
            org_id=org_id,
            id=new_id(),
            email=email,
            name=name,
            role=role,
            has_password=not is_invited,
            language=_NO_LANGUAGE,
            theme=Theme.SYSTEM,
            receives_approval_emails=True,
            created_at=self.clock.now(),
            removed_at=None,
            version=1,
            is_invited=is_invited,
        )


def _unknown(member_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no member {member_id}")
