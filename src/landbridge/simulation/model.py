"""What the sandbox's chains and banks keep."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.core.errors import Unavailable

# After so long it is worth while to ask about what nobody will answer.
_ASKED_AFTER = timedelta(minutes=1)


class Part(StrEnum):
    """Who was asked."""

    CHAIN = "chain"
    BANK = "bank"


class Pace(StrEnum):
    """How fast the sandbox's chains or banks are."""

    INSTANT = "instant"
    """All is final at once."""
    REAL = "real"
    """As long as it takes outside: confirmations, cut-off times, weekends and bank holidays."""


class Ending(StrEnum):
    """What has become of an order once it is final."""

    DONE = "DONE"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class Paces:
    """An organisation's paces."""

    chains: Pace = Pace.INSTANT
    rails: Pace = Pace.INSTANT


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One order as it was accepted.

    `ordered` says how much of what goes where, `reply` is what the chain or the bank calls it;
    neither has personal data. Times are the organisation's. What is not `is_paced` settles when it
    says, whatever the organisation's pace is; about what is `is_silent` nobody answers before.
    """

    org_id: UUID
    part: Part
    key: UUID
    ordered: Mapping[str, Any]
    reply: Mapping[str, Any]
    accepted_at: datetime
    settles_at: datetime
    ending: Ending = Ending.DONE
    reason: str | None = None
    is_paced: bool = True
    is_silent: bool = False

    @property
    def expected_at(self) -> datetime:
        """When it seems worth while to ask about it."""
        asked_at = self.accepted_at + _ASKED_AFTER
        return min(asked_at, self.settles_at) if self.is_silent else self.settles_at

    def is_final(self, at: datetime) -> bool:
        """Whether its outcome may be told at `at`."""
        return self.settles_at <= at

    def check_told(self, at: datetime) -> None:
        """Raise `Unavailable` while nobody answers questions about it.

        Whoever gives it again before it is expected is answered as the first time.
        """
        if self.is_silent and self.expected_at <= at < self.settles_at:
            raise Unavailable("no answer, as the sandbox was asked")
