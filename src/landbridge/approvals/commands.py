"""Commands on approvals. `cli` puts them under `landbridge approvals`."""

from dataclasses import replace
from uuid import UUID

import click

from landbridge.approvals.model import THRESHOLD_MAX, Policy
from landbridge.approvals.service import Approvals
from landbridge.desk import AtDesk, Desk, data_dir_option, org_option


def approvals(at_desk: AtDesk[Approvals]) -> click.Group:
    """The group of commands."""

    @click.group("approvals")
    def group() -> None:
        """Payments that wait for an admin."""

    @group.command()
    @click.option(
        "--threshold",
        type=click.IntRange(1, THRESHOLD_MAX),
        help="How many have to vote for a payment.",
    )
    @click.option(
        "--second-approver/--no-second-approver",
        "needs_second",
        default=None,
        help="Whether a key may not decide on what it asked for itself; members never may.",
    )
    @org_option
    @data_dir_option
    def policy(
        *,
        threshold: int | None,
        needs_second: bool | None,
        org: UUID | None,
        data_dir: str | None,
    ) -> None:
        """Show the policy, or change it for what is asked for from now on."""

        async def run(desk: Desk[Approvals]) -> Policy:
            before = await desk.verbs.policy(desk.org_id)
            wanted = replace(
                before,
                threshold=before.threshold if threshold is None else threshold,
                needs_second=before.needs_second if needs_second is None else needs_second,
            )
            if wanted != before:
                await desk.verbs.set_policy(desk.org_id, wanted, actor="cli", at=desk.stamp())
            return wanted

        changes = threshold is not None or needs_second is not None
        click.echo(_sentence(at_desk(data_dir, org, run, writes=changes)))

    return group


def _sentence(policy: Policy) -> str:
    votes = "1 vote approves" if policy.threshold == 1 else f"{policy.threshold} votes approve"
    second = "may not" if policy.needs_second else "may"
    return f"{votes} a payment; a key {second} decide on what it asked for itself."
