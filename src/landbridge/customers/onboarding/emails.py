"""E-mail with a KYC link."""

from landbridge.customers.onboarding.model import KycLink
from landbridge.platform.mail.outbox import SealedEmailContent


def invitation(to: str, url: str, link: KycLink) -> SealedEmailContent:
    """Return the e-mail that invites its recipient to open the form."""
    until = link.expires_at.strftime("%-d %B %Y")
    return SealedEmailContent(
        to,
        "Complete your verification",
        "Hello,\n\n"
        "the company you are in contact with needs information and documents to make payments\n"
        "for you. Submit them on this page:\n\n"
        f"{url}\n\n"
        f"This link is personal: do not forward it. It expires on {until}. You can close the\n"
        "page and return to it.\n\n"
        "If you did not expect this request, ignore this e-mail.\n",
    )
