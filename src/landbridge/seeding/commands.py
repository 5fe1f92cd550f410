"""`landbridge seed`: a made-up organisation with a past, for demos and benchmarks."""

import sys
from collections.abc import Awaitable, Callable
from typing import Protocol

import click

from landbridge.desk import data_dir_option
from landbridge.seeding.service import PEOPLE_MIN, Seeded, Told, Wanted, seed
from landbridge.wiring import House

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


class InHouse(Protocol):
    """Runs one verb against the database."""

    def __call__(self, data_dir: str | None, run: Callable[[House], Awaitable[Seeded]]) -> Seeded:
        """Answer what `run` answers."""
        ...


def seeding(in_house: InHouse) -> click.Command:
    """The command."""

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
        """Make an organisation with a past that ends now; its API key is the last line of output.

        In a sandbox only. Broken off, it leaves what was written by then, and books that balance.
        """
        wanted = Wanted(
            name=name,
            payments=transactions,
            people=users or _people(transactions),
            days=days,
            random_seed=random_seed,
            has_reports=has_reports,
        )
        # Never into a folder that has nothing yet: who is made up needs the master key of `serve`.
        _tell(in_house(data_dir, lambda house: _run(house, wanted)))

    return command


def _people(payments: int) -> int:
    return min(max(payments // _PAYMENTS_OF_EACH, PEOPLE_MIN), _PEOPLE_DEFAULT_MAX)


def _tell(seeded: Seeded) -> None:
    rate = int(seeded.records / max(seeded.seconds, 1))
    click.echo(f"{seeded.records} records in {seeded.seconds:.1f} s ({rate} per second).", err=True)
    click.echo(f"Organisation {seeded.org_id}. Its API key, shown this once:")
    click.echo(seeded.secret)


async def _run(house: House, wanted: Wanted) -> Seeded:
    people = click.progressbar(length=wanted.people, label="Users", file=sys.stderr)
    payments = click.progressbar(length=wanted.payments, label="Payments", file=sys.stderr)
    folded = click.progressbar(length=0, label="Reports", file=sys.stderr)
    with people, payments, folded:

        def reach(count: int) -> None:
            folded.length = count

        told = Told(
            people=people.update, payments=payments.update, reach=reach, folded=folded.update
        )
        return await seed(house, wanted, told)
