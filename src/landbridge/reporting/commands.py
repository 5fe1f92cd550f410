"""CLI commands on reports, under `landbridge reports`."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import click

from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    target_options,
)
from landbridge.platform.core.errors import LockTimeout, ResourceConflict
from landbridge.reporting.rollups.model import RollupBuild
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.rollups.time_zones import TimeZones
from landbridge.reporting.rollups.updater import BEHIND_MAX, RollupUpdater

T = TypeVar("T")

_ACTOR = "cli"
# Seconds between checks while a worker updates the same build.
_POLL_S = 0.05
# Attempts to get a lock; each ends after the database's lock timeout of ten seconds.
_LOCK_WAITS = 5


@dataclass(frozen=True, slots=True)
class ReportCommandServices:
    """Services that the reporting commands use."""

    rollups: Rollups
    folding: RollupUpdater
    time_zones: TimeZones


def reports(run_command: CommandRunner[ReportCommandServices]) -> click.Group:
    """Return the group of commands."""

    @click.group("reports")
    def group() -> None:
        """Manage the roll-ups behind reports."""

    @group.command()
    @target_options
    def rebuild(target: CommandTarget) -> None:
        """Rebuild the roll-ups from the log, also while servers run; resumes if interrupted."""

        async def run(context: CommandContext[ReportCommandServices]) -> str:
            zones = context.verbs.time_zones
            build = await _patient(
                lambda: zones.rebuild(context.org_id, offset=context.clock_offset)
            )
            count = await _fold_all(context, build)
            return f"Reports read build {build.build} now; {count:,} changes were folded for it."

        click.echo(run_command(target, run, writes=False))

    @group.command()
    @target_options
    def status(target: CommandTarget) -> None:
        """Show the time zone of the roll-ups and how far they are behind the log."""
        click.echo("\n".join(run_command(target, _status_lines, writes=False)))

    @group.command()
    @click.argument("zone")
    @target_options
    def zone(target: CommandTarget, zone: str) -> None:
        """Build days in ZONE besides UTC: UTC, or a name such as Europe/Berlin."""

        async def run(context: CommandContext[ReportCommandServices]) -> None:
            zones = context.verbs.time_zones
            build = await _patient(
                lambda: zones.set(context.org_id, zone, offset=context.clock_offset, actor=_ACTOR)
            )
            if not build.is_current:
                await _fold_all(context, build)

        run_command(target, run, writes=True)
        click.echo(f"Reports are available in UTC and in {zone} now.")

    return group


async def _patient(call: Callable[[], Awaitable[T]]) -> T:
    """Retry a call until the lock is free: a worker's first step in a long log may hold it long."""
    for _ in range(_LOCK_WAITS):
        with suppress(LockTimeout):
            return await call()
    return await call()


async def _fold_all(context: CommandContext[ReportCommandServices], build: RollupBuild) -> int:
    """Update a build until reports read it; return how many changes this process has added."""
    folding, count = context.verbs.folding, 0
    begin, end = await folding.reach(context.org_id)
    at = max(begin, build.rolled_up_to)
    # The bar shows positions in the log, because counting changes is slow.
    with click.progressbar(
        length=max(end - begin, 1), label="Folding the log", file=sys.stderr
    ) as bar:
        bar.update(at - begin)
        while not await _is_current(context, build.build):
            step = await _patient(lambda: folding.step(context.org_id, build.build))
            if step is None:
                await asyncio.sleep(_POLL_S)
            else:
                bar.update(max(step.rolled_up_to - at, 0))
                at, count = max(step.rolled_up_to, at), count + step.count
    while await folding.sweep(context.org_id):
        pass
    return count


async def _is_current(context: CommandContext[ReportCommandServices], number: int) -> bool:
    """Return whether reports read this build.

    Raises `ResourceConflict` if another build was started in the meantime.
    """
    for each in await context.verbs.rollups.builds(context.org_id):
        if each.build == number:
            return each.is_current
    raise ResourceConflict("another build was begun meanwhile; see `landbridge reports status`")


async def _status_lines(context: CommandContext[ReportCommandServices]) -> list[str]:
    zones = await context.verbs.time_zones.get(context.org_id)
    lines = [f"Days: UTC and {zones.current}." if zones.current != "UTC" else "Days: UTC."]
    behind = await context.verbs.folding.behind([context.org_id])
    bound = "or more " if behind == BEHIND_MAX else ""
    lines.append(f"Not rolled up yet: {behind:,} {bound}changes; reports count them all the same.")
    begin, end = await context.verbs.folding.reach(context.org_id)
    for each in await context.verbs.rollups.builds(context.org_id):
        if not each.is_current:
            done = max(each.rolled_up_to - begin, 0) * 100 // max(end - begin, 1)
            lines.append(f"In the making: build {each.build} with days of {each.zone}, {done} %.")
    return lines
