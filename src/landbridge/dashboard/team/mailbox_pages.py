"""Mailbox of the sandbox: emails that were not sent."""

import re
from typing import Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from markupsafe import Markup

from landbridge.dashboard.page_request import PageRequest
from landbridge.platform.http.path_params import known_id
from landbridge.platform.mail.mailbox import MAILBOX_SIZE_MAX, Mailbox

_STOPS: Final = ".,;:!?)>\"'"


class MailboxPages(Controller):
    """`/dashboard/mailbox`, in a sandbox only, for admins: links in mails open doors."""

    path = "/mailbox"

    @get("/")
    async def page(self, request: PageRequest, mailbox: NamedDependency[Mailbox]) -> Response[str]:
        """List emails, newest first."""
        mails = await mailbox.newest(request.user.caller)
        return request.page("team/mailbox.html", mails=mails, kept=MAILBOX_SIZE_MAX)

    @get("/{mail_id:str}")
    async def one(
        self, request: PageRequest, mail_id: FromPath[str], mailbox: NamedDependency[Mailbox]
    ) -> Response[str]:
        """Show one e-mail as its recipient sees it."""
        mail = await mailbox.get(request.user.caller, known_id(mail_id, "mail"))
        text = linked(mail.email.text, request.installation.base_url)
        return request.page("team/mail.html", mail=mail, text=text)


def linked(text: str, base_url: str) -> Markup:
    """Return the text with links to dashboard pages; other URLs stay text."""
    parts = re.split(rf"(?<!\S)({re.escape(base_url)}/\S*)", text)
    # Odd positions hold the matched URLs.
    return Markup("").join(
        _link(part) if at % 2 else Markup("{}").format(part) for at, part in enumerate(parts)
    )


def _link(url: str) -> Markup:
    target = url.rstrip(_STOPS)
    return Markup('<a href="{0}">{0}</a>{1}').format(target, url[len(target) :])
