"""Commands on reconciliation, under `landbridge reconcile`."""

import sys
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import click

from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    print_lines,
    target_options,
)
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import LIMIT_MAX, PositionWindow
from landbridge.providers.chains.tokens import ASSETS
from landbridge.reporting.reconciliation.close_model import DailyClose
from landbridge.reporting.reconciliation.four_eyes import named_person
from landbridge.reporting.reconciliation.halt_model import IN_FORCE, Halt, HaltStatus
from landbridge.reporting.reconciliation.model import (
    ComparedPosition,
    Difference,
    ReconPerson,
    ReconSource,
)
from landbridge.reporting.reconciliation.service import LedgerReconciliation, ReconStatus
from landbridge.reporting.reconciliation.sources import COMPARED_ASSETS, ReconSourceName

_by_option = click.option("--by", required=True, help="E-mail of the admin who decides.")


def reconcile(run_command: CommandRunner[LedgerReconciliation]) -> click.Group:
    """Return the group of commands."""

    @click.group("reconcile")
    def group() -> None:
        """Compare the ledger with what chains and banks hold."""

    @group.command("run")
    @target_options
    def run_now(target: CommandTarget) -> None:
        """Compare now, and print sources, positions and differences; exits 1 if any is open."""
        _print(
            run_command(
                target,
                lambda context: context.verbs.run(context.org_id, context.clock_offset),
                writes=True,
            )
        )

    @group.command()
    @target_options
    def status(target: CommandTarget) -> None:
        """Print the last comparison; exits 1 if a difference is open."""
        _print(
            run_command(target, lambda context: context.verbs.status(context.org_id), writes=False)
        )

    @group.command()
    @click.option("--all", "is_all", is_flag=True, help="Resolved ones, too.")
    @target_options
    def differences(target: CommandTarget, *, is_all: bool) -> None:
        """Print the latest differences, newest first."""
        found = run_command(
            target,
            lambda context: context.verbs.differences(context.org_id, is_resolved_included=is_all),
            writes=False,
        )
        print_lines([_difference_line(each) for each in found], "No differences.")

    _add_decisions(group, run_command)
    _add_closes(group, run_command)
    _add_halts(group, run_command)
    return group


def _add_decisions(group: click.Group, run_command: CommandRunner[LedgerReconciliation]) -> None:
    @group.command()
    @click.argument("difference_id", type=click.UUID)
    @click.option("--reason", required=True, help="Why it is no error; kept in the change log.")
    @click.option("--adjust-ledger", is_flag=True, help="Book it when it is accepted.")
    @_by_option
    @target_options
    def resolve(
        target: CommandTarget, *, difference_id: UUID, reason: str, adjust_ledger: bool, by: str
    ) -> None:
        """Explain an open difference, which a second person accepts then."""

        async def run(context: CommandContext[LedgerReconciliation]) -> Difference:
            person = await _person(context, by)
            return await context.verbs.decisions.resolve(
                person, difference_id, reason, adjusts_ledger=adjust_ledger
            )

        found = run_command(target, run, writes=True)
        click.echo(f"Explained: {_difference_line(found)}")

    @group.command()
    @click.argument("difference_id", type=click.UUID)
    @_by_option
    @target_options
    def accept(target: CommandTarget, *, difference_id: UUID, by: str) -> None:
        """Accept another person's explanation; later runs expect it, or it is booked."""

        async def run(context: CommandContext[LedgerReconciliation]) -> Difference:
            person = await _person(context, by)
            return await context.verbs.decisions.accept(person, difference_id)

        found = run_command(target, run, writes=True)
        click.echo(f"Accepted: {_difference_line(found)}")


def _add_closes(group: click.Group, run_command: CommandRunner[LedgerReconciliation]) -> None:
    @group.command()
    @click.argument("day", type=click.DateTime(["%Y-%m-%d"]))
    @click.option("--reason", help="Why differences above the tolerance are carried.")
    @_by_option
    @target_options
    def close(target: CommandTarget, *, day: datetime, reason: str | None, by: str) -> None:
        """Sign the close of a day that has ended, which a second person confirms then."""

        async def run(context: CommandContext[LedgerReconciliation]) -> DailyClose:
            return await context.verbs.closes.sign(await _person(context, by), day.date(), reason)

        print_lines(close_lines(run_command(target, run, writes=True)), "")

    @group.command()
    @click.argument("close_id", type=click.UUID)
    @click.argument("digest")
    @_by_option
    @target_options
    def confirm(target: CommandTarget, *, close_id: UUID, digest: str, by: str) -> None:
        """Confirm a close that another person has signed; it never changes again."""

        async def run(context: CommandContext[LedgerReconciliation]) -> DailyClose:
            return await context.verbs.closes.confirm(await _person(context, by), close_id, digest)

        print_lines(close_lines(run_command(target, run, writes=True)), "")


def _add_halts(group: click.Group, run_command: CommandRunner[LedgerReconciliation]) -> None:
    @group.command()
    @click.option("--all", "is_all", is_flag=True, help="Those that are over, too.")
    @target_options
    def halts(target: CommandTarget, *, is_all: bool) -> None:
        """Print the latest halts of payments; exits 1 if one is in force."""

        async def run(context: CommandContext[LedgerReconciliation]) -> Sequence[Halt]:
            statuses = list(HaltStatus) if is_all else list(IN_FORCE)
            window = PositionWindow(LIMIT_MAX)
            return await context.verbs.halts.page(context.org_id, statuses, window)

        found = run_command(target, run, writes=False)
        print_lines([_halt_line(each) for each in found], "No halts.")
        if any(each.status in IN_FORCE for each in found):
            raise SystemExit(1)

    @group.command()
    @click.argument("halt_id", type=click.UUID)
    @click.option("--reason", required=True, help="Why payments may go on; kept in the change log.")
    @_by_option
    @target_options
    def lift(target: CommandTarget, *, halt_id: UUID, reason: str, by: str) -> None:
        """Propose to lift a halt, which a second person accepts then."""

        async def run(context: CommandContext[LedgerReconciliation]) -> Halt:
            person = await _person(context, by)
            return await context.verbs.halt_decisions.lift(person, halt_id, reason)

        click.echo(_halt_line(run_command(target, run, writes=True)))

    @group.command("accept-lift")
    @click.argument("halt_id", type=click.UUID)
    @_by_option
    @target_options
    def accept_lift(target: CommandTarget, *, halt_id: UUID, by: str) -> None:
        """Lift a halt that another person has proposed to lift."""

        async def run(context: CommandContext[LedgerReconciliation]) -> Halt:
            person = await _person(context, by)
            return await context.verbs.halt_decisions.accept(person, halt_id)

        click.echo(_halt_line(run_command(target, run, writes=True)))


async def _person(context: CommandContext[LedgerReconciliation], email: str) -> ReconPerson:
    return await named_person(context.verbs.team, context.org_id, email, context.clock_offset)


def _print(status: ReconStatus) -> None:
    print_lines([_source_line(each) for each in status.sources], "Nothing was compared yet.")
    # Omit assets that were never used, which would fill the page.
    used = [(source, each) for source, each in status.positions if not _is_unused(each)]
    for source, each in used:
        click.echo(_position_line(source, each))
    for difference in status.differences:
        click.echo(_difference_line(difference))
    click.echo(f"Open differences: {status.open_count}.")
    sys.exit(1 if status.open_count else 0)


def _source_line(source: ReconSource) -> str:
    failure = "" if source.failure is None else f"; the last run failed: {source.failure}"
    compared = "not compared yet"
    if source.last_good_at is not None:
        head = "statement" if source.source.is_bank else "block"
        compared = f"compared up to {head} {source.block_number} at {_time(source.last_good_at)}"
    return f"{source.source}: {compared}{failure}"


def _position_line(source: ReconSourceName, position: ComparedPosition) -> str:
    asset = COMPARED_ASSETS[position.asset]

    def text(units: int) -> str:
        return str(Money(units, asset))

    return (
        f"{source}: {asset.currency} {text(position.outside_units)} outside, "
        f"{text(position.ledger_units)} by the ledger, "
        f"{text(position.outside_units - position.ledger_units)} difference"
    )


def _difference_line(difference: Difference) -> str:
    units = ""
    if difference.asset:
        asset = COMPARED_ASSETS[difference.asset]
        units = f" {Money(difference.units, asset)} {asset.currency}"
    about = "".join(
        f" {name} {value}"
        for name, value in (("record", difference.record_id), ("in", difference.reference or None))
        if value is not None
    )
    return (
        f"{difference.status} {difference.kind}{units} on {difference.source}{about}, since "
        f"{_time(difference.since)} ({difference.id})"
    )


def _halt_line(halt: Halt) -> str:
    missing = ""
    if halt.asset:
        asset = ASSETS[halt.asset]
        missing = f", {Money(halt.units, asset)} {asset.currency} missing"
    what = halt.asset or f"all of {halt.source}"
    return f"{halt.status} {what}: {halt.cause}{missing}, since {_time(halt.halted_at)} ({halt.id})"


def close_lines(close: DailyClose) -> list[str]:
    """Return the lines that print a close."""
    content = close.content

    def text(asset: str, units: str) -> str:
        return str(Money(int(units), COMPARED_ASSETS[asset]))

    positions = [
        f"{each.source}: {COMPARED_ASSETS[each.asset].currency} "
        f"{text(each.asset, each.outside_units)} outside, "
        f"{text(each.asset, each.ledger_units)} by the ledger"
        for each in content.positions
        if {each.outside_units, each.ledger_units, each.unexplained_units} != {"0"}
    ]
    carried = [
        f"carried: {each.status} {each.kind} on {each.source}, {each.age_days} days old ({each.id})"
        for each in content.carried
    ]
    return [
        f"{close.day}: {close.status}, cut at {_time(content.cut_at)} ({close.id})",
        *positions,
        *carried,
        f"digest: {close.digest.hex()}",
    ]


def _is_unused(position: ComparedPosition) -> bool:
    return not (position.outside_units or position.ledger_units or position.unexplained_units)


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
