"""CLI commands on the archive, under `landbridge archive`."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    target_options,
)
from landbridge.platform.core.extras import Extra, missing
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.orgs.service import Orgs
from landbridge.reporting.archive.model import (
    ArchivedMonth,
    ArchiveInvalid,
    MonthFolder,
    MonthNotFinished,
    month_name,
    read_month,
)
from landbridge.reporting.archive.service import ArchiveRequest, MonthArchive
from landbridge.reporting.archive.verification import verify_months
from landbridge.reporting.proofs.publication import BooksForked
from landbridge.reporting.proofs.segments import BooksDiffer

_FOLDER = click.Path(file_okay=False, path_type=Path)
_EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class ArchiveCommandServices:
    """Services of the commands."""

    archive: MonthArchive
    orgs: Orgs


def archive(run_command: CommandRunner[ArchiveCommandServices]) -> click.Group:
    """Return the group of commands."""

    @click.group("archive")
    def group() -> None:
        """Write the books of finished months to files, and verify them."""

    group.add_command(_write(run_command))
    group.add_command(verify)
    return group


def _write(run_command: CommandRunner[ArchiveCommandServices]) -> click.Command:
    @click.command()
    @click.argument("folder", type=_FOLDER)
    @click.option("--before", required=True, help="The first month that stays out, as in 2026-10.")
    @click.option("--all", "is_all", is_flag=True, help="All organisations.")
    @click.option("--dry-run", is_flag=True, help="Only name the months that would be written.")
    @target_options
    def write(
        target: CommandTarget, *, folder: Path, before: str, is_all: bool, dry_run: bool
    ) -> None:
        """Write the finished months that FOLDER lacks, each verified; resumes if interrupted."""
        _check_extra()
        if is_all and target.org is not None:
            raise click.UsageError("--all and --org exclude each other.")
        if (until := read_month(before)) is None:
            raise click.UsageError("--before is a month, as in 2026-10.")

        async def run(context: CommandContext[ArchiveCommandServices]) -> bool:
            offsets = {context.org_id: context.clock_offset}
            if is_all:
                offsets = dict(await context.verbs.orgs.clock_offsets())
            is_stopped = False
            for org_id, offset in offsets.items():
                request = ArchiveRequest(org_id, offset, folder, until)
                try:
                    await _write_months(context.verbs.archive, request, is_dry=dry_run)
                except (MonthNotFinished, ArchiveInvalid, BooksForked, BooksDiffer) as error:
                    click.echo(f"{org_id}: {error}", err=True)
                    is_stopped = True
            return is_stopped

        if run_command(target, run, writes=True):
            sys.exit(1)

    return write


@click.command()
@click.argument("folder", type=_EXISTING_FOLDER)
@click.option(
    "--keys", "keys_file", type=_EXISTING, required=True, help="Public keys of the books."
)
def verify(*, folder: Path, keys_file: Path) -> None:
    """Verify all months of FOLDER, without a database; exits 1 at the first that is not whole."""
    _check_extra()
    keys = keys_file.read_text(encoding="utf-8", errors="replace")
    for each in _organisations(folder):
        for found in verify_months(each, keys):
            click.echo(_line(found, "whole"))


async def _write_months(archive: MonthArchive, request: ArchiveRequest, *, is_dry: bool) -> None:
    if is_dry:
        async for month in archive.plan(request):
            click.echo(f"{request.org_id} {month_name(month)}: would be written")
        return
    async for found in archive.write(request):
        click.echo(_line(found, "written and verified"))


def _organisations(folder: Path) -> Iterator[MonthFolder]:
    found = [MonthFolder(each) for each in sorted(folder.iterdir()) if as_uuid(each.name)]
    if not any(each.months() for each in found):
        raise click.UsageError(f"{folder} has no archived months.")
    yield from found


def _line(found: ArchivedMonth, what: str) -> str:
    manifest = found.manifest
    size = sum(each.bytes for each in manifest.files) / 1_000_000
    return (
        f"{manifest.organisation} {manifest.month}: {what}, "
        f"{manifest.size - manifest.first:,} changes, {size:,.1f} MB, manifest {found.digest}"
    )


def _check_extra() -> None:
    if reason := missing(Extra.PARQUET):
        raise click.UsageError(f"The archive {reason}")
