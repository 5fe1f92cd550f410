"""Content of an e-mail, and the context in which it is sealed."""

from uuid import UUID

import msgspec


class SealedEmailContent(msgspec.Struct, frozen=True):
    """Content of an e-mail, before it is sealed."""

    to: str
    subject: str
    text: str


def context_of(mail_id: UUID) -> str:
    """Return the context of a sealed e-mail, which is the same in outbox and mailbox."""
    return f"outbound_emails.email:{mail_id}"
