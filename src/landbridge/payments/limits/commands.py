"""Commands on limits: `landbridge limits`."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import click

from landbridge.payments.limits.document import LimitsDocument, displayed, parse, validated
from landbridge.payments.limits.evaluation import dollars
from landbridge.payments.limits.maintenance import LimitMaintenance
from landbridge.payments.limits.model import LimitAction
from landbridge.payments.limits.service import RULES_CACHE_S, Limits
from landbridge.payments.limits.simulation import (
    DAYS_MAX,
    LimitSimulation,
    LimitSimulationReport,
    SimulatedRules,
)
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    target_options,
)

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DONE = {LimitAction.REFUSE: "refused", LimitAction.APPROVE: "sent to approval"}


@dataclass(frozen=True, slots=True)
class LimitCommandServices:
    """Services that the `landbridge limits` commands need."""

    limits: Limits
    limit_simulation: LimitSimulation
    limit_maintenance: LimitMaintenance


def limits(run_command: CommandRunner[LimitCommandServices]) -> click.Group:
    """Return the command group `limits`."""

    @click.group("limits")
    def group() -> None:
        """Limits on users' payments and their destinations."""

    @group.command("set")
    @click.argument("file", type=_FILE)
    @target_options
    def set_(target: CommandTarget, file: Path) -> None:
        """Replace the rules in force by those in FILE (JSON)."""
        document = parse(file.read_bytes())

        is_new = run_command(target, lambda context: _set(context, document), writes=True)
        click.echo(
            "These rules are now in force." if is_new else "These rules are in force already."
        )

    @group.command()
    @target_options
    def show(target: CommandTarget) -> None:
        """Print the rules in force, as JSON."""

        async def run(context: CommandContext[LimitCommandServices]) -> str:
            return displayed((await context.verbs.limits.rules(context.org_id)).rules)

        click.echo(run_command(target, run, writes=False))

    @group.command()
    @click.argument("file", type=_FILE)
    @click.option(
        "--days",
        type=click.IntRange(1, DAYS_MAX),
        default=30,
        help="Days to look back (default 30).",
    )
    @target_options
    def simulate(target: CommandTarget, file: Path, *, days: int) -> None:
        """Simulate the rules in FILE on the payments of the last days."""
        document = parse(file.read_bytes())

        async def run(context: CommandContext[LimitCommandServices]) -> LimitSimulationReport:
            rules = validated(document, context.verbs.limits.kinds)
            return await context.verbs.limit_simulation.simulate(
                context.org_id, rules, days=days, now=context.now()
            )

        click.echo("\n".join(_report_lines(run_command(target, run, writes=False), days)))

    return group


async def _set(context: CommandContext[LimitCommandServices], document: LimitsDocument) -> bool:
    rules = validated(document, context.verbs.limits.kinds)
    if not await context.verbs.limits.set_rules(
        context.org_id, rules, actor="cli", at=context.stamp()
    ):
        return False
    # After this time every process uses the new rules, and the worker counts earlier payments.
    await asyncio.sleep(RULES_CACHE_S)
    await context.verbs.limit_maintenance.count(context.org_id)
    return True


def _report_lines(report: LimitSimulationReport, days: int) -> list[str]:
    """Format a simulation as text."""
    return [
        f"{report.payment_count} payments of {dollars(report.usd)} in {days} days.",
        *_rules_lines("These rules", report.submitted),
        *_rules_lines("Today's", report.today),
    ]


def _rules_lines(owner: str, outcome: SimulatedRules) -> list[str]:
    """Format the outcomes of one set of rules as text."""
    lines = [f"{owner}: {outcome.refused} refused, {outcome.sent_to_approval} sent to approval."]
    for matches in outcome.matches:
        change_type = _DONE[matches.over]
        lines.append(
            f"  {matches.rule}: {matches.payment_count} {change_type}, {dollars(matches.usd)}"
        )
        lines += [f"    {each}" for each in matches.record_ids]
    return lines
