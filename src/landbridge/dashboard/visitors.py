"""Who looks at a page, and how they like it; what every handler of a page knows."""

from dataclasses import dataclass
from typing import TypeAlias
from zoneinfo import ZoneInfo

from litestar import Request
from litestar.datastructures import State

from landbridge.core.errors import Broken
from landbridge.members.model import SignedIn, Theme
from landbridge.web.caller import Caller, Role, check_admin, check_editor


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """A browser. `signed` is None while nobody has signed in there.

    `csrf` is what every form holds; `zone` is that of the organisation's days.
    """

    signed: SignedIn | None
    csrf: str
    language: str
    zone: ZoneInfo

    @property
    def caller(self) -> Caller:
        """For whom the interface is asked; only behind the door."""
        if self.signed is None:
            raise Broken("nobody has signed in here")
        return self.signed.caller

    @property
    def role(self) -> Role | None:
        """What they are in their organisation."""
        return None if self.signed is None else self.signed.person.role

    @property
    def is_admin(self) -> bool:
        """Whether they decide."""
        return self.role is Role.ADMIN

    @property
    def may_edit(self) -> bool:
        """Whether they may change anything."""
        return self.role in {Role.ADMIN, Role.MEMBER}

    @property
    def theme(self) -> Theme:
        """How bright they like it."""
        return Theme.SYSTEM if self.signed is None else self.signed.person.theme


def check_may_edit(visitor: Visitor) -> None:
    """Raise `RoleNotAllowed` for who may only look: for a form that they could not send."""
    check_editor(visitor.caller)


def check_is_admin(visitor: Visitor) -> None:
    """Raise `RoleNotAllowed` for all but admins: for a form that nobody else could send."""
    check_admin(visitor.caller)


PageRequest: TypeAlias = Request[Visitor, None, State]
"""A request for a page, once the door has let it in."""
