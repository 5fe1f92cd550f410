"""Sealed content of an e-mail, and its context."""

from uuid import UUID

import msgspec


class SealedEmailContent(msgspec.Struct, frozen=True):
    """Sealed content of an e-mail."""

    to: str
    subject: str
    text: str


def context_of(mail_id: UUID) -> str:
    """Return the context of a sealed e-mail, the same in outbox and mailbox."""
    return f"outbound_emails.email:{mail_id}"
