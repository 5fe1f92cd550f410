"""Commands on rates. `cli` puts them under `landbridge rates`."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, TypeVar

import click

from landbridge.rates.feeds import Observation
from landbridge.rates.fetching import check_place
from landbridge.rates.guard import GUARDED, deviation
from landbridge.rates.market import Market
from landbridge.rates.market_store import Seen
from landbridge.rates.reference import FROM_ECB, Loaded, ReferenceRates, Standing

T = TypeVar("T")

_data_dir = click.option("--data-dir", help="Where everything is kept (default: .landbridge).")


class InHouse(Protocol):
    """Runs one verb against the database; there is a market only where a feed is set."""

    def __call__(
        self,
        data_dir: str | None,
        run: Callable[[ReferenceRates, Market | None], Awaitable[T]],
        *,
        writes: bool,
    ) -> T:
        """Answer what `run` answers."""
        ...


@dataclass(frozen=True, slots=True)
class _Status:
    reference: Standing
    is_fetched: bool
    has_feed: bool
    seen: Sequence[Seen]
    failure: str | None


def rates(in_house: InHouse) -> click.Group:
    """The group of commands."""

    @click.group("rates")
    def group() -> None:
        """Reference rates, and what a feed says."""

    @group.command()
    @click.argument("place", default=FROM_ECB, metavar="[FILE|URL]")
    @click.option("--force", is_flag=True, help="Also rates that have moved by over a third.")
    @_data_dir
    def load(place: str, *, force: bool, data_dir: str | None) -> None:
        """Load reference rates: today's from the European Central Bank, or a file of its."""
        try:
            check_place(place)
        except ValueError as error:
            raise click.UsageError(f"{place} {error}") from error
        loaded = in_house(
            data_dir,
            lambda reference, _: reference.load_from(place, is_forced=force),
            writes=True,
        )
        click.echo(_what_came(loaded))

    @group.command()
    @_data_dir
    def status(data_dir: str | None) -> None:
        """Which rates there are, and how asking for more went."""

        async def run(reference: ReferenceRates, market: Market | None) -> _Status:
            return _Status(
                await reference.standing(),
                reference.is_fetched,
                market is not None,
                await market.all() if market else (),
                await market.failure() if market else None,
            )

        click.echo("\n".join(_lines(in_house(data_dir, run, writes=False))))

    @group.command()
    @click.argument("currency")
    @_data_dir
    def accept(currency: str, *, data_dir: str | None) -> None:
        """Believe what the price feed says of CURRENCY now, however far it has moved."""

        async def run(_: ReferenceRates, market: Market | None) -> Observation:
            if market is None:
                raise click.UsageError("no price feed is set (LANDBRIDGE_PRICE_FEED)")
            return await market.accept(currency)

        told = in_house(data_dir, run, writes=True)
        click.echo(f"{told.currency} is worth {told.usd.normalize():f} dollars from now on.")

    return group


def _what_came(loaded: Loaded) -> str:
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
        lines.append(f"  The last try, {reference.tried_at:%Y-%m-%d %H:%M}: {reference.failure}.")
    if not status.has_feed:
        return [*lines, "No price feed is set."]
    lines.append("Price feed:" if status.seen else "The price feed has said nothing yet.")
    lines += [_observed(each) for each in status.seen]
    if status.failure:
        lines.append(f"  The last try: {status.failure}.")
    return lines


def _observed(seen: Seen) -> str:
    line = f"  {seen.currency}  {seen.usd.normalize():f} usd  {seen.at:%Y-%m-%d %H:%M:%S}"
    if seen.currency in GUARDED:
        percent = deviation(seen.usd) * 100
        line += f"  {percent.quantize(Decimal('0.01'))} % off its peg"
    return f"{line}, not quoted" if seen.is_off_peg else line
