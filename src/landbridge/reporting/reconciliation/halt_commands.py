"""Commands on halts, in the group `landbridge reconcile`."""

from collections.abc import Sequence
from uuid import UUID

import click

from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    data_dir_option,
    org_option,
    print_lines,
)
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import LIMIT_MAX, PageWindow
from landbridge.providers.chains.tokens import ASSETS
from landbridge.reporting.reconciliation.four_eyes import named_person
from landbridge.reporting.reconciliation.halt_model import IN_FORCE, Halt, HaltStatus
from landbridge.reporting.reconciliation.model import ReconPerson
from landbridge.reporting.reconciliation.service import LedgerReconciliation

_by_option = click.option("--by", required=True, help="E-mail of the admin who decides.")


def add_halt_commands(group: click.Group, run_command: CommandRunner[LedgerReconciliation]) -> None:
    """Add the commands to the group."""

    @group.command()
    @click.option("--all", "is_all", is_flag=True, help="Those that are over, too.")
    @org_option
    @data_dir_option
    def halts(*, is_all: bool, org: UUID | None, data_dir: str | None) -> None:
        """Print the latest halts of payments; exits 1 if one is in force."""

        async def run(context: CommandContext[LedgerReconciliation]) -> Sequence[Halt]:
            statuses = list(HaltStatus) if is_all else list(IN_FORCE)
            window = PageWindow(limit=LIMIT_MAX, after=None, before=None)
            return await context.verbs.halts.page(context.org_id, statuses, window)

        found = run_command(data_dir, org, run, writes=False)
        print_lines([_halt_line(each) for each in found], "No halts.")
        if any(each.status in IN_FORCE for each in found):
            raise SystemExit(1)

    @group.command()
    @click.argument("halt_id", type=click.UUID)
    @click.option("--reason", required=True, help="Why payments may go on; kept in the change log.")
    @_by_option
    @org_option
    @data_dir_option
    def lift(
        *, halt_id: UUID, reason: str, by: str, org: UUID | None, data_dir: str | None
    ) -> None:
        """Propose to lift a halt, which a second person accepts then."""

        async def run(context: CommandContext[LedgerReconciliation]) -> Halt:
            person = await _person(context, by)
            return await context.verbs.halt_decisions.lift(person, halt_id, reason)

        click.echo(_halt_line(run_command(data_dir, org, run, writes=True)))

    @group.command("accept-lift")
    @click.argument("halt_id", type=click.UUID)
    @_by_option
    @org_option
    @data_dir_option
    def accept_lift(*, halt_id: UUID, by: str, org: UUID | None, data_dir: str | None) -> None:
        """Lift a halt that another person has proposed to lift."""

        async def run(context: CommandContext[LedgerReconciliation]) -> Halt:
            person = await _person(context, by)
            return await context.verbs.halt_decisions.accept(person, halt_id)

        click.echo(_halt_line(run_command(data_dir, org, run, writes=True)))


async def _person(context: CommandContext[LedgerReconciliation], email: str) -> ReconPerson:
    return await named_person(context.verbs.team, context.org_id, email, context.clock_offset)


def _halt_line(halt: Halt) -> str:
    missing = ""
    if halt.asset:
        asset = ASSETS[halt.asset]
        missing = f", {Money(halt.units, asset)} {asset.currency} missing"
    what = halt.asset or f"all of {halt.source}"
    return (
        f"{halt.status} {what}: {halt.cause}{missing}, since "
        f"{halt.halted_at:%Y-%m-%d %H:%M} UTC ({halt.id})"
    )
