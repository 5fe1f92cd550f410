"""Caller of a request: every route and every dashboard page has it after authentication."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Protocol, TypeAlias
from uuid import UUID

from litestar import Request
from litestar.datastructures import State

from landbridge.platform.core.errors import InvariantBroken, ProfileFrozen, RoleNotAllowed


class MemberRole(StrEnum):
    """Role of a member of an organisation. Source: contract, dashboard 2."""

    ADMIN = "admin"  # all rights; decides on requests of members
    MEMBER = "member"  # starts payments, which wait for an admin's approval
    ANALYST = "analyst"  # only reads


class KeyScope(StrEnum):
    """What an API key may do; every key may read."""

    READ = "read"  # every GET outside of reviews and approvals, previews and dry runs
    PAY = "pay"  # payments, and the users, wallets and accounts that they need
    APPROVE = "approve"  # list and decide approvals of payments
    REVIEW = "review"  # list and decide reviews of compliance
    ADMIN = "admin"  # configuration, webhooks, reports, erasure; includes pay


class KeyRights(Protocol):
    """Rights of an API key: one for each scope except `read`."""

    @property
    def can_pay(self) -> bool:
        """Return whether the key has the scope `pay`."""
        ...

    @property
    def can_approve(self) -> bool:
        """Return whether the key has the scope `approve`."""
        ...

    @property
    def can_review(self) -> bool:
        """Return whether the key has the scope `review`."""
        ...

    @property
    def can_administer(self) -> bool:
        """Return whether the key has the scope `admin`."""
        ...


@dataclass(frozen=True, slots=True)
class SignedInMember:
    """Team member who is signed in."""

    id: UUID
    role: MemberRole


@dataclass(frozen=True, slots=True)
class Caller:
    """An API key or a signed-in member, with its organisation, clock offset and rights.

    The defaults are the weaker rights, so that an omission grants nothing.
    """

    org_id: UUID
    # Id of the API key; None for a dashboard member.
    key_id: UUID | None
    clock_offset: timedelta
    can_review: bool = False
    can_approve: bool = False
    # Rights of an API key; False for a dashboard member, who is authorised by role instead.
    can_pay: bool = False
    can_administer: bool = False
    is_org_frozen: bool = False
    member: SignedInMember | None = None

    @property
    def id(self) -> UUID:
        """Return the id of the key or member, as recorded for approvals and votes."""
        found = self.key_id if self.member is None else self.member.id
        if found is None:
            raise InvariantBroken("a caller is a key or a member")
        return found

    @property
    def actor(self) -> str:
        """Return the caller as an actor of the change log: `key:<id>` or `member:<id>`."""
        return f"key:{self.id}" if self.member is None else f"member:{self.id}"

    @property
    def is_admin(self) -> bool:
        """Return whether this caller may change the organisation's configuration."""
        if self.member is None:
            return self.can_administer
        return self.member.role is MemberRole.ADMIN

    @property
    def is_read_only(self) -> bool:
        """Return whether this is an analyst, or a key with no scope but `read`.

        These callers see masked numbers and no documents.
        """
        if self.member is not None:
            return self.member.role is MemberRole.ANALYST
        return not (self.can_pay or self.can_approve or self.can_review or self.can_administer)

    @property
    def scopes(self) -> frozenset[KeyScope]:
        """Return the scopes of this key."""
        return frozenset(scopes_of(self))

    @property
    def payments_need_approval(self) -> bool:
        """Return whether every payment of this caller needs an admin's approval.

        Payments of keys need one only if a rule or the request requires it.
        """
        return self.member is not None and not self.is_admin


def has_scope(rights: KeyRights, scope: KeyScope) -> bool:
    """Return whether a key with these rights has a scope."""
    match scope:
        case KeyScope.READ:
            return True
        case KeyScope.PAY:
            return rights.can_pay
        case KeyScope.APPROVE:
            return rights.can_approve
        case KeyScope.REVIEW:
            return rights.can_review
        case KeyScope.ADMIN:
            return rights.can_administer


def scopes_of(rights: KeyRights) -> list[KeyScope]:
    """Return the scopes of a key in their usual order."""
    return [scope for scope in KeyScope if has_scope(rights, scope)]


def check_scope(caller: Caller, needed: KeyScope) -> None:
    """Raise `RoleNotAllowed` if a key lacks the scope, with a sentence on how to get it.

    Members pass: services check their roles.
    """
    if caller.member is not None or has_scope(caller, needed):
        return
    owned = ", ".join(scopes_of(caller))
    raise RoleNotAllowed(
        f"this needs a key with the scope {needed}, and this key has {owned}; an admin creates one "
        f"in the dashboard under API keys, or by `landbridge keys create --scope {needed}`"
    )


def check_reviewer(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may decide reviews."""
    check_scope(caller, KeyScope.REVIEW)
    if not caller.can_review:
        raise RoleNotAllowed


def check_payer(caller: Caller) -> None:
    """Raise `ProfileFrozen` or `RoleNotAllowed` unless this caller may start payments.

    The scope of a key is left to the auth guard: dry runs are checked here too, and need a smaller
    scope.
    """
    if caller.is_org_frozen:
        raise ProfileFrozen
    if caller.member is not None and caller.member.role is MemberRole.ANALYST:
        raise RoleNotAllowed("an analyst may look, and start nothing")


def may_edit(caller: Caller) -> bool:
    """Return whether `check_editor` accepts this caller."""
    if caller.member is None:
        return has_scope(caller, KeyScope.PAY)
    return caller.member.role is not MemberRole.ANALYST


def check_editor(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may change users, accounts and other data."""
    check_scope(caller, KeyScope.PAY)
    if not may_edit(caller):
        raise RoleNotAllowed("an analyst may look, and change nothing")


def check_sees_documents(caller: Caller) -> None:
    """Raise `RoleNotAllowed` for callers who may not see the content of uploaded files."""
    if caller.is_read_only:
        raise RoleNotAllowed(
            "analysts, and keys with no scope but read, can't open documents; their numbers are "
            "masked too"
        )


def check_admin(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may change the organisation's configuration.

    That is keys, settings, business rules and the team. Source: contract, dashboard 2.
    """
    check_scope(caller, KeyScope.ADMIN)
    if not caller.is_admin:
        raise RoleNotAllowed("only an admin may do this")


ApiRequest: TypeAlias = Request[Caller, None, State]
