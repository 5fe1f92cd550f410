"""Dry run of a create: builds the draft of the record, and commits nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.wallets.model import Wallet
from landbridge.ledger.model import AdvanceTransfer, CreateTransfer, Posting, Transfer
from landbridge.payments.approvals.model import Approval
from landbridge.payments.limits.model import LimitVerdict


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """Status that a record is expected to reach, and the journal posted with it."""

    status: str
    postings: Sequence[Posting]


# Returns the steps from a record's creation to its final status if all goes well.
PlanSteps = Callable[[Transfer], Sequence[PlannedStep]]
# Actor of planned steps, which are never executed.
NO_ACTOR = ""


class DryRunResult:
    """Result of a create's dry run; `steps` is None until the draft is built, and for a replay."""

    # Not a dataclass, because Litestar would inspect it and does not support its field types.
    __slots__ = ("approval", "steps", "verdict", "wallets")

    def __init__(self) -> None:
        self.steps: Sequence[PlannedStep] | None = None
        # Wallets by account id.
        self.wallets: Mapping[UUID, Wallet] = {}
        self.verdict = LimitVerdict()
        self.approval: Approval | None = None


def journal_steps(step: CreateTransfer | AdvanceTransfer) -> list[PlannedStep]:
    """Return the journals of a command as planned steps, in the order of its path."""
    return [
        PlannedStep(step.path[position], step.journals[position])
        for position in sorted(step.journals)
    ]
