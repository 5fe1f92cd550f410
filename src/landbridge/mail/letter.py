"""What of a mail is sealed, and under which context."""

from uuid import UUID

import msgspec


class Letter(msgspec.Struct, frozen=True):
    """What of a mail is sealed."""

    to: str
    subject: str
    text: str


def context_of(mail_id: UUID) -> str:
    """What a sealed letter is tied to; the same while it waits and once it is kept."""
    return f"mails.letter:{mail_id}"
