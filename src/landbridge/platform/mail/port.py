"""Port of e-mail transports, and the message that they send.

Guarantee: each header of a message is one line, so user input can't add a header or a recipient.
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
    """E-mail in plain text.

    `id` stays the same when the e-mail is sent again, so that copies are recognised. Raises
    `FieldInvalid` for a recipient that is not a single address, and for a subject with line breaks
    or control characters.
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
    """Transport that delivers e-mails."""

    async def send(self, message: OutboundEmail) -> None:
        """Deliver the message to a server.

        Raises `Rejected` if the server will never accept it, and `Unavailable` if it did not accept
        it now. `Unavailable` is also raised for an unknown result: sending twice is better than
        never.
        """
        ...
