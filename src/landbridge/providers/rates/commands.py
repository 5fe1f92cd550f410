"""Commands on rates. `cli` adds them as `landbridge rates`."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, TypeVar

import click

from landbridge.providers.rates.feeds import Observation
from landbridge.providers.rates.fetching import check_location
from landbridge.providers.rates.market import Market
from landbridge.providers.rates.market_store import StoredObservation
from landbridge.providers.rates.peg_guard import GUARDED, deviation
from landbridge.providers.rates.reference import (
    FROM_ECB,
    RateLoadResult,
    ReferenceRates,
    ReferenceStatus,
)

T = TypeVar("T")

_data_dir = click.option("--data-dir", help="Where everything is kept (default: .landbridge).")


class RatesCommandRunner(Protocol):
    """Runs a command against the database; `Market` is None if no feed is configured."""

    def __call__(
        self,
        data_dir: str | None,
        run: Callable[[ReferenceRates, Market | None], Awaitable[T]],
        *,
        writes: bool,
    ) -> T:
        """Run the operation, and return its result."""
        ...


@dataclass(frozen=True, slots=True)
class _Status:
    reference: ReferenceStatus
    is_fetched: bool
    has_feed: bool
    observations: Sequence[StoredObservation]
    failure: str | None


def rates(run_in_container: RatesCommandRunner) -> click.Group:
    """Return the command group."""

    @click.group("rates")
    def group() -> None:
        """Reference rates, and the price feed."""

    @group.command()
    @click.argument("location", default=FROM_ECB, metavar="[FILE|URL]")
    @click.option("--force", is_flag=True, help="Also rates that have moved by over a third.")
    @_data_dir
    def load(location: str, *, force: bool, data_dir: str | None) -> None:
        """Load reference rates: today's from the European Central Bank, or one of its files."""
        try:
            check_location(location)
        except ValueError as error:
            raise click.UsageError(f"{location} {error}") from error
        loaded = run_in_container(
            data_dir,
            lambda reference, _: reference.load_from(location, is_forced=force),
            writes=True,
        )
        click.echo(_load_summary(loaded))

    @group.command()
    @_data_dir
    def status(data_dir: str | None) -> None:
        """Show the loaded reference rates, and the result of the last fetch."""

        async def run(reference: ReferenceRates, market: Market | None) -> _Status:
            return _Status(
                await reference.get_status(),
                reference.is_fetched,
                market is not None,
                await market.list_observations() if market else (),
                await market.find_failure() if market else None,
            )

        click.echo("\n".join(_lines(run_in_container(data_dir, run, writes=False))))

    @group.command()
    @click.argument("currency")
    @_data_dir
    def accept(currency: str, *, data_dir: str | None) -> None:
        """Accept the price feed's current rate of CURRENCY, however far it has moved."""

        async def run(_: ReferenceRates, market: Market | None) -> Observation:
            if market is None:
                raise click.UsageError("no price feed is set (LANDBRIDGE_PRICE_FEED)")
            return await market.accept(currency)

        accepted = run_in_container(data_dir, run, writes=True)
        click.echo(
            f"{accepted.currency} is worth {accepted.usd.normalize():f} dollars from now on."
        )

    return group


def _load_summary(loaded: RateLoadResult) -> str:
    days = "1 day" if loaded.days == 1 else f"{loaded.days} days"
    if not loaded.changed:
        return f"{days} up to {loaded.last_on}: all there already. Nothing has changed."
    return f"{days} up to {loaded.last_on}: {loaded.changed} rates new or changed."


def _lines(status: _Status) -> list[str]:
    reference = status.reference
    if reference.last_on is None:
        lines = ["No reference rates are loaded."]
    else:
        days = "1 day" if reference.days == 1 else f"{reference.days} days"
        lines = [f"Reference rates: {days}, from {reference.first_on} to {reference.last_on}."]
    lines.append("The worker fetches them." if status.is_fetched else "Nothing fetches them.")
    if reference.failure:
        lines.append(
            f"  The last try, {reference.attempted_at:%Y-%m-%d %H:%M}: {reference.failure}."
        )
    if not status.has_feed:
        return [*lines, "No price feed is set."]
    lines.append("Price feed:" if status.observations else "The price feed has not reported yet.")
    lines += [_observed(each) for each in status.observations]
    if status.failure:
        lines.append(f"  The last try: {status.failure}.")
    return lines


def _observed(observation: StoredObservation) -> str:
    line = (
        f"  {observation.currency}  {observation.usd.normalize():f} usd  "
        f"{observation.at:%Y-%m-%d %H:%M:%S}"
    )
    if observation.currency in GUARDED:
        percent = deviation(observation.usd) * 100
        line += f"  {percent.quantize(Decimal('0.01'))} % off its peg"
    return f"{line}, not quoted" if observation.is_off_peg else line
