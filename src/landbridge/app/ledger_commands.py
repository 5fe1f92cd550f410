"""Commands on the database and the ledger: migrate, check, correct, reseal, stuck."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import UUID

import click

from landbridge.app.audit_run import AuditRun, run_audit
from landbridge.app.cli_runtime import (
    chosen_org,
    open_dsn,
    patient,
    read_settings,
    run_in_container,
)
from landbridge.app.container import Container
from landbridge.app.container.registry import ASSETS, TRANSITIONS
from landbridge.ledger.audit import table
from landbridge.ledger.corrections import correct as write_correction
from landbridge.ledger.functions import NODE_FUNCTIONS
from landbridge.payments.engine.timelines import StuckTransfer
from landbridge.platform.cli_context import data_dir_option, org_option
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
@org_option
@data_dir_option
def correct(
    *,
    transfer_id: UUID,
    seqs: tuple[int, ...],
    reason: str,
    org: UUID | None,
    data_dir: str | None,
) -> None:
    """Reverse the postings of these changes of a terminal record, by one new journal; once."""

    async def run(container: Container) -> UUID:
        org_id = await chosen_org(container, org)
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

    click.echo(f"Corrected by {run_in_container(data_dir, run)}.")


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
@org_option
@data_dir_option
def stuck(org: UUID | None, data_dir: str | None) -> None:
    """List payments and deposits that are overdue, the longest first; exits 1 if there are any."""

    async def run(container: Container) -> Sequence[StuckTransfer]:
        offsets = await container.orgs.clock_offsets()
        clock_offsets = offsets if org is None else {org: offsets[await chosen_org(container, org)]}
        return await container.timelines.stuck(clock_offsets, limit=_STUCK_MAX)

    found = run_in_container(data_dir, run, writes=False)
    for each in found:
        click.echo(each.sentence)
    if found:
        sys.exit(1)
    click.echo("Nothing is stuck.")
