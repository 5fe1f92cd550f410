"""The sandbox's mailbox: mails that it did not send."""

import re
from typing import Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from markupsafe import Markup

from landbridge.dashboard.pages import Renderer
from landbridge.dashboard.visitors import PageRequest
from landbridge.mail.mailbox import KEPT, Mailbox
from landbridge.web.paths import known_id

_STOPS: Final = ".,;:!?)>\"'"


class MailboxPages(Controller):
    """`/dashboard/mailbox`, in a sandbox only, for admins: links in mails open doors."""

    path = "/mailbox"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        mailbox: NamedDependency[Mailbox],
    ) -> Response[str]:
        """The newest first."""
        mails = await mailbox.newest(request.user.caller)
        return renderer.page(request, "team/mailbox.html", mails=mails, kept=KEPT)

    @get("/{mail_id:str}")
    async def one(
        self,
        request: PageRequest,
        mail_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        mailbox: NamedDependency[Mailbox],
    ) -> Response[str]:
        """One mail, as its reader would have it."""
        mail = await mailbox.get(request.user.caller, known_id(mail_id, "mail"))
        text = linked(mail.letter.text, renderer.surroundings.base_url)
        return renderer.page(request, "team/mail.html", mail=mail, text=text)


def linked(text: str, base_url: str) -> Markup:
    """A text with links to pages of ours, and of nobody else."""
    parts = re.split(rf"(?<!\S)({re.escape(base_url)}/\S*)", text)
    # What was matched is at the odd places.
    return Markup("").join(
        _link(part) if at % 2 else Markup("{}").format(part) for at, part in enumerate(parts)
    )


def _link(url: str) -> Markup:
    target = url.rstrip(_STOPS)
    return Markup('<a href="{0}">{0}</a>{1}').format(target, url[len(target) :])
