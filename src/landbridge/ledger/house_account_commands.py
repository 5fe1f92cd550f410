"""CLI commands on house accounts, under `landbridge house`."""

from dataclasses import dataclass
from uuid import UUID

import click

from landbridge.ledger import house_accounts as house
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    target_options,
)
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.service import Orgs


@dataclass(frozen=True, slots=True)
class HouseAccountServices:
    """Services of the commands."""

    database: Database
    orgs: Orgs


def house_accounts(run_command: CommandRunner[HouseAccountServices]) -> click.Group:
    """Build the command group."""

    @click.group("house")
    def group() -> None:
        """Manage roll-ups of house accounts."""

    @group.command()
    @click.option("--all", "is_all", is_flag=True, help="All organisations.")
    @target_options
    def rebuild(target: CommandTarget, *, is_all: bool) -> None:
        """Recompute the roll-ups of house accounts from all entries; safe while servers run."""
        if is_all and target.org is not None:
            raise click.UsageError("--all and --org exclude each other.")

        async def run(context: CommandContext[HouseAccountServices]) -> list[str]:
            org_ids = [context.org_id]
            if is_all:
                org_ids = [each.id for each in await context.verbs.orgs.all()]
            lines: list[str] = []
            for org_id in org_ids:
                lines += await _rebuild(context.verbs.database, org_id)
            return lines

        click.echo("\n".join(run_command(target, run, writes=False)))

    return group


async def _rebuild(database: Database, org_id: UUID) -> list[str]:
    differences = await house.rebuild(database, org_id)
    lines = [f"Organisation {org_id}: rebuilt, {len(differences)} sums were wrong."]
    lines += [
        f"    {each.role} {each.asset}: {each.rolled} units rolled up, entries sum to {each.summed}"
        for each in differences
    ]
    return lines
