"""Commands of the folders below, each with the services that it needs."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import click

from landbridge.app.cli_runtime import run_command, run_in_container
from landbridge.app.container import Container
from landbridge.customers.bank_accounts.holder_screening import AccountRescreeningResult
from landbridge.customers.chain_deposits import commands as chain_deposit_commands
from landbridge.customers.team import commands as team_commands
from landbridge.customers.verification.rescreening import RescreeningResult
from landbridge.ledger import house_account_commands
from landbridge.ledger.house_account_commands import HouseAccountServices
from landbridge.payments.approvals import commands as approval_commands
from landbridge.payments.bank_files import commands as bank_file_commands
from landbridge.payments.bank_files.commands import BankFileCommandServices
from landbridge.payments.bank_files.inbound_commands import (
    InboundCommandServices,
    add_inbound_commands,
)
from landbridge.payments.limits import commands as limit_commands
from landbridge.payments.limits.commands import LimitCommandServices
from landbridge.payments.offramps import commands as offramp_commands
from landbridge.platform.cli_context import data_dir_option
from landbridge.providers.packages.commands import adapters
from landbridge.providers.rates import commands as rate_commands
from landbridge.providers.rates.market import Market
from landbridge.providers.rates.reference import ReferenceRates
from landbridge.providers.screening import commands as screening_commands
from landbridge.providers.screening.service import Screening
from landbridge.providers.sidecar import commands as sidecar_commands
from landbridge.reporting import commands as report_commands
from landbridge.reporting.archive import commands as archive_commands
from landbridge.reporting.archive.commands import ArchiveCommandServices
from landbridge.reporting.commands import ReportCommandServices
from landbridge.reporting.proofs import commands as proof_commands
from landbridge.reporting.reconciliation import commands as reconciliation_commands
from landbridge.reporting.reconciliation import reserve_commands
from landbridge.sandbox import unbooked_coins
from landbridge.sandbox.seeding import commands as seeding_commands

T = TypeVar("T")

for each in (
    sidecar_commands.problems,
    sidecar_commands.reread,
    sidecar_commands.close_problem,
):
    adapters.add_command(each(run_command(lambda container: container.database)))
seed = seeding_commands.seeding(run_in_container)
members = team_commands.members(run_command(lambda container: container.team))
chain_deposits = chain_deposit_commands.chain_deposits(
    run_command(lambda container: container.ledger)
)
treasury_deposits = offramp_commands.treasury_deposits(
    run_command(lambda container: container.external_coins)
)
approvals = approval_commands.approvals(run_command(lambda container: container.approvals))
limits = limit_commands.limits(
    run_command(
        lambda container: LimitCommandServices(
            container.limits, container.limit_simulation, container.limit_maintenance
        )
    )
)
reports = report_commands.reports(
    run_command(
        lambda container: ReportCommandServices(
            container.rollups, container.rollup_updater, container.time_zones
        )
    )
)
proofs = proof_commands.proofs(run_command(lambda container: container.proofs))
proofs.add_command(
    reserve_commands.reserves(run_command(lambda container: container.reserve_proofs))
)
reconcile = reconciliation_commands.reconcile(
    run_command(lambda container: container.reconciliation)
)
reconcile.add_command(unbooked_coins.plant(run_command(lambda container: container.sandbox)))
archive = archive_commands.archive(
    run_command(lambda container: ArchiveCommandServices(container.archive, container.orgs))
)
house = house_account_commands.house_accounts(
    run_command(lambda container: HouseAccountServices(container.database, container.orgs))
)
bank_files = bank_file_commands.bank_files(
    run_command(
        lambda container: BankFileCommandServices(
            container.funding_accounts, container.bank_file_writer
        )
    )
)
add_inbound_commands(
    bank_files,
    run_command(
        lambda container: InboundCommandServices(container.inbox_reader, container.sandbox_bank)
    ),
)


def _with_rates(
    data_dir: str | None,
    run: Callable[[ReferenceRates, Market | None], Awaitable[T]],
    *,
    writes: bool,
) -> T:
    return run_in_container(
        data_dir, lambda container: run(container.reference_rates, container.market), writes=writes
    )


rates = rate_commands.rates(_with_rates)


def _with_screening(data_dir: str | None, run: Callable[[Screening], Awaitable[T]]) -> T:
    return run_in_container(data_dir, lambda container: run(container.screening))


sanctions = screening_commands.sanctions(_with_screening)


@sanctions.command()
@data_dir_option
def rescreen(data_dir: str | None) -> None:
    """Screen approved users and bank accounts again; new matches wait for a review."""

    async def run(container: Container) -> tuple[AccountRescreeningResult, RescreeningResult]:
        offsets = await container.orgs.clock_offsets()
        # Accounts first: payouts to them may be put into the next bank file.
        accounts = await container.account_rescreening.run(offsets)
        return accounts, await container.rescreening.run(offsets)

    for each in run_in_container(data_dir, run):
        click.echo(str(each))
