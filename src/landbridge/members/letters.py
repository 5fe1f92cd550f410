"""The mails that members get about how they sign in."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from landbridge.mail.outbox import Letter

_INVITATION = """Hello {name},

{org} works with Landbridge, and you are invited to it. Choose a password here:

{url}

The link is for you alone, so do not forward it. It works until {until}.

If you don't know what this is about, delete this mail: nothing happens then.
"""

_RESET = """Hello {name},

somebody, most likely you, asked for a new password for your account at Landbridge. Choose it here:

{url}

The link is for you alone, so do not forward it. It works for an hour, and once.

If it was not you, delete this mail: your password stays as it is.
"""

_CHANGED = """Hello {name},

{sentence}
It was on {at}.

If it was you, there is nothing to do. If not, choose another password at once and end all sessions:

{url}

and tell an admin of your organisation.
"""

# What is worth a mail, as the change log calls it.
CHANGES: Final[Mapping[str, str]] = {
    "password": "your password at Landbridge was changed.",
    "reset": "your password at Landbridge was changed, by a link.",
    "totp_on": "codes of an app are asked for from now on when you sign in to Landbridge.",
    "totp_off": "codes of an app are not asked for any more when you sign in to Landbridge.",
    "recovery_codes": "new recovery codes were made for your account at Landbridge.",
    "passkey_add": "a passkey was added to your account at Landbridge: it opens it by itself.",
    "passkey_remove": "a passkey was removed from your account at Landbridge.",
    "drop_factors": "whoever runs Landbridge took codes and passkeys off your account.",
}


def changed(to: str, *, name: str, sentence: str, at: datetime, url: str) -> Letter:
    """How somebody signs in is not what it was."""
    moment = at.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC")
    text = _CHANGED.format(name=name, sentence=sentence, at=moment, url=url)
    return Letter(to, "How you sign in to Landbridge was changed", text)


def invitation(to: str, *, name: str, org: str, url: str, until: datetime) -> Letter:
    """Whoever gets it becomes a member."""
    day = until.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC")
    text = _INVITATION.format(name=name, org=org, url=url, until=day)
    return Letter(to, "You are invited to Landbridge", text)


def reset(to: str, *, name: str, url: str) -> Letter:
    """Whoever gets it may choose another password."""
    return Letter(to, "A new password for Landbridge", _RESET.format(name=name, url=url))
