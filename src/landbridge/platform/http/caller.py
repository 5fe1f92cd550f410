"""Caller of a request: known to every route after authentication, and to every dashboard page."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TypeAlias
from uuid import UUID

from litestar import Request
from litestar.datastructures import State

from landbridge.platform.core.errors import InvariantBroken, ProfileFrozen, RoleNotAllowed


class MemberRole(StrEnum):
    """Role of a member of an organisation. Source: contract, dashboard 2."""

    ADMIN = "admin"  # everything; decides on requests of members
    MEMBER = "member"  # starts payments, which then wait for an admin
    ANALYST = "analyst"  # reads


@dataclass(frozen=True, slots=True)
class SignedInMember:
    """A member who is signed in."""

    id: UUID
    role: MemberRole


@dataclass(frozen=True, slots=True)
class Caller:
    """An API key or a signed-in member, with its organisation, clock offset and rights.

    The defaults are the weaker rights, so that an omission grants nothing.
    """

    org_id: UUID
    # None for a member.
    key_id: UUID | None
    clock_offset: timedelta
    can_review: bool = False
    can_approve: bool = False
    is_org_frozen: bool = False
    member: SignedInMember | None = None

    @property
    def id(self) -> UUID:
        """Return the id of the key or the member, as initiator of approvals and votes."""
        found = self.key_id if self.member is None else self.member.id
        if found is None:
            raise InvariantBroken("a caller is a key or a member")
        return found

    @property
    def actor(self) -> str:
        """Return the name of this caller in the change log."""
        return f"key:{self.id}" if self.member is None else f"member:{self.id}"

    @property
    def is_admin(self) -> bool:
        """Return whether this caller has an admin's rights. An API key has: it is an admin's."""
        return self.member is None or self.member.role is MemberRole.ADMIN

    @property
    def payments_need_approval(self) -> bool:
        """Return whether every payment of this caller needs an admin's approval."""
        return not self.is_admin


def check_reviewer(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may decide reviews."""
    if not caller.can_review:
        raise RoleNotAllowed


def check_payer(caller: Caller) -> None:
    """Raise `ProfileFrozen` or `RoleNotAllowed` unless this caller may start payments."""
    if caller.is_org_frozen:
        raise ProfileFrozen
    if caller.member is not None and caller.member.role is MemberRole.ANALYST:
        raise RoleNotAllowed("an analyst may look, and start nothing")


def check_editor(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may change users, accounts and other data."""
    if caller.member is not None and caller.member.role is MemberRole.ANALYST:
        raise RoleNotAllowed("an analyst may look, and change nothing")


def check_admin(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may change the organisation's configuration.

    Keys, settings, business rules, the team. Source: contract, dashboard 2.
    """
    if not caller.is_admin:
        raise RoleNotAllowed("only an admin may do this")


ApiRequest: TypeAlias = Request[Caller, None, State]
