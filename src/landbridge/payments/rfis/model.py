"""Requests for information (RFIs). Source: contract, lifecycles 8; webhooks 4."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

# Status of a payment with an open RFI, the same for every kind that has RFIs.
IN_REVIEW = "IN_REVIEW"

TEXT_LENGTH_MAX = 2_000
FILES_MAX = 20


class RfiStatus(StrEnum):
    """Status of a request for information."""

    OPEN = "OPEN"  # awaits an answer, or a reviewer who closes it without one
    ANSWERED = "ANSWERED"  # awaits a reviewer who reads the answer and closes it
    CLOSED = "CLOSED"  # final


class RfiTexts(NamedTuple):
    """Texts of a request, which are personal data."""

    question: str
    answer: str | None = None
    comment: str | None = None


def kind_of(transfer_kind: str) -> str:
    """Return the kind of RFIs in the change log, for example OFFRAMP.RFI for offramps."""
    return f"{transfer_kind}.RFI"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rfi:
    """Request for information about a payment; `texts` is None once its user was erased.

    `opened_by` is the actor as named in the change log.
    """

    org_id: UUID
    id: UUID
    transfer_id: UUID
    transfer_kind: str
    user_id: UUID
    status: RfiStatus
    texts: RfiTexts | None
    file_ids: tuple[str, ...]
    opened_by: str
    answered_at: datetime | None
    closed_at: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def kind(self) -> str:
        """Kind in the change log."""
        return kind_of(self.transfer_kind)

    @property
    def is_open(self) -> bool:
        """Whether the request is not closed, so that the payment waits for it."""
        return self.status is not RfiStatus.CLOSED

    @property
    def question(self) -> str | None:
        """Question of the reviewer; None once the user was erased."""
        return self.texts and self.texts.question

    @property
    def answer(self) -> str | None:
        """Answer of the customer; None without one, and once the user was erased."""
        return self.texts and self.texts.answer

    @property
    def comment(self) -> str | None:
        """Comment with which a reviewer closed the request; None without one, and once erased."""
        return self.texts and self.texts.comment
