"""E-mails to members about their sign-in methods."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from landbridge.platform.mail.outbox import SealedEmailContent

_INVITATION = """Hello{name},

You have been invited to join {org} on Landbridge. Set your password here:

{url}

This link is personal: do not forward it. It expires on {until}.

If you did not expect this invitation, ignore this e-mail.
"""

_RESET = """Hello{name},

We received a request to reset the password of your Landbridge account. Set a new password here:

{url}

This link is personal: do not forward it. It expires in one hour and works once.

If you did not request this, ignore this e-mail. Your password stays unchanged.
"""

_CHANGED = """Hello{name},

{sentence}
Time: {at}

If this was you, no action is needed. If not, reset your password and sign out all sessions now:

{url}

Then contact an admin of your organisation.
"""

# Text that mail programs turn into a link. Names are checked: an admin chooses an invitee's name.
_LINK: Final = re.compile(r"[:/@]|\w\.\w{2,}")

# Changes that trigger an e-mail, by their names in the change log.
CHANGES: Final[Mapping[str, str]] = {
    "password": "Your Landbridge password was changed.",
    "reset": "Your Landbridge password was reset with a link.",
    "totp_on": "Two-factor authentication was turned on for your Landbridge account.",
    "totp_off": "Two-factor authentication was turned off for your Landbridge account.",
    "recovery_codes": "New recovery codes were generated for your Landbridge account.",
    "recovery_code": "A recovery code of your Landbridge account was used.",
    "passkey_add": "A passkey was added to your Landbridge account.",
    "passkey_remove": "A passkey was removed from your Landbridge account.",
    "drop_factors": "Two-factor authentication and passkeys were removed by the operator.",
}


def changed(to: str, *, name: str, sentence: str, at: datetime, url: str) -> SealedEmailContent:
    """Return the e-mail about a changed sign-in method."""
    moment = at.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC")
    text = _CHANGED.format(name=_greeted(name), sentence=sentence, at=moment, url=url)
    return SealedEmailContent(to, "Your Landbridge sign-in settings changed", text)


def invitation(to: str, *, name: str, org: str, url: str, until: datetime) -> SealedEmailContent:
    """Return the invitation e-mail to a new member."""
    day = until.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC")
    text = _INVITATION.format(name=_greeted(name), org=org, url=url, until=day)
    return SealedEmailContent(to, "Invitation to Landbridge", text)


def reset(to: str, *, name: str, url: str) -> SealedEmailContent:
    """Return the e-mail with a password reset link."""
    return SealedEmailContent(
        to, "Reset your Landbridge password", _RESET.format(name=_greeted(name), url=url)
    )


def _greeted(name: str) -> str:
    """Return the name as it follows a greeting; empty if the name contains a link."""
    return "" if _LINK.search(name) else f" {name}"
