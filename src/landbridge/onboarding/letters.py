"""The mail that carries a link."""

from landbridge.mail.outbox import Letter
from landbridge.onboarding.model import Link


def invitation(to: str, url: str, link: Link) -> Letter:
    """Whoever gets it is to open the form."""
    until = link.expires_at.strftime("%-d %B %Y")
    return Letter(
        to,
        "Your verification form",
        "Hello,\n\n"
        "to make payments for you, the company that you are in touch with needs some details and\n"
        "documents. Please give them on this page:\n\n"
        f"{url}\n\n"
        f"The link is for you alone, so do not forward it. It works until {until}. You can close\n"
        "the page and come back to it.\n\n"
        "If you don't know what this is about, delete this mail: nothing happens then.\n",
    )
