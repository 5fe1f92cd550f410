"""What the sandbox's chains and banks keep."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


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
    neither has personal data. Times are the organisation's.
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

    def is_final(self, at: datetime) -> bool:
        """Whether its outcome may be told at `at`."""
        return self.settles_at <= at
