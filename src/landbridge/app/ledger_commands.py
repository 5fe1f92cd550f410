"""Commands on the database and the ledger: migrate, check, correct, reseal, stuck."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from uuid import UUID

import click

from landbridge.app.cli_runtime import chosen_org, open_dsn, read_settings, run_in_container
from landbridge.app.container import Container
from landbridge.app.container.registry import ASSETS, AUDIT_RULES, TRANSITIONS
from landbridge.ledger.audit import LedgerAudit, audit, table
from landbridge.ledger.corrections import correct as write_correction
from landbridge.payments.engine.timelines import StuckTransfer
from landbridge.platform.cli_context import data_dir_option, org_option
from landbridge.platform.db.migrate import MigrationRejected, pending
from landbridge.platform.db.migrate import migrate as apply_migrations
from landbridge.platform.db.pool import Database
from landbridge.platform.db.replica import await_replay
from landbridge.platform.encryption.service import ResealResult

# At most this many are listed; the metric counts all of them.
_STUCK_MAX = 1000
# A copy that is later than this is not audited: it would prove books of the past.
_REPLICA_PATIENCE_S = 60.0
# Numbers of changes are four-byte integers.
_SEQ = click.IntRange(1, 2**31 - 1)


@click.command()
@data_dir_option
def migrate(data_dir: str | None) -> None:
    """Migrate the database to this version."""
    chosen = read_settings(data_dir=data_dir)

    async def run(dsn: str) -> list[str]:
        database = await Database.connect(dsn, name="migrate", size_max=1, is_patient=True)
        try:
            return [f"{each.number:04} {each.name}" for each in await apply_migrations(database)]
        finally:
            await database.close()

    with open_dsn(chosen, may_make=True) as dsn:
        applied = asyncio.run(run(dsn))
    click.echo("\n".join(applied) if applied else "Nothing to do.")


@click.command()
@click.option("--replica", is_flag=True, help="Audit the copy at LANDBRIDGE_READ_DATABASE_URL.")
@data_dir_option
def check(data_dir: str | None, *, replica: bool) -> None:
    """Audit the ledger, also while a server runs; exits 1 and lists the rows that are wrong."""
    chosen = read_settings(data_dir=data_dir)
    if replica and chosen.read_database_url is None:
        raise click.UsageError("--replica needs LANDBRIDGE_READ_DATABASE_URL.")

    async def run(dsn: str) -> LedgerAudit:
        async with AsyncExitStack() as stack:

            async def connect(to: str) -> Database:
                database = await Database.connect(to, name="check", size_max=1, is_patient=True)
                stack.push_async_callback(database.close)
                return database

            database = await connect(dsn)
            if await pending(database):
                raise MigrationRejected(
                    "The database lacks tables. Run `landbridge migrate` first."
                )
            if replica and chosen.read_database_url is not None:
                copy = await connect(chosen.read_database_url)
                await await_replay(database, copy, patience_s=_REPLICA_PATIENCE_S)
                database = copy
            return await audit(database, TRANSITIONS, AUDIT_RULES)

    with open_dsn(chosen) as dsn:
        audited = asyncio.run(run(dsn))
    click.echo(table(audited))
    sys.exit(0 if audited.is_clean else 1)


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
