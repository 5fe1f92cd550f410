"""Commands on house accounts. `cli` puts them under `landbridge house`."""

from dataclasses import dataclass
from uuid import UUID

import click

from landbridge.db.pool import Database
from landbridge.desk import AtDesk, Desk, data_dir_option, org_option
from landbridge.ledger import house
from landbridge.orgs.service import Orgs


@dataclass(frozen=True, slots=True)
class HouseVerbs:
    """What the commands need."""

    database: Database
    orgs: Orgs


def house_accounts(at_desk: AtDesk[HouseVerbs]) -> click.Group:
    """The group of commands."""

    @click.group("house")
    def group() -> None:
        """The roll-ups of house accounts."""

    @group.command()
    @click.option("--all", "is_all", is_flag=True, help="All organisations.")
    @org_option
    @data_dir_option
    def rebuild(*, is_all: bool, org: UUID | None, data_dir: str | None) -> None:
        """Sum house accounts again from all entries, also while servers run."""
        if is_all and org is not None:
            raise click.UsageError("--all and --org exclude each other.")

        async def run(desk: Desk[HouseVerbs]) -> list[str]:
            org_ids = [desk.org_id]
            if is_all:
                org_ids = [each.id for each in await desk.verbs.orgs.all()]
            lines: list[str] = []
            for org_id in org_ids:
                lines += await _rebuild(desk.verbs.database, org_id)
            return lines

        click.echo("\n".join(at_desk(data_dir, org, run, writes=False)))

    return group


async def _rebuild(database: Database, org_id: UUID) -> list[str]:
    differences = await house.rebuild(database, org_id)
    lines = [f"Organisation {org_id}: rebuilt, {len(differences)} sums were wrong."]
    lines += [
        f"    {each.role} {each.asset}: {each.rolled} units rolled up, entries sum to {each.summed}"
        for each in differences
    ]
    return lines
