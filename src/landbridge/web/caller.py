"""Who is calling: what every route knows after the gate, and every page once somebody signed in."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TypeAlias
from uuid import UUID

from litestar import Request
from litestar.datastructures import State

from landbridge.core.errors import Broken, ProfileFrozen, RoleNotAllowed


class Role(StrEnum):
    """What a member of an organisation may do. Source: contract, dashboard 2."""

    ADMIN = "admin"  # everything; decides on what members ask for
    MEMBER = "member"  # starts payments, which then wait for an admin
    ANALYST = "analyst"  # looks


@dataclass(frozen=True, slots=True)
class Member:
    """A person who signed in."""

    id: UUID
    role: Role


@dataclass(frozen=True, slots=True)
class Caller:
    """An API key, or a member who signed in; its organisation, its clock and what it may do.

    The defaults are the weaker ones, so that nobody becomes more by an oversight.
    """

    org_id: UUID
    # None for a member.
    key_id: UUID | None
    clock_offset: timedelta
    can_review: bool = False
    can_approve: bool = False
    is_org_frozen: bool = False
    member: Member | None = None

    @property
    def id(self) -> UUID:
        """Of the key or of the member: who asks for an approval, and who votes."""
        found = self.key_id if self.member is None else self.member.id
        if found is None:
            raise Broken("a caller is a key or a member")
        return found

    @property
    def actor(self) -> str:
        """How the change log names this caller."""
        return f"key:{self.id}" if self.member is None else f"member:{self.id}"

    @property
    def must_ask(self) -> bool:
        """Whether every payment that this caller starts needs an admin's approval."""
        return self.member is not None and self.member.role is not Role.ADMIN


def check_reviewer(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may decide reviews."""
    if not caller.can_review:
        raise RoleNotAllowed


def check_payer(caller: Caller) -> None:
    """Raise `ProfileFrozen` or `RoleNotAllowed` unless this caller may start payments."""
    if caller.is_org_frozen:
        raise ProfileFrozen
    if caller.member is not None and caller.member.role is Role.ANALYST:
        raise RoleNotAllowed("an analyst may look, and start nothing")


def check_editor(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may change users, accounts and what is kept."""
    if caller.member is not None and caller.member.role is Role.ANALYST:
        raise RoleNotAllowed("an analyst may look, and change nothing")


def check_admin(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may decide how the organisation is set up.

    Keys, settings, business rules, the team. A key may: it is an admin's. Source: contract,
    dashboard 2.
    """
    if caller.member is not None and caller.member.role is not Role.ADMIN:
        raise RoleNotAllowed("only an admin may do this")


ApiRequest: TypeAlias = Request[Caller, None, State]
