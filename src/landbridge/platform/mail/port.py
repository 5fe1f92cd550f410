"""Port of e-mail transports, and the message they send.

Guarantees: a message has headers of one line each, so no user input can add a header or a
recipient.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from landbridge.platform.formats.people import check_email
from landbridge.platform.formats.texts import check_text

# RFC 5322, 2.1.1: a line has at most 998 characters, the name of the header included.
_SUBJECT_LENGTH_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundEmail:
    """An e-mail in plain text. `id` stays the same when it is sent again, so that copies show.

    Raises `FieldInvalid` for a recipient that is not a single address, and for a subject with line
    breaks or control characters.
    """

    id: UUID
    to: str
    subject: str
    text: str
    at: datetime

    def __post_init__(self) -> None:
        check_email("to", self.to)
        check_text("subject", self.subject, length_max=_SUBJECT_LENGTH_MAX)


class MailTransport(Protocol):
    """A transport of e-mails."""

    async def send(self, message: OutboundEmail) -> None:
        """Deliver the message to a server.

        Raises `Rejected` if it will never be accepted as it is, `Unavailable` if it was not
        accepted now, or the result is unknown: sent twice is better than never.
        """
        ...
