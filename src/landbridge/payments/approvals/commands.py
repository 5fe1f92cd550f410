"""Commands on approvals: `landbridge approvals`."""

from dataclasses import replace

import click

from landbridge.payments.approvals.model import THRESHOLD_MAX, ApprovalPolicy
from landbridge.payments.approvals.service import Approvals
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    target_options,
)


def approvals(run_command: CommandRunner[Approvals]) -> click.Group:
    """Return the command group `approvals`."""

    @click.group("approvals")
    def group() -> None:
        """Approvals of payments."""

    @group.command()
    @click.option(
        "--threshold",
        type=click.IntRange(1, THRESHOLD_MAX),
        help="Votes needed to approve a payment.",
    )
    @click.option(
        "--second-approver/--no-second-approver",
        "needs_second",
        default=None,
        help="Forbid a key to decide on its own requests; members never may.",
    )
    @target_options
    def policy(target: CommandTarget, *, threshold: int | None, needs_second: bool | None) -> None:
        """Show the policy, or change it for future approval requests."""

        async def run(context: CommandContext[Approvals]) -> ApprovalPolicy:
            before = await context.verbs.policy(context.org_id)
            new_policy = replace(
                before,
                threshold=before.threshold if threshold is None else threshold,
                needs_second=before.needs_second if needs_second is None else needs_second,
            )
            if new_policy != before:
                await context.verbs.set_policy(
                    context.org_id, new_policy, actor="cli", at=context.stamp()
                )
            return new_policy

        changes = threshold is not None or needs_second is not None
        click.echo(_sentence(run_command(target, run, writes=changes)))

    return group


def _sentence(policy: ApprovalPolicy) -> str:
    votes = "1 vote approves" if policy.threshold == 1 else f"{policy.threshold} votes approve"
    second = "may not" if policy.needs_second else "may"
    return f"{votes} a payment; a key {second} decide on its own requests."
