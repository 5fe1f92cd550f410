"""Checks of the contract suite, their results, and the adapter under test."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from landbridge.platform.core.errors import Unclear, Upstream
from landbridge.providers.sidecar.model import AnswerUnusable, OrderProblem
from landbridge.providers.sidecar.protocol import RequestedOutcome
from landbridge.providers.sidecar.suite.sidecar_adapter import SidecarUnderTest


class CheckFailed(Exception):
    """A check has found a fault; the message is a sentence about the adapter."""


class CheckOutcome(StrEnum):
    """Result of a check."""

    PASSED = "passed"
    FAILED = "FAILED"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class ContractCheck:
    """Check with the test outcomes that it needs; without one of them it is skipped."""

    name: str
    needs: frozenset[RequestedOutcome]
    run: Callable[[SidecarUnderTest], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ContractResult:
    """Result of a check; `sentence` says what is wrong, or why the check was skipped."""

    name: str
    outcome: CheckOutcome
    sentence: str | None = None


async def call_and_disconnect(call: Awaitable[object]) -> None:
    """Await a call that must not be answered in time; raises `CheckFailed` if it is answered."""
    try:
        await call
    except AnswerUnusable:
        raise
    except Unclear:
        return
    raise CheckFailed("the first call was answered")


async def run_check(name: str, check: Callable[[], Awaitable[str | None]]) -> ContractResult:
    """Run a check; `check` returns why it was skipped, None if it was not."""
    try:
        skipped = await check()
    except CheckFailed as failed:
        return ContractResult(name, CheckOutcome.FAILED, str(failed))
    except Upstream as error:
        return ContractResult(name, CheckOutcome.FAILED, f"unexpected: {error}")
    return ContractResult(
        name, CheckOutcome.PASSED if skipped is None else CheckOutcome.SKIPPED, skipped
    )


async def check_conflict(call: Awaitable[object], fault: str) -> None:
    """Raise `CheckFailed` with the sentence `fault` unless a call is refused for its key."""
    try:
        await call
    except AnswerUnusable as error:
        if error.problem is not OrderProblem.KEY_CONFLICT:
            raise
    else:
        raise CheckFailed(fault)


def explain_skip(outcome: StrEnum) -> str:
    """Return why a check is skipped: the sidecar does not list its test outcome."""
    return f"the sidecar does not list the test outcome {outcome}"
