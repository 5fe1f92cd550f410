"""Route handlers of team pages."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.team.mailbox_pages import MailboxPages
from landbridge.dashboard.team.team_pages import TeamPages

PAGES: Sequence[ControllerRouterHandler] = [TeamPages, MailboxPages]
