"""Where one can go: the menu, the palette and the shortcuts are readings of this one table."""

from collections.abc import Sequence
from dataclasses import dataclass

from landbridge.dashboard.visitors import Visitor
from landbridge.dashboard.words import later as _


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A page of the menu. `keys` are typed one after another; `is_for_admins` only hides it."""

    path: str
    title: str
    keys: str = ""
    is_for_admins: bool = False
    is_for_editors: bool = False
    is_in_sandbox: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Places that belong together; the first section has no title."""

    title: str
    places: Sequence[Place]


SECTIONS = (
    Section(
        "",
        (
            Place(path="/dashboard", title=_("Overview"), keys="g o"),
            Place(path="/dashboard/users", title=_("Users"), keys="g u"),
            Place(path="/dashboard/transactions", title=_("Transactions"), keys="g t"),
            Place(path="/dashboard/approvals", title=_("Approvals"), keys="g a"),
            Place(path="/dashboard/reviews", title=_("Reviews"), keys="g r"),
            Place(path="/dashboard/reports", title=_("Reports"), keys="g p"),
        ),
    ),
    Section(
        _("Developers"),
        (
            Place(path="/dashboard/webhooks", title=_("Webhooks"), keys="g w"),
            Place(path="/dashboard/events", title=_("Events"), keys="g e"),
            Place(path="/dashboard/requests", title=_("Requests"), keys="g q"),
            Place(path="/dashboard/keys", title=_("API keys"), keys="g k", is_for_admins=True),
            Place(path="/docs", title=_("API explorer"), keys="g d"),
        ),
    ),
    Section(
        _("Organisation"),
        (
            Place(path="/dashboard/team", title=_("Team"), keys="g m", is_for_admins=True),
            Place(path="/dashboard/settings", title=_("Settings"), keys="g s", is_for_admins=True),
            Place(path="/dashboard/audit-log", title=_("Audit log"), keys="g l"),
            Place(path="/dashboard/sandbox", title=_("Sandbox"), keys="g x", is_in_sandbox=True),
            Place(
                path="/dashboard/mailbox",
                title=_("Mailbox"),
                keys="g b",
                is_for_admins=True,
                is_in_sandbox=True,
            ),
        ),
    ),
)

# What can be begun from anywhere.
BEGINNINGS = (
    Place(path="/dashboard/new/transfer", title=_("New transfer"), keys="n t", is_for_editors=True),
    Place(path="/dashboard/new/batch", title=_("New batch"), keys="n b", is_for_editors=True),
    Place(path="/dashboard/new/bridge", title=_("New bridge"), keys="n r", is_for_editors=True),
    Place(path="/dashboard/new/swap", title=_("New swap"), keys="n s", is_for_editors=True),
    Place(path="/dashboard/new/onramp", title=_("New onramp"), keys="n i", is_for_editors=True),
    Place(path="/dashboard/new/offramp", title=_("New offramp"), keys="n o", is_for_editors=True),
    Place(path="/dashboard/users/new", title=_("New user"), keys="n u", is_for_editors=True),
)

OWN = (
    Place(path="/dashboard/profile", title=_("Profile"), keys="g i"),
    Place(path="/dashboard/shortcuts", title=_("Keyboard shortcuts"), keys="?"),
)


def sections(visitor: Visitor, *, is_sandbox: bool) -> list[Section]:
    """The menu as this visitor has it."""
    return [
        Section(
            each.title, [one for one in each.places if _fits(one, visitor, is_sandbox=is_sandbox)]
        )
        for each in SECTIONS
    ]


def places(visitor: Visitor, *, is_sandbox: bool) -> list[Place]:
    """Everything that this visitor can go to or begin."""
    menu = [one for each in SECTIONS for one in each.places]
    return [one for one in (*menu, *BEGINNINGS, *OWN) if _fits(one, visitor, is_sandbox=is_sandbox)]


def _fits(place: Place, visitor: Visitor, *, is_sandbox: bool) -> bool:
    return (
        (visitor.is_admin or not place.is_for_admins)
        and (visitor.may_edit or not place.is_for_editors)
        and (is_sandbox or not place.is_in_sandbox)
    )
