"""Commands on reports. `cli` puts them under `landbridge reports`."""

import asyncio
import sys
from dataclasses import dataclass
from uuid import UUID

import click

from landbridge.core.errors import ResourceConflict
from landbridge.desk import AtDesk, Desk, data_dir_option, org_option
from landbridge.reporting.rollups.folding import BEHIND_MAX, Folding
from landbridge.reporting.rollups.model import Build
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.rollups.zones import TimeZones

_ACTOR = "cli"
# While a worker folds the same build, it is looked again so often.
_LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Verbs:
    """What the commands need."""

    rollups: Rollups
    folding: Folding
    time_zones: TimeZones


def reports(at_desk: AtDesk[Verbs]) -> click.Group:
    """The group of commands."""

    @click.group("reports")
    def group() -> None:
        """The roll-ups that reports are made of."""

    @group.command()
    @org_option
    @data_dir_option
    def rebuild(*, org: UUID | None, data_dir: str | None) -> None:
        """Make the roll-ups again from the log, also while servers run; goes on if interrupted."""

        async def run(desk: Desk[Verbs]) -> str:
            zones = desk.verbs.time_zones
            build = await zones.rebuild(desk.org_id, offset=desk.clock_offset)
            count = await _make(desk, build)
            return f"Reports read build {build.build} now; {count:,} changes were folded for it."

        click.echo(at_desk(data_dir, org, run, writes=False))

    @group.command()
    @org_option
    @data_dir_option
    def status(*, org: UUID | None, data_dir: str | None) -> None:
        """Say in which time zone there are days, and how far the roll-ups are behind the log."""

        async def run(desk: Desk[Verbs]) -> list[str]:
            return await _told(desk)

        click.echo("\n".join(at_desk(data_dir, org, run, writes=False)))

    @group.command()
    @click.argument("zone")
    @org_option
    @data_dir_option
    def zone(zone: str, *, org: UUID | None, data_dir: str | None) -> None:
        """Have days of ZONE besides UTC's: UTC, or a name such as Europe/Berlin."""

        async def run(desk: Desk[Verbs]) -> None:
            zones = desk.verbs.time_zones
            build = await zones.set(desk.org_id, zone, offset=desk.clock_offset, actor=_ACTOR)
            if not build.is_current:
                await _make(desk, build)

        at_desk(data_dir, org, run, writes=True)
        click.echo(f"Reports can be asked in UTC and in {zone} now.")

    return group


async def _make(desk: Desk[Verbs], build: Build) -> int:
    """Fold a build until reports read it; how many changes were folded here."""
    folding, count = desk.verbs.folding, 0
    begin, end = await folding.reach(desk.org_id)
    at = max(begin, build.folded_to)
    # Counted in transactions: how many changes there are takes a while to find out.
    with click.progressbar(
        length=max(end - begin, 1), label="Folding the log", file=sys.stderr
    ) as bar:
        bar.update(at - begin)
        while not await _is_current(desk, build.build):
            step = await folding.step(desk.org_id, build.build)
            if step is None:
                await asyncio.sleep(_LOOK_S)
            else:
                bar.update(max(step.folded_to - at, 0))
                at, count = max(step.folded_to, at), count + step.count
    while await folding.sweep(desk.org_id):
        pass
    return count


async def _is_current(desk: Desk[Verbs], number: int) -> bool:
    """Whether reports read this build by now.

    Raises `ResourceConflict` if another one was begun meanwhile.
    """
    for each in await desk.verbs.rollups.builds(desk.org_id):
        if each.build == number:
            return each.is_current
    raise ResourceConflict("another build was begun meanwhile; see `landbridge reports status`")


async def _told(desk: Desk[Verbs]) -> list[str]:
    zones = await desk.verbs.time_zones.get(desk.org_id)
    lines = [f"Days: UTC and {zones.current}." if zones.current != "UTC" else "Days: UTC."]
    behind = await desk.verbs.folding.behind([desk.org_id])
    bound = "or more " if behind == BEHIND_MAX else ""
    lines.append(f"Not rolled up yet: {behind:,} {bound}changes; reports count them all the same.")
    begin, end = await desk.verbs.folding.reach(desk.org_id)
    for each in await desk.verbs.rollups.builds(desk.org_id):
        if not each.is_current:
            done = max(each.folded_to - begin, 0) * 100 // max(end - begin, 1)
            lines.append(f"In the making: build {each.build} with days of {each.zone}, {done} %.")
    return lines
