"""The `landbridge` command. Parses, calls one thing, prints; decides nothing."""

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import click
import uvloop

from landbridge import __version__
from landbridge.approvals.commands import approvals
from landbridge.backups.commands import add_backups
from landbridge.bank_files.answer_commands import Verbs as AnswerVerbs
from landbridge.bank_files.answer_commands import add_answers
from landbridge.bank_files.commands import Verbs as BankVerbs
from landbridge.bank_files.commands import bank_files
from landbridge.console import (
    at_desk,
    chosen_org,
    database_url,
    in_house,
    open_dsn,
    read_settings,
    say,
)
from landbridge.core.errors import LandbridgeError, Refused
from landbridge.db.migrate import MigrationRefused, SchemaNewer, pending
from landbridge.db.migrate import migrate as apply_migrations
from landbridge.db.pool import Database
from landbridge.desk import data_dir_option, org_option
from landbridge.ledger.audit import Audit, audit, table
from landbridge.ledger.corrections import correct
from landbridge.ledger.house_commands import HouseVerbs, house_accounts
from landbridge.limits.commands import Verbs as LimitVerbs
from landbridge.limits.commands import limits
from landbridge.members.commands import members
from landbridge.org_commands import fees, keys, orgs, prices
from landbridge.payments.timelines import Stuck
from landbridge.privacy.service import Resealed
from landbridge.rates.commands import rates
from landbridge.rates.market import Market
from landbridge.rates.reference import ReferenceRates
from landbridge.reporting.commands import Verbs as ReportVerbs
from landbridge.reporting.commands import reports
from landbridge.screening.commands import sanctions
from landbridge.screening.service import Screening
from landbridge.seeding.commands import seeding
from landbridge.stories.commands import add_stories
from landbridge.verification.rescreening import Rescreened
from landbridge.wiring import ASSETS, AUDIT_RULES, MOVES, House

T = TypeVar("T")

_PORT = click.IntRange(1, 65535)
# So many are listed; more are told of by their number in the metric.
_STUCK_MAX = 1000
# What a change is numbered with: an integer of four bytes.
_SEQ = click.IntRange(1, 2**31 - 1)


def main() -> None:
    """Run the command; a failure we know is one sentence and exit code 1, a newer schema 3."""
    try:
        commands()
    except SchemaNewer as error:
        click.echo(f"landbridge: {error}", err=True)
        sys.exit(error.exit_code)
    except Refused as error:
        sys.exit(f"landbridge: {error.message}")
    except LandbridgeError as error:
        sys.exit(f"landbridge: {error}")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def commands() -> None:
    """Landbridge: a self-hosted stablecoin payments platform."""


@commands.command()
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=_PORT, help="Port to listen on (default: 8080).")
@data_dir_option
def serve(host: str | None, port: int | None, data_dir: str | None) -> None:
    """Serve API, worker and, unless LANDBRIDGE_DATABASE_URL is set, the database."""
    from landbridge.serve import serve as run  # noqa: PLC0415  other commands start faster without

    run(read_settings(host=host, port=port, data_dir=data_dir), say)


@commands.command()
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=_PORT, help="Port to listen on (default: 8080).")
@click.option("--fd", type=int, hidden=True)
@click.option("--parent", type=int, hidden=True)
def api(host: str | None, port: int | None, fd: int | None, parent: int | None) -> None:
    """Serve the API alone, on LANDBRIDGE_DATABASE_URL; run as many as you like."""
    from landbridge import processes  # noqa: PLC0415  as above

    chosen = read_settings(host=host, port=port)
    processes.set_up_logs(chosen)
    sock = processes.listen(chosen) if fd is None else socket.socket(fileno=fd)
    uvloop.run(processes.run_api(chosen, database_url(chosen), sock, parent=parent))


@commands.command()
@click.option("--parent", type=int, hidden=True)
def worker(parent: int | None) -> None:
    """Run the worker alone, on LANDBRIDGE_DATABASE_URL; run as many as you like."""
    from landbridge import processes  # noqa: PLC0415  as above

    chosen = read_settings()
    processes.set_up_logs(chosen)
    uvloop.run(processes.run_worker(chosen, database_url(chosen), parent=parent))


@commands.command()
@data_dir_option
def migrate(data_dir: str | None) -> None:
    """Bring the database up to this version."""
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


@commands.command()
@data_dir_option
def check(data_dir: str | None) -> None:
    """Prove the books, also while a server runs; exits 1 and names the rows if they are wrong."""
    chosen = read_settings(data_dir=data_dir)

    async def run(dsn: str) -> Audit:
        database = await Database.connect(dsn, name="check", size_max=1, is_patient=True)
        try:
            if await pending(database):
                raise MigrationRefused("The database lacks tables. Run `landbridge migrate` first.")
            return await audit(database, MOVES, AUDIT_RULES)
        finally:
            await database.close()

    with open_dsn(chosen) as dsn:
        audited = asyncio.run(run(dsn))
    click.echo(table(audited))
    sys.exit(0 if audited.is_clean else 1)


@commands.command("correct")
@click.argument("transfer_id", type=click.UUID)
@click.argument("seqs", metavar="SEQ...", type=_SEQ, nargs=-1, required=True)
@click.option("--reason", required=True, help="Why; kept with the correction.")
@org_option
@data_dir_option
def correct_journal(
    *,
    transfer_id: UUID,
    seqs: tuple[int, ...],
    reason: str,
    org: UUID | None,
    data_dir: str | None,
) -> None:
    """Reverse what these changes of a record at an end posted, by one new journal; once."""

    async def run(house: House) -> UUID:
        org_id = await chosen_org(house, org)
        corrected = await correct(
            house.database,
            house.ledger,
            ASSETS,
            MOVES,
            org_id=org_id,
            transfer_id=transfer_id,
            seqs=seqs,
            reason=reason,
            actor="cli",
            at=house.clock.stamp(await house.orgs.clock_offset(org_id)),
        )
        return corrected.transfer.id

    click.echo(f"Corrected by {in_house(data_dir, run)}.")


@commands.command()
@data_dir_option
def reseal(data_dir: str | None) -> None:
    """Seal all data keys with the first master key, also while servers run; exits 1 if not all."""

    async def run(house: House) -> Resealed:
        org_ids = [each.id for each in await house.orgs.all()]
        return await house.vault.reseal(house.database, org_ids)

    resealed = in_house(data_dir, run)
    click.echo(str(resealed))
    sys.exit(1 if resealed.still_needed else 0)


@commands.command()
@click.option("--data-dir", default=".landbridge-demo", help="A directory of the demo's own.")
def demo(data_dir: str) -> None:
    """Play a whole story on a fresh sandbox, and print the books at its end."""
    from landbridge.demo import demo as play  # noqa: PLC0415  as above

    sys.exit(0 if play(Path(data_dir), say) else 1)


@commands.command()
@org_option
@data_dir_option
def stuck(org: UUID | None, data_dir: str | None) -> None:
    """List what waits for longer than it should, the longest first; exits 1 if anything does."""

    async def run(house: House) -> Sequence[Stuck]:
        offsets = await house.orgs.clock_offsets()
        told = offsets if org is None else {org: offsets[await chosen_org(house, org)]}
        return await house.timelines.stuck(told, limit=_STUCK_MAX)

    found = in_house(data_dir, run, writes=False)
    for each in found:
        click.echo(each.sentence)
    if found:
        sys.exit(1)
    click.echo("Nothing is stuck.")


for group in (orgs, keys, prices, fees):
    commands.add_command(group)
add_backups(commands)
add_stories(commands, say)
commands.add_command(seeding(in_house))


commands.add_command(members(at_desk(lambda house: house.members)))
commands.add_command(approvals(at_desk(lambda house: house.approvals)))
commands.add_command(
    limits(at_desk(lambda house: LimitVerbs(house.limits, house.rehearsing, house.limit_upkeep)))
)
commands.add_command(
    reports(at_desk(lambda house: ReportVerbs(house.rollups, house.folding, house.time_zones)))
)
commands.add_command(house_accounts(at_desk(lambda house: HouseVerbs(house.database, house.orgs))))
_bank_files = bank_files(at_desk(lambda house: BankVerbs(house.own_accounts, house.bank_writer)))
add_answers(_bank_files, at_desk(lambda house: AnswerVerbs(house.bank_reading, house.sandbox_bank)))
commands.add_command(_bank_files)


def _with_rates(
    data_dir: str | None,
    run: Callable[[ReferenceRates, Market | None], Awaitable[T]],
    *,
    writes: bool,
) -> T:
    return in_house(data_dir, lambda house: run(house.reference_rates, house.market), writes=writes)


commands.add_command(rates(_with_rates))


def _with_screening(data_dir: str | None, run: Callable[[Screening], Awaitable[T]]) -> T:
    return in_house(data_dir, lambda house: run(house.screening))


_sanctions = sanctions(_with_screening)
commands.add_command(_sanctions)


@_sanctions.command()
@data_dir_option
def rescreen(data_dir: str | None) -> None:
    """Compare approved users with the lists again; who is like a new entry waits for a review."""

    async def run(house: House) -> Rescreened:
        return await house.rescreening.run(await house.orgs.clock_offsets())

    click.echo(str(in_house(data_dir, run)))
