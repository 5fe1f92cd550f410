"""Commands on approvals. `cli` puts them under `landbridge approvals`."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

import click

from landbridge.approvals.model import THRESHOLD_MAX, Policy
from landbridge.approvals.service import Approvals

T = TypeVar("T")

_data_dir = click.option("--data-dir", help="Where everything is kept (default: .landbridge).")
_org = click.option("--org", type=click.UUID, help="The organisation's id.")


class InHouse(Protocol):
    """Runs one verb against the database, for an organisation and with its clock."""

    def __call__(
        self,
        data_dir: str | None,
        org: UUID | None,
        run: Callable[[Approvals, UUID, Callable[[], datetime]], Awaitable[T]],
        *,
        writes: bool,
    ) -> T:
        """Answer what `run` answers."""
        ...


def approvals(in_house: InHouse) -> click.Group:
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
    @_org
    @_data_dir
    def policy(
        *,
        threshold: int | None,
        needs_second: bool | None,
        org: UUID | None,
        data_dir: str | None,
    ) -> None:
        """Show the policy, or change it for what is asked for from now on."""

        async def run(service: Approvals, org_id: UUID, stamp: Callable[[], datetime]) -> Policy:
            before = await service.policy(org_id)
            wanted = replace(
                before,
                threshold=before.threshold if threshold is None else threshold,
                needs_second=before.needs_second if needs_second is None else needs_second,
            )
            if wanted != before:
                await service.set_policy(org_id, wanted, actor="cli", at=stamp())
            return wanted

        changes = threshold is not None or needs_second is not None
        click.echo(_sentence(in_house(data_dir, org, run, writes=changes)))

    return group


def _sentence(policy: Policy) -> str:
    votes = "1 vote approves" if policy.threshold == 1 else f"{policy.threshold} votes approve"
    second = "may not" if policy.needs_second else "may"
    return f"{votes} a payment; a key {second} decide on what it asked for itself."
