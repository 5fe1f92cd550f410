"""Calls to providers with their failures, counted for all processes."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from prometheus_client import Counter

from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.providers.sidecar.model import AnswerUnusable, NothingDone

CALLS = Counter(
    "landbridge_provider_calls_total",
    "Calls to a provider, by result: ANSWERED, or why there is no valid answer.",
    ["provider", "result"],
)

# How long counts are kept, so that the last answer of a rarely used provider is known.
RETENTION = timedelta(days=90)


class CallFailure(StrEnum):
    """Why a call to a provider has no valid answer."""

    UNREACHABLE = "UNREACHABLE"  # no connection was made
    NO_ANSWER = "NO_ANSWER"  # timeout or broken connection
    ANSWER_INVALID = "ANSWER_INVALID"  # malformed, too long, wrongly signed, or an error
    NOT_NOW = "NOT_NOW"  # the provider answered that it is not able to answer now


@dataclass(frozen=True, slots=True)
class CallCounts:
    """Calls of a period, and the last answer and failure ever counted. Times are real time."""

    calls: int
    failures: int
    answered_at: datetime | None
    failed_at: datetime | None
    failure: CallFailure | None

    @property
    def is_failing(self) -> bool:
        """Return whether the last call has failed."""
        failed_at, answered_at = self.failed_at, self.answered_at
        return failed_at is not None and (answered_at is None or answered_at < failed_at)


# Function that counts a call to the provider with this name; None for no failure.
CallCounter = Callable[[str, CallFailure | None], Awaitable[None]]


@asynccontextmanager
async def counted(provider: str, count: CallCounter) -> AsyncGenerator[None]:
    """Count the call made during the block by its outcome; a refusal counts as an answer."""
    failure: CallFailure | None = None
    try:
        yield
    except (Unavailable, Unclear, Rejected) as error:
        failure = _failure(error)
        raise
    finally:
        CALLS.labels(provider, "ANSWERED" if failure is None else failure.value).inc()
        await count(provider, failure)


def _failure(error: Exception) -> CallFailure | None:
    match error:
        case AnswerUnusable():
            return CallFailure.ANSWER_INVALID
        case Unclear():
            return CallFailure.NO_ANSWER
        case NothingDone(is_unsent=True):
            return CallFailure.UNREACHABLE
        case Unavailable():
            return CallFailure.NOT_NOW
        case _:
            return None
