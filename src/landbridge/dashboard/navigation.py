"""Navigation: one table for the menu, the command palette and the shortcuts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from landbridge.dashboard.page_visitor import PageVisitor
from landbridge.platform.formats.translations import later as _


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationItem:
    """A page of the menu. `keys` are typed in sequence; `is_for_admins` only hides the item."""

    path: str
    title: str
    keys: str = ""
    is_for_admins: bool = False
    is_for_editors: bool = False
    is_in_sandbox: bool = False
    needs_chains: bool = False
    needs_guides: bool = False


@dataclass(frozen=True, slots=True)
class NavigationSection:
    """A group of menu items; the first section has no title."""

    title: str
    items: Sequence[NavigationItem]


SECTIONS = (
    NavigationSection(
        "",
        (
            NavigationItem(path="/dashboard", title=_("Overview"), keys="g o"),
            NavigationItem(path="/dashboard/users", title=_("Users"), keys="g u"),
            NavigationItem(path="/dashboard/transactions", title=_("Transactions"), keys="g t"),
            NavigationItem(path="/dashboard/approvals", title=_("Approvals"), keys="g a"),
            NavigationItem(path="/dashboard/stuck", title=_("Stuck payments"), keys="g g"),
            NavigationItem(path="/dashboard/reviews", title=_("Reviews"), keys="g r"),
            NavigationItem(
                path="/dashboard/reviews/transfers", title=_("Requests for information"), keys="g j"
            ),
            NavigationItem(path="/dashboard/inquiries", title=_("Travel rule inquiries")),
            NavigationItem(path="/dashboard/reconciliation", title=_("Reconciliation"), keys="g n"),
            NavigationItem(path="/dashboard/reports", title=_("Reports"), keys="g p"),
            NavigationItem(path="/dashboard/fees", title=_("Fees and billing")),
        ),
    ),
    NavigationSection(
        _("Accounts and wallets"),
        (
            NavigationItem(path="/dashboard/bank-accounts", title=_("Bank accounts"), keys="g c"),
            NavigationItem(
                path="/dashboard/virtual-accounts", title=_("Virtual accounts"), keys="g v"
            ),
            NavigationItem(
                path="/dashboard/external-wallets", title=_("External wallets"), keys="g y"
            ),
            NavigationItem(path="/dashboard/deposits", title=_("Deposits"), keys="g f"),
        ),
    ),
    NavigationSection(
        _("Developers"),
        (
            NavigationItem(path="/dashboard/webhooks", title=_("Webhooks"), keys="g w"),
            NavigationItem(path="/dashboard/events", title=_("Events"), keys="g e"),
            NavigationItem(path="/dashboard/requests", title=_("API logs"), keys="g q"),
            NavigationItem(
                path="/dashboard/keys", title=_("API keys"), keys="g k", is_for_admins=True
            ),
            NavigationItem(path="/docs", title=_("API explorer"), keys="g d"),
            NavigationItem(path="/docs/site/", title=_("Guides"), needs_guides=True),
        ),
    ),
    NavigationSection(
        _("Organisation"),
        (
            NavigationItem(path="/dashboard/team", title=_("Team"), keys="g m", is_for_admins=True),
            NavigationItem(
                path="/dashboard/settings", title=_("Settings"), keys="g s", is_for_admins=True
            ),
            NavigationItem(
                path="/dashboard/chains", title=_("Chains"), keys="g h", needs_chains=True
            ),
            NavigationItem(path="/dashboard/providers", title=_("Providers"), keys="g z"),
            NavigationItem(path="/dashboard/audit-log", title=_("Audit log"), keys="g l"),
            NavigationItem(
                path="/dashboard/sandbox", title=_("Sandbox"), keys="g x", is_in_sandbox=True
            ),
            NavigationItem(
                path="/dashboard/mailbox",
                title=_("Mailbox"),
                keys="g b",
                is_for_admins=True,
                is_in_sandbox=True,
            ),
        ),
    ),
)

# Pages that create something, reachable from everywhere.
CREATE_ITEMS = (
    NavigationItem(
        path="/dashboard/new/transfer", title=_("New transfer"), keys="n t", is_for_editors=True
    ),
    NavigationItem(
        path="/dashboard/new/batch", title=_("New batch"), keys="n b", is_for_editors=True
    ),
    NavigationItem(
        path="/dashboard/new/bridge", title=_("New bridge"), keys="n r", is_for_editors=True
    ),
    NavigationItem(
        path="/dashboard/new/swap", title=_("New swap"), keys="n s", is_for_editors=True
    ),
    NavigationItem(
        path="/dashboard/new/onramp", title=_("New onramp"), keys="n i", is_for_editors=True
    ),
    NavigationItem(
        path="/dashboard/new/offramp", title=_("New offramp"), keys="n o", is_for_editors=True
    ),
    NavigationItem(
        path="/dashboard/users/new", title=_("New user"), keys="n u", is_for_editors=True
    ),
)

PROFILE_ITEMS = (
    NavigationItem(path="/dashboard/profile", title=_("Profile"), keys="g i"),
    NavigationItem(path="/dashboard/shortcuts", title=_("Keyboard shortcuts"), keys="?"),
)


def menu_counts(visitor: PageVisitor) -> Mapping[str, int]:
    """Return how many items wait behind a menu item that this visitor sees, by path; never zero."""
    found = visitor.waiting
    if found is None:
        return {}
    restricted = found.restricted_reviews if visitor.caller.can_review else 0
    counts = {
        "/dashboard/approvals": found.approvals,
        "/dashboard/stuck": found.stuck,
        "/dashboard/reviews": found.reviews + restricted,
        "/dashboard/reviews/transfers": found.information_requests,
        "/dashboard/inquiries": found.inquiries,
        "/dashboard/webhooks": found.failing_endpoints,
    }
    return {path: count for path, count in counts.items() if count}


def current_path(path: str) -> str:
    """Return the path of the menu item that a page belongs to: the longest that begins its path."""
    paths = [one.path for each in SECTIONS for one in each.items]
    found = [each for each in paths[1:] if path == each or path.startswith(f"{each}/")]
    return max(found, key=len, default=paths[0] if path == paths[0] else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuOptions:
    """What an installation has, and a menu item may need."""

    is_sandbox: bool
    has_chains: bool
    has_guides: bool


def sections(visitor: PageVisitor, options: MenuOptions) -> list[NavigationSection]:
    """Return the menu of this visitor."""
    return [
        NavigationSection(
            each.title, [one for one in each.items if _is_visible(one, visitor, options)]
        )
        for each in SECTIONS
    ]


def items(visitor: PageVisitor, options: MenuOptions) -> list[NavigationItem]:
    """Everything that this visitor can go to or begin."""
    menu = [one for each in SECTIONS for one in each.items]
    return [
        one for one in (*menu, *CREATE_ITEMS, *PROFILE_ITEMS) if _is_visible(one, visitor, options)
    ]


def _is_visible(item: NavigationItem, visitor: PageVisitor, options: MenuOptions) -> bool:
    return (
        (visitor.is_admin or not item.is_for_admins)
        and (visitor.may_edit or not item.is_for_editors)
        and (options.is_sandbox or not item.is_in_sandbox)
        and (options.has_chains or not item.needs_chains)
        and (options.has_guides or not item.needs_guides)
    )
