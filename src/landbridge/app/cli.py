"""The `landbridge` command: parses arguments, calls one function, prints the result."""

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
from landbridge.app.backups.commands import add_backups
from landbridge.app.cli_runtime import (
    chosen_org,
    database_url,
    open_dsn,
    print_line,
    read_settings,
    run_command,
    run_in_container,
)
from landbridge.app.container import ASSETS, AUDIT_RULES, TRANSITIONS, Container
from landbridge.app.master_key_commands import master_key
from landbridge.app.org_commands import fees, keys, orgs, prices
from landbridge.app.signer_commands import signer
from landbridge.customers.chain_deposits.commands import chain_deposits
from landbridge.customers.team.commands import members
from landbridge.customers.verification.rescreening import RescreeningResult
from landbridge.ledger.audit import LedgerAudit, audit, table
from landbridge.ledger.corrections import correct
from landbridge.ledger.house_account_commands import HouseAccountServices, house_accounts
from landbridge.payments.approvals.commands import approvals
from landbridge.payments.bank_files.commands import BankFileCommandServices, bank_files
from landbridge.payments.bank_files.inbound_commands import (
    InboundCommandServices,
    add_inbound_commands,
)
from landbridge.payments.engine.timelines import StuckTransfer
from landbridge.payments.limits.commands import LimitCommandServices, limits
from landbridge.payments.offramps.commands import treasury_deposits
from landbridge.platform.cli_context import data_dir_option, org_option
from landbridge.platform.core.errors import LandbridgeError, Refused
from landbridge.platform.db.migrate import MigrationRejected, SchemaNewer, pending
from landbridge.platform.db.migrate import migrate as apply_migrations
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import ResealResult
from landbridge.providers.rates.commands import rates
from landbridge.providers.rates.market import Market
from landbridge.providers.rates.reference import ReferenceRates
from landbridge.providers.screening.commands import sanctions
from landbridge.providers.screening.service import Screening
from landbridge.reporting.commands import ReportCommandServices, reports
from landbridge.sandbox.scenarios.commands import add_scenarios
from landbridge.sandbox.seeding.commands import seeding

T = TypeVar("T")

_PORT = click.IntRange(1, 65535)
# At most this many are listed; the metric counts all of them.
_STUCK_MAX = 1000
# Numbers of changes are four-byte integers.
_SEQ = click.IntRange(1, 2**31 - 1)


def main() -> None:
    """Run the command. A known failure prints one sentence and exits 1, a newer schema exits 3."""
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
    from landbridge.app.serve import serve as run  # noqa: PLC0415  other commands start faster without

    run(read_settings(host=host, port=port, data_dir=data_dir), print_line)


@commands.command()
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=_PORT, help="Port to listen on (default: 8080).")
@click.option("--fd", type=int, hidden=True)
@click.option("--parent", type=int, hidden=True)
def api(host: str | None, port: int | None, fd: int | None, parent: int | None) -> None:
    """Serve only the API, on LANDBRIDGE_DATABASE_URL; several may run at once."""
    from landbridge.app import processes  # noqa: PLC0415  as above

    chosen = read_settings(host=host, port=port)
    processes.set_up_logs(chosen)
    sock = processes.listen(chosen) if fd is None else socket.socket(fileno=fd)
    uvloop.run(processes.run_api(chosen, database_url(chosen), sock, parent=parent))


@commands.command()
@click.option("--parent", type=int, hidden=True)
def worker(parent: int | None) -> None:
    """Run only the worker, on LANDBRIDGE_DATABASE_URL; several may run at once."""
    from landbridge.app import processes  # noqa: PLC0415  as above

    chosen = read_settings()
    processes.set_up_logs(chosen)
    uvloop.run(processes.run_worker(chosen, database_url(chosen), parent=parent))


commands.add_command(signer)
commands.add_command(master_key)


@commands.command()
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


@commands.command()
@data_dir_option
def check(data_dir: str | None) -> None:
    """Audit the ledger, also while a server runs; exits 1 and lists the rows that are wrong."""
    chosen = read_settings(data_dir=data_dir)

    async def run(dsn: str) -> LedgerAudit:
        database = await Database.connect(dsn, name="check", size_max=1, is_patient=True)
        try:
            if await pending(database):
                raise MigrationRejected(
                    "The database lacks tables. Run `landbridge migrate` first."
                )
            return await audit(database, TRANSITIONS, AUDIT_RULES)
        finally:
            await database.close()

    with open_dsn(chosen) as dsn:
        audited = asyncio.run(run(dsn))
    click.echo(table(audited))
    sys.exit(0 if audited.is_clean else 1)


@commands.command("correct")
@click.argument("transfer_id", type=click.UUID)
@click.argument("seqs", metavar="SEQ...", type=_SEQ, nargs=-1, required=True)
@click.option("--reason", required=True, help="Reason, stored with the correction.")
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
    """Reverse the postings of these changes of a terminal record, by one new journal; once."""

    async def run(container: Container) -> UUID:
        org_id = await chosen_org(container, org)
        corrected = await correct(
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


@commands.command()
@data_dir_option
def reseal(data_dir: str | None) -> None:
    """Reseal all data keys with the first master key; exits 1 if any remain."""

    async def run(container: Container) -> ResealResult:
        org_ids = [each.id for each in await container.orgs.all()]
        return await container.vault.reseal(container.database, org_ids)

    resealed = run_in_container(data_dir, run)
    click.echo(str(resealed))
    sys.exit(1 if resealed.still_needed else 0)


@commands.command()
@click.option("--data-dir", default=".landbridge-demo", help="Data directory of the demo.")
def demo(data_dir: str) -> None:
    """Run a scenario on a fresh sandbox, and print the final balances."""
    from landbridge.app.demo import demo as run_demo  # noqa: PLC0415  as above

    sys.exit(0 if run_demo(Path(data_dir), print_line) else 1)


@commands.command()
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


for group in (orgs, keys, prices, fees):
    commands.add_command(group)
add_backups(commands)
add_scenarios(commands, print_line)
commands.add_command(seeding(run_in_container))


commands.add_command(members(run_command(lambda container: container.team)))
commands.add_command(chain_deposits(run_command(lambda container: container.ledger)))
commands.add_command(treasury_deposits(run_command(lambda container: container.external_coins)))
commands.add_command(approvals(run_command(lambda container: container.approvals)))
commands.add_command(
    limits(
        run_command(
            lambda container: LimitCommandServices(
                container.limits, container.limit_simulation, container.limit_maintenance
            )
        )
    )
)
commands.add_command(
    reports(
        run_command(
            lambda container: ReportCommandServices(
                container.rollups, container.rollup_updater, container.time_zones
            )
        )
    )
)
commands.add_command(
    house_accounts(
        run_command(lambda container: HouseAccountServices(container.database, container.orgs))
    )
)
_bank_files = bank_files(
    run_command(
        lambda container: BankFileCommandServices(
            container.funding_accounts, container.bank_file_writer
        )
    )
)
add_inbound_commands(
    _bank_files,
    run_command(
        lambda container: InboundCommandServices(container.inbox_reader, container.sandbox_bank)
    ),
)
commands.add_command(_bank_files)


def _with_rates(
    data_dir: str | None,
    run: Callable[[ReferenceRates, Market | None], Awaitable[T]],
    *,
    writes: bool,
) -> T:
    return run_in_container(
        data_dir, lambda container: run(container.reference_rates, container.market), writes=writes
    )


commands.add_command(rates(_with_rates))


def _with_screening(data_dir: str | None, run: Callable[[Screening], Awaitable[T]]) -> T:
    return run_in_container(data_dir, lambda container: run(container.screening))


_sanctions = sanctions(_with_screening)
commands.add_command(_sanctions)


@_sanctions.command()
@data_dir_option
def rescreen(data_dir: str | None) -> None:
    """Screen approved users again; users who match a new entry wait for a review."""

    async def run(container: Container) -> RescreeningResult:
        return await container.rescreening.run(await container.orgs.clock_offsets())

    click.echo(str(run_in_container(data_dir, run)))
