"""Commands on limits. `cli` puts them under `landbridge limits`."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import click

from landbridge.desk import AtDesk, Desk, data_dir_option, org_option
from landbridge.limits.document import Document, checked, parse, shown
from landbridge.limits.judging import dollars
from landbridge.limits.model import Over
from landbridge.limits.rehearsing import DAYS_MAX, Played, Rehearsing, Report
from landbridge.limits.service import KNOWN_S, Limits
from landbridge.limits.upkeep import Upkeep

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DONE = {Over.REFUSE: "refused", Over.APPROVE: "sent to approval"}


@dataclass(frozen=True, slots=True)
class Verbs:
    """What the commands need."""

    limits: Limits
    rehearsing: Rehearsing
    upkeep: Upkeep


def limits(at_desk: AtDesk[Verbs]) -> click.Group:
    """The group of commands."""

    @click.group("limits")
    def group() -> None:
        """What users may pay, and where to."""

    @group.command("set")
    @click.argument("file", type=_FILE)
    @org_option
    @data_dir_option
    def set_(file: Path, *, org: UUID | None, data_dir: str | None) -> None:
        """Let the rules in FILE (JSON) hold from now on, instead of those before."""
        document = parse(file.read_bytes())

        is_new = at_desk(data_dir, org, lambda desk: _set(desk, document), writes=True)
        click.echo("These rules hold now." if is_new else "These rules hold already.")

    @group.command()
    @org_option
    @data_dir_option
    def show(*, org: UUID | None, data_dir: str | None) -> None:
        """Print the rules that hold, as JSON."""

        async def run(desk: Desk[Verbs]) -> str:
            return shown((await desk.verbs.limits.rules(desk.org_id)).rules)

        click.echo(at_desk(data_dir, org, run, writes=False))

    @group.command()
    @click.argument("file", type=_FILE)
    @click.option(
        "--days",
        type=click.IntRange(1, DAYS_MAX),
        default=30,
        help="How many days to look back, 30 if left out.",
    )
    @org_option
    @data_dir_option
    def rehearse(file: Path, *, days: int, org: UUID | None, data_dir: str | None) -> None:
        """Say what the rules in FILE would have done to the payments of the last days."""
        document = parse(file.read_bytes())

        async def run(desk: Desk[Verbs]) -> Report:
            rules = checked(document, desk.verbs.limits.kinds)
            return await desk.verbs.rehearsing.rehearse(
                desk.org_id, rules, days=days, now=desk.now()
            )

        click.echo("\n".join(_told(at_desk(data_dir, org, run, writes=False), days)))

    return group


async def _set(desk: Desk[Verbs], document: Document) -> bool:
    rules = checked(document, desk.verbs.limits.kinds)
    if not await desk.verbs.limits.set_rules(desk.org_id, rules, actor="cli", at=desk.stamp()):
        return False
    # By then every process knows of them; the worker counts what was under way.
    await asyncio.sleep(KNOWN_S)
    await desk.verbs.upkeep.count(desk.org_id)
    return True


def _told(report: Report, days: int) -> list[str]:
    """A rehearsal, for people."""
    return [
        f"{report.payment_count} payments of {dollars(report.usd)} in {days} days.",
        *_lines("These rules", report.asked),
        *_lines("Today's", report.today),
    ]


def _lines(whose: str, played: Played) -> list[str]:
    """What one set of rules would have done, for people."""
    lines = [f"{whose}: {played.refused} refused, {played.sent_to_approval} sent to approval."]
    for met in played.met:
        what = _DONE[met.over]
        lines.append(f"  {met.rule}: {met.payment_count} {what}, {dollars(met.usd)}")
        lines += [f"    {each}" for each in met.record_ids]
    return lines
