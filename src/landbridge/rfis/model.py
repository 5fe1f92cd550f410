"""Requests for information (RFIs). Source: contract, lifecycles 8; webhooks 4."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

# The status in which a payment waits for its RFI, of every kind that can have one.
IN_REVIEW = "IN_REVIEW"

TEXT_LENGTH_MAX = 2_000
FILES_MAX = 20


class Status(StrEnum):
    """Where a request for information stands."""

    OPEN = "OPEN"  # waits for an answer, or for a reviewer who closes it without one
    ANSWERED = "ANSWERED"  # waits for a reviewer who reads the answer and closes it
    CLOSED = "CLOSED"  # nothing is asked any more


class Texts(NamedTuple):
    """What was written, which is personal data."""

    question: str
    answer: str | None = None
    comment: str | None = None


def kind_of(transfer_kind: str) -> str:
    """The kind of the changes of requests about payments of a kind, as in OFFRAMP.RFI."""
    return f"{transfer_kind}.RFI"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rfi:
    """A question about a payment; `texts` is None once its user's data was erased.

    `opened_by` is the actor as the change log names one.
    """

    org_id: UUID
    id: UUID
    transfer_id: UUID
    transfer_kind: str
    user_id: UUID
    status: Status
    texts: Texts | None
    file_ids: tuple[str, ...]
    opened_by: str
    answered_at: datetime | None
    closed_at: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def kind(self) -> str:
        """The kind of its changes."""
        return kind_of(self.transfer_kind)

    @property
    def is_open(self) -> bool:
        """Whether the payment waits for it."""
        return self.status is not Status.CLOSED

    @property
    def question(self) -> str | None:
        """What is asked."""
        return self.texts and self.texts.question

    @property
    def answer(self) -> str | None:
        """What was answered."""
        return self.texts and self.texts.answer

    @property
    def comment(self) -> str | None:
        """What the reviewer noted when closing it."""
        return self.texts and self.texts.comment
