"""Commands on the database and the ledger: migrate, check, correct, reseal, stuck.

Guarantees:
- The organisations of a large database are audited one by one, each in a snapshot of its own:
  neither memory nor the age of a snapshot grows with their number.
- Several processes audit organisations side by side; the result is that of one.
- With a file of notes, organisations without findings are written down, and left out next time: an
  audit that was stopped goes on. An organisation with findings is audited again.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Final
from uuid import UUID

import click
import msgspec

from landbridge.app.cli_runtime import (
    chosen_org,
    open_dsn,
    patient,
    read_settings,
    run_in_container,
)
from landbridge.app.container import Container
from landbridge.app.container.registry import ASSETS, AUDIT_RULES, TRANSITIONS
from landbridge.ledger.audit import LedgerAudit, audit, merged, organisation_sizes, table
from landbridge.ledger.corrections import correct as write_correction
from landbridge.ledger.functions import NODE_FUNCTIONS
from landbridge.payments.engine.timelines import StuckTransfer
from landbridge.platform.cli_context import CommandTarget, data_dir_option, target_options
from landbridge.platform.core.clock import Clock
from landbridge.platform.db import distribution
from landbridge.platform.db.migrate import MigrationRejected, pending
from landbridge.platform.db.migrate import migrate as apply_migrations
from landbridge.platform.db.replica import await_replay
from landbridge.platform.encryption.service import ResealResult

# At most this many are listed; the metric counts all of them.
_STUCK_MAX = 1000
# A copy that is later than this is not audited: it would prove books of the past.
_REPLICA_PATIENCE_S = 60.0
# Numbers of changes are four-byte integers.
_SEQ = click.IntRange(1, 2**31 - 1)


@click.command()
@click.option("--distribute", is_flag=True, help="Distribute it over the nodes of Citus as well.")
@data_dir_option
def migrate(*, data_dir: str | None, distribute: bool) -> None:
    """Migrate the database to this version."""
    chosen = read_settings(data_dir=data_dir)

    async def run(dsn: str) -> list[str]:
        async with patient(dsn, name="migrate") as database:
            applied = [f"{each.number:04} {each.name}" for each in await apply_migrations(database)]
            if distribute or database.is_distributed:
                tables = await distribution.distribute(database, NODE_FUNCTIONS)
                applied += [f"distributed {each}" for each in tables]
            return applied

    with open_dsn(chosen, may_make=True) as dsn:
        applied = asyncio.run(run(dsn))
    click.echo("\n".join(applied) if applied else "Nothing to do.")


@click.command()
@click.option("--replica", is_flag=True, help="Audit the copy at LANDBRIDGE_READ_DATABASE_URL.")
@click.option("--org", "only", type=click.UUID, help="Audit one organisation (default: all).")
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Processes (default: 1).")
@click.option(
    "--resume",
    "notes",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Note organisations without findings in this file, and skip those that it has.",
)
@data_dir_option
def check(
    *, data_dir: str | None, replica: bool, only: UUID | None, jobs: int, notes: Path | None
) -> None:
    """Audit the ledger, also while a server runs; exits 1 and lists the rows that are wrong."""
    chosen = read_settings(data_dir=data_dir)
    copy = chosen.read_database_url if replica else None
    if replica and copy is None:
        raise click.UsageError("--replica needs LANDBRIDGE_READ_DATABASE_URL.")

    with open_dsn(chosen) as dsn:
        asyncio.run(_check_ready(dsn, copy))
        audited = run_audit(copy or dsn, AuditRun(only, jobs, notes), _print_progress)
    click.echo(table(audited))
    sys.exit(0 if audited.is_clean else 1)


async def _check_ready(dsn: str, copy_dsn: str | None) -> None:
    """Check that the database is migrated, and wait until a copy has what it has."""
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(patient(dsn, name="check"))
        if await pending(database):
            raise MigrationRejected("The database lacks tables. Run `landbridge migrate` first.")
        if copy_dsn is not None:
            copy = await stack.enter_async_context(patient(copy_dsn, name="check"))
            await await_replay(database, copy, patience_s=_REPLICA_PATIENCE_S)


def _print_progress(line: str) -> None:
    click.echo(line, err=True)


@click.command()
@click.argument("transfer_id", type=click.UUID)
@click.argument("seqs", metavar="SEQ...", type=_SEQ, nargs=-1, required=True)
@click.option("--reason", required=True, help="Reason, stored with the correction.")
@target_options
def correct(
    target: CommandTarget, *, transfer_id: UUID, seqs: tuple[int, ...], reason: str
) -> None:
    """Reverse the postings of these changes of a terminal record, by one new journal; once."""

    async def run(container: Container) -> UUID:
        org_id = await chosen_org(container, target.org)
        corrected = await write_correction(
            container.database,
            container.ledger,
            ASSETS,
            TRANSITIONS,
            org_id=org_id,
            transfer_id=transfer_id,
            seqs=seqs,
            reason=reason,
            actor="cli",
            at=container.clock.stamp(await container.orgs.clock_offset(org_id)),
        )
        return corrected.transfer.id

    click.echo(f"Corrected by {run_in_container(target.data_dir, run)}.")


@click.command()
@data_dir_option
def reseal(data_dir: str | None) -> None:
    """Reseal all data keys with the first master key; exits 1 if any remain."""

    async def run(container: Container) -> ResealResult:
        org_ids = [each.id for each in await container.orgs.all()]
        return await container.vault.reseal(container.database, org_ids)

    resealed = run_in_container(data_dir, run)
    click.echo(str(resealed))
    sys.exit(1 if resealed.still_needed else 0)


@click.command()
@target_options
def stuck(target: CommandTarget) -> None:
    """List payments and deposits that are overdue, the longest first; exits 1 if there are any."""

    async def run(container: Container) -> Sequence[StuckTransfer]:
        offsets = await container.orgs.clock_offsets()
        if target.org is not None:
            org_id = await chosen_org(container, target.org)
            offsets = {org_id: offsets[org_id]}
        return await container.timelines.stuck(offsets, limit=_STUCK_MAX)

    found = run_in_container(target.data_dir, run, writes=False)
    for each in found:
        click.echo(each.sentence)
    if found:
        sys.exit(1)
    click.echo("Nothing is stuck.")


# A database with fewer changes is audited at once: thousands of small organisations, one by one,
# take longer (some 40 ms each).
_SMALL_CHANGES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class AuditRun:
    """What is audited, and how: `jobs` processes, and `notes` of what was found clean before."""

    only: UUID | None = None
    jobs: int = 1
    notes: Path | None = None


class AuditNote(msgspec.Struct, frozen=True):
    """Line of the file of notes: an organisation without findings, with its rows by table."""

    at: datetime
    organisation: UUID
    rows: dict[str, int]


def run_audit(dsn: str, run: AuditRun, print_progress: Callable[[str], None]) -> LedgerAudit:
    """Audit a database; `print_progress` is given a line after each organisation.

    Raises `UsageError` for an organisation without rows, and for a file that has no notes.
    """
    sizes, is_distributed = asyncio.run(_sizes(dsn))
    if run.only is not None and run.only not in sizes:
        raise click.UsageError("There is no such organisation, or it has nothing to check.")
    # The statements of an audit need one node only if they have one organisation.
    is_small = sum(sizes.values()) < _SMALL_CHANGES and not is_distributed
    if run == AuditRun() and is_small:
        return _audit(dsn, None)
    org_ids = list(sizes) if run.only is None else [run.only]
    notes = {each.organisation: each for each in _read(run.notes)}
    # Of an organisation that does not exist: it has the names of all checks, and no rows.
    nothing = _audit(dsn, UUID(int=0))
    audits = [nothing, *(_as_audit(nothing, notes[each]) for each in org_ids if each in notes)]
    wrong = 0
    for org_id, audited in _audits(dsn, [each for each in org_ids if each not in notes], run.jobs):
        audits.append(audited)
        wrong += sum(check.wrong for check in audited.checks)
        if run.notes is not None and audited.is_clean:
            _write(run.notes, org_id, audited)
        print_progress(
            f"{len(audits) - 1:,} of {len(org_ids):,} organisations audited, {wrong:,} wrong rows"
        )
    return merged(audits)


def _audits(dsn: str, org_ids: Sequence[UUID], jobs: int) -> Iterator[tuple[UUID, LedgerAudit]]:
    """Yield each organisation with its audit, in the order in which they end."""
    if jobs == 1 or len(org_ids) <= 1:
        for org_id in org_ids:
            yield org_id, _audit(dsn, org_id)
        return
    processes = get_context("forkserver")
    # Imported once: otherwise each process would import it for itself, which takes over a second.
    processes.set_forkserver_preload([__name__])
    with ProcessPoolExecutor(min(jobs, len(org_ids)), mp_context=processes) as pool:
        futures = {pool.submit(_audit, dsn, org_id): org_id for org_id in org_ids}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _audit(dsn: str, org_id: UUID | None) -> LedgerAudit:
    async def run() -> LedgerAudit:
        async with patient(dsn, name="check") as database:
            return await audit(database, TRANSITIONS, AUDIT_RULES, org_id=org_id)

    return asyncio.run(run())


async def _sizes(dsn: str) -> tuple[Mapping[UUID, int], bool]:
    """Return the sizes of all organisations, and whether they are on several nodes."""
    async with patient(dsn, name="check") as database:
        return await organisation_sizes(database, _SMALL_CHANGES), database.is_distributed


def _as_audit(nothing: LedgerAudit, note: AuditNote) -> LedgerAudit:
    """Return the audit that a note was written of."""
    checks = [replace(each, rows=note.rows.get(each.table_name, 0)) for each in nothing.checks]
    return LedgerAudit(checks, [])


def _read(path: Path | None) -> list[AuditNote]:
    if path is None or not path.exists():
        return []
    notes: list[AuditNote] = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            notes.append(msgspec.json.decode(line, type=AuditNote))
        except msgspec.MsgspecError as error:
            raise click.UsageError(f"Line {number} of {path} is no note of a check.") from error
    return notes


def _write(path: Path, org_id: UUID, audited: LedgerAudit) -> None:
    rows = {check.table_name: check.rows for check in audited.checks}
    with path.open("ab") as file:
        file.write(msgspec.json.encode(AuditNote(Clock(0).now(), org_id, rows)) + b"\n")
