"""Visitor of a page: session, language, time zone and role."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeAlias
from zoneinfo import ZoneInfo

from litestar import Request
from litestar.datastructures import State

from landbridge.customers.team.model import SignedInSession, Theme
from landbridge.dashboard.page_budget import AdmittedPage
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.http.caller import Caller, MemberRole, check_admin, check_editor
from landbridge.reporting.attention_counts import AttentionCount


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVisitor:
    """A visitor's browser. `signed` is None while signed out.

    `csrf` is the token of every form; `zone` is the organisation's time zone; `waiting` are the
    counts of the menu, on pages that have one, and `count_waiting` counts again; `admitted` is
    charged with what a page costs.
    """

    signed: SignedInSession | None
    csrf: str
    language: str
    zone: ZoneInfo
    waiting: AttentionCount | None = None
    count_waiting: Callable[[], Awaitable[AttentionCount]] | None = None
    admitted: AdmittedPage | None = None

    @property
    def caller(self) -> Caller:
        """Return the caller for API requests; only for signed-in visitors."""
        if self.signed is None:
            raise InvariantBroken("nobody has signed in here")
        return self.signed.caller

    @property
    def role(self) -> MemberRole | None:
        """Return the visitor's role in the organisation."""
        return None if self.signed is None else self.signed.person.role

    @property
    def is_admin(self) -> bool:
        """Return whether the visitor is an admin."""
        return self.role is MemberRole.ADMIN

    @property
    def may_edit(self) -> bool:
        """Return whether the visitor may change anything."""
        return self.role in {MemberRole.ADMIN, MemberRole.MEMBER}

    @property
    def sees_documents(self) -> bool:
        """Return whether the visitor may open uploaded files, and sees numbers unmasked."""
        return not self.caller.is_read_only

    @property
    def theme(self) -> Theme:
        """Return the visitor's color theme."""
        return Theme.SYSTEM if self.signed is None else self.signed.person.theme


def check_may_edit(visitor: PageVisitor) -> None:
    """Raise `RoleNotAllowed` for read-only visitors, on forms that they cannot send."""
    check_editor(visitor.caller)


def check_is_admin(visitor: PageVisitor) -> None:
    """Raise `RoleNotAllowed` for all but admins, on forms that only admins can send."""
    check_admin(visitor.caller)


VisitorRequest: TypeAlias = Request[PageVisitor, None, State]
"""A request for a page, once the guard has admitted it; handlers have a `PageRequest`."""


async def renew_counts(request: VisitorRequest) -> None:
    """Count again what waits: for a form that changes it and answers with a page, not a redirect.

    The counts of the menu are made before the form is handled.
    """
    visitor = request.user
    if visitor.count_waiting is not None:
        request.scope["user"] = replace(visitor, waiting=await visitor.count_waiting())
