"""What a mail is, and what every way to send one promises.

Guarantees: a message that exists has headers of one line each, so nothing that a person typed can
add a header or a recipient.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from landbridge.formats.people import check_email
from landbridge.formats.texts import check_text

# RFC 5322, 2.1.1: a line has at most 998 characters, the name of the header included.
_SUBJECT_LENGTH_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A mail in plain text. `id` is the same whenever it is sent again, so that copies show.

    Raises `FieldInvalid` for a recipient that is no single address, and for a subject with line
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


class Mail(Protocol):
    """A way to send mail."""

    async def send(self, message: Message) -> None:
        """Hand the message over, for good.

        Raises `Rejected` if it will never be taken as it is, `Unavailable` if it was not taken
        now, or nobody knows whether it was: sent twice is better than never.
        """
        ...
