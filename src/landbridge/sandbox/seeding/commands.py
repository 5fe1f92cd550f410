"""`landbridge seed`: an organisation with a generated history, for demos and benchmarks."""

import sys
from collections.abc import Awaitable, Callable
from typing import Protocol

import click

from landbridge.platform.cli_context import data_dir_option
from landbridge.sandbox.seeding.service import (
    PEOPLE_MIN,
    SeedProgress,
    SeedRequest,
    SeedResult,
    seed,
)
from landbridge.sandbox.seeding.services import SeedServices

_PAYMENTS_MAX, _PEOPLE_MAX, _DAYS_MAX = 100_000_000, 100_000, 3650
_PAYMENTS_OF_EACH, _PEOPLE_DEFAULT_MAX = 40, 1000


_days = click.option(
    "--days",
    type=click.IntRange(1, _DAYS_MAX),
    default=730,
    show_default=True,
    help="How long ago the first of them was.",
)
_reports = click.option(
    "--reports/--no-reports",
    "has_reports",
    default=True,
    show_default=True,
    help="Whether reports are made ready here too; else a worker does it, while it serves.",
)


class SeedCommandRunner(Protocol):
    """Runs one function against the database."""

    def __call__(
        self, data_dir: str | None, run: Callable[[SeedServices], Awaitable[SeedResult]]
    ) -> SeedResult:
        """Return the result of `run`."""
        ...


def seeding(run_in_container: SeedCommandRunner) -> click.Command:
    """Build `landbridge seed`."""

    @click.command("seed")
    @click.option(
        "--transactions",
        type=click.IntRange(1, _PAYMENTS_MAX),
        required=True,
        help="How many payments; deposits of coins come on top, two for each user.",
    )
    @click.option(
        "--users",
        type=click.IntRange(PEOPLE_MIN, _PEOPLE_MAX),
        help="Of how many users (default: one for each 40 payments, at most 1000).",
    )
    @_days
    @click.option("--name", default="Seeded", show_default=True, help="What it is called.")
    @click.option(
        "--random-seed",
        type=int,
        default=1,
        show_default=True,
        help="The same number makes the same payments, if begun in the same hour of the week.",
    )
    @_reports
    @data_dir_option
    def command(
        *,
        transactions: int,
        users: int | None,
        days: int,
        name: str,
        random_seed: int,
        has_reports: bool,
        data_dir: str | None,
    ) -> None:
        """Create an organisation whose history ends now; its API key is the last line of output.

        In a sandbox only. If interrupted, it leaves what was written by then, and books that
        balance.
        """
        request = SeedRequest(
            name=name,
            payments=transactions,
            people=users or _people(transactions),
            days=days,
            random_seed=random_seed,
            has_reports=has_reports,
        )
        # Never into a new directory: seeded users need the master key of `serve`.
        _print_result(run_in_container(data_dir, lambda services: _run(services, request)))

    return command


def _people(payments: int) -> int:
    return min(max(payments // _PAYMENTS_OF_EACH, PEOPLE_MIN), _PEOPLE_DEFAULT_MAX)


def _print_result(seeded: SeedResult) -> None:
    rate = int(seeded.records / max(seeded.seconds, 1))
    click.echo(f"{seeded.records} records in {seeded.seconds:.1f} s ({rate} per second).", err=True)
    click.echo(f"Organisation {seeded.org_id}. Its API key, shown only once:")
    click.echo(seeded.secret)


async def _run(services: SeedServices, request: SeedRequest) -> SeedResult:
    people = click.progressbar(length=request.people, label="Users", file=sys.stderr)
    payments = click.progressbar(length=request.payments, label="Payments", file=sys.stderr)
    folded = click.progressbar(length=0, label="Reports", file=sys.stderr)
    with people, payments, folded:

        def reach(count: int) -> None:
            folded.length = count

        progress = SeedProgress(
            people=people.update, payments=payments.update, reach=reach, folded=folded.update
        )
        return await seed(services, request, progress)
