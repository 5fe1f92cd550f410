"""The `landbridge` command. Parses, calls one thing, prints; decides nothing."""

import asyncio
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import click
import msgspec
import uvloop

from landbridge import __version__, settings
from landbridge.chains.tokens import ASSETS, TOKENS
from landbridge.core.errors import LandbridgeError, Refused
from landbridge.core.money import Rate
from landbridge.db.embedded.server import borrow
from landbridge.db.migrate import MigrationRefused, migrations, pending
from landbridge.db.migrate import migrate as apply_migrations
from landbridge.db.pool import Database
from landbridge.ledger.audit import Audit, audit, table
from landbridge.ledger.corrections import correct
from landbridge.orgs.model import ApiKey
from landbridge.rates.port import Price
from landbridge.settings import Settings
from landbridge.wiring import MOVES, House, open_house

T = TypeVar("T")

# Far beyond any stablecoin, and near enough that amounts keep within their 38 digits.
_RATE_MIN, _RATE_MAX = Decimal("0.000001"), Decimal(1_000_000)

# What the price table keeps of a fee: numeric(9,8).
_FEE_STEP = Decimal("0.00000001")
_CURRENCY = click.Choice(sorted({currency for _, currency in TOKENS}))
_PORT = click.IntRange(1, 65535)

_data_dir = click.option("--data-dir", help="Where everything is kept (default: .landbridge).")


def main() -> None:
    """Run the command; a failure we know is one sentence and exit code 1."""
    try:
        commands()
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
@_data_dir
def serve(host: str | None, port: int | None, data_dir: str | None) -> None:
    """Serve API, worker and, unless LANDBRIDGE_DATABASE_URL is set, the database."""
    from landbridge.serve import serve as run  # noqa: PLC0415  other commands start faster without

    run(_settings(host=host, port=port, data_dir=data_dir), _say)


@commands.command()
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=_PORT, help="Port to listen on (default: 8080).")
@click.option("--fd", type=int, hidden=True)
@click.option("--parent", type=int, hidden=True)
def api(host: str | None, port: int | None, fd: int | None, parent: int | None) -> None:
    """Serve the API alone, on LANDBRIDGE_DATABASE_URL; run as many as you like."""
    from landbridge import processes  # noqa: PLC0415  as above

    chosen = _settings(host=host, port=port)
    processes.set_up_logs(chosen)
    sock = processes.listen(chosen) if fd is None else socket.socket(fileno=fd)
    uvloop.run(processes.run_api(chosen, _database_url(chosen), sock, parent=parent))


@commands.command()
@click.option("--parent", type=int, hidden=True)
def worker(parent: int | None) -> None:
    """Run the worker alone, on LANDBRIDGE_DATABASE_URL; run as many as you like."""
    from landbridge import processes  # noqa: PLC0415  as above

    chosen = _settings()
    processes.set_up_logs(chosen)
    uvloop.run(processes.run_worker(chosen, _database_url(chosen), parent=parent))


@commands.command()
@_data_dir
def migrate(data_dir: str | None) -> None:
    """Bring the database up to this version."""
    chosen = _settings(data_dir=data_dir)

    async def run(dsn: str) -> list[str]:
        database = await Database.connect(dsn, name="migrate", size_max=1, is_patient=True)
        try:
            return [f"{each.number:04} {each.name}" for each in await apply_migrations(database)]
        finally:
            await database.close()

    with _dsn(chosen) as dsn:
        applied = asyncio.run(run(dsn))
    click.echo("\n".join(applied) if applied else "Nothing to do.")


@commands.command()
@_data_dir
def check(data_dir: str | None) -> None:
    """Prove the books, also while a server runs; exits 1 and names the rows if they are wrong."""
    chosen = _settings(data_dir=data_dir)

    async def run(dsn: str) -> Audit:
        database = await Database.connect(dsn, name="check", size_max=1, is_patient=True)
        try:
            if await pending(database):
                raise MigrationRefused("The database lacks tables. Run `landbridge migrate` first.")
            return await audit(database, MOVES)
        finally:
            await database.close()

    with _dsn(chosen) as dsn:
        audited = asyncio.run(run(dsn))
    click.echo(table(audited))
    sys.exit(0 if audited.is_clean else 1)


@commands.command("correct")
@click.argument("transfer_id", type=click.UUID)
@click.argument("seq", type=click.IntRange(1))
@click.option("--reason", required=True, help="Why; kept with the correction.")
@click.option("--org", type=click.UUID, help="The organisation's id.")
@_data_dir
def correct_journal(
    *, transfer_id: UUID, seq: int, reason: str, org: UUID | None, data_dir: str | None
) -> None:
    """Take back what change SEQ of a record posted, by a new journal; once."""

    async def run(house: House) -> UUID:
        org_id = await _chosen_org(house, org)
        corrected = await correct(
            house.database,
            house.ledger,
            ASSETS,
            org_id=org_id,
            transfer_id=transfer_id,
            seq=seq,
            reason=reason,
            actor="cli",
            at=house.clock.stamp(await house.orgs.clock_offset(org_id)),
        )
        return corrected.transfer.id

    click.echo(f"Taken back by {_in_house(data_dir, run)}.")


@commands.command()
@click.option("--data-dir", default=".landbridge-demo", help="A directory of the demo's own.")
def demo(data_dir: str) -> None:
    """Play a whole story on a fresh sandbox, and print the books at its end."""
    from landbridge.demo import demo as play  # noqa: PLC0415  as above

    sys.exit(0 if play(Path(data_dir), _say) else 1)


@commands.group()
def orgs() -> None:
    """Organisations."""


@orgs.command("create")
@click.option("--name", required=True, help="What the organisation is called.")
@_data_dir
def orgs_create(name: str, data_dir: str | None) -> None:
    """Make an organisation and its first key; the key is the last line of output."""

    async def run(house: House) -> tuple[UUID, str]:
        org = await house.orgs.create(name)
        _, secret = await house.orgs.create_key(org.id, "first key", expires_at=None)
        return org.id, secret

    org_id, secret = _in_house(data_dir, run)
    click.echo(f"Organisation {org_id}. Its API key, shown this once:")
    click.echo(secret)


@orgs.command("list")
@_data_dir
def orgs_list(data_dir: str | None) -> None:
    """All organisations."""
    for org in _in_house(data_dir, lambda house: house.orgs.all()):
        click.echo(f"{org.id}  {org.created_at:%Y-%m-%d}  {org.name}")


@commands.group()
def keys() -> None:
    """API keys of an organisation (the first one, unless --org says which)."""


_org = click.option("--org", type=click.UUID, help="The organisation's id.")


@keys.command("create")
@click.option("--name", required=True, help="What the key is for.")
@click.option("--expires-in-days", type=click.IntRange(1, 3650), help="Never, if left out.")
@_org
@_data_dir
def keys_create(
    name: str, expires_in_days: int | None, org: UUID | None, data_dir: str | None
) -> None:
    """Make a key; it is the last line of output. Others stay valid, so that keys can overlap."""

    async def run(house: House) -> str:
        expires_at = (
            None if expires_in_days is None else house.clock.now() + timedelta(days=expires_in_days)
        )
        org_id = await _chosen_org(house, org)
        _, secret = await house.orgs.create_key(org_id, name, expires_at=expires_at)
        return secret

    click.echo(_in_house(data_dir, run))


@keys.command("list")
@_org
@_data_dir
def keys_list(org: UUID | None, data_dir: str | None) -> None:
    """All keys, without their secrets."""

    async def run(house: House) -> list[tuple[ApiKey, str]]:
        now = house.clock.now()
        found = await house.orgs.keys(await _chosen_org(house, org))
        return [(key, key.state(now)) for key in found]

    for key, state in _in_house(data_dir, run):
        expires = f"{key.expires_at:%Y-%m-%d}" if key.expires_at else "never"
        used = f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never"
        click.echo(
            f"{key.id}  …{key.hint}  {state}  expires {expires}  last used {used}  {key.name}"
        )


@keys.command("revoke")
@click.argument("key_id", type=click.UUID)
@_org
@_data_dir
def keys_revoke(key_id: UUID, org: UUID | None, data_dir: str | None) -> None:
    """End a key, from the next request on."""

    async def run(house: House) -> None:
        await house.orgs.revoke_key(await _chosen_org(house, org), key_id)

    _in_house(data_dir, run)
    click.echo(f"Key {key_id} is revoked.")


@commands.group()
def prices() -> None:
    """What an organisation swaps at."""


@prices.command("set")
@click.option("--from", "source", required=True, type=_CURRENCY, help="Currency that is sent.")
@click.option("--to", "destination", required=True, type=_CURRENCY, help="And received.")
@click.option("--rate", required=True, help="Coins received per coin sent, as in 0.9998.")
@click.option("--fee", default="0", help="Part of what is sent that is kept, as in 0.001.")
@_org
@_data_dir
def prices_set(
    *, source: str, destination: str, rate: str, fee: str, org: UUID | None, data_dir: str | None
) -> None:
    """Set the price of one pair, in one direction."""
    price = _price(rate, fee)

    async def run(house: House) -> None:
        org_id = await _chosen_org(house, org)
        await house.prices.set_price(
            org_id,
            source_currency=source,
            destination_currency=destination,
            price=price,
            at=await house.orgs.now(org_id),
        )

    _in_house(data_dir, run)
    click.echo(f"1 {source} buys {price.rate} {destination}, fee {fee}.")


@prices.command("list")
@_org
@_data_dir
def prices_list(org: UUID | None, data_dir: str | None) -> None:
    """Prices that were set; a sandbox has every other pair at par."""

    async def run(house: House) -> list[str]:
        return [
            f"{row['source_currency']} > {row['destination_currency']}  {row['rate'].normalize():f}"
            f"  fee {row['fee_fraction'].normalize():f}  set {row['set_at']:%Y-%m-%d %H:%M}"
            for row in await house.prices.prices(await _chosen_org(house, org))
        ]

    for line in _in_house(data_dir, run):
        click.echo(line)


def _settings(**overrides: object) -> Settings:
    """The settings, with what the command line says instead."""
    given = {name: value for name, value in overrides.items() if value is not None}
    return msgspec.structs.replace(settings.read(os.environ), **given)


def _say(line: str) -> None:
    click.echo(line)
    sys.stdout.flush()


def _database_url(chosen: Settings) -> str:
    if chosen.database_url is None:
        raise settings.SettingsInvalid(
            "Set LANDBRIDGE_DATABASE_URL, or use `landbridge serve`, which brings a database."
        )
    return chosen.database_url


@contextmanager
def _dsn(chosen: Settings) -> Generator[str]:
    """The database: the one that is set, the one that runs, or one started for this command."""
    if chosen.database_url is not None:
        yield chosen.database_url
        return
    with borrow(chosen.folder, say=lambda line: click.echo(line, err=True)) as dsn:
        yield dsn


def _in_house(data_dir: str | None, run: Callable[[House], Awaitable[T]]) -> T:
    """Run one verb against the database, migrated if it was empty."""
    chosen = _settings(data_dir=data_dir)

    async def work(dsn: str) -> T:
        database = await Database.connect(dsn, name="cli", size_max=1, is_patient=True)
        try:
            if len(await pending(database)) == len(migrations()):
                await apply_migrations(database)
        finally:
            await database.close()
        async with open_house(chosen, dsn, name="cli") as house:
            return await run(house)

    with _dsn(chosen) as dsn:
        return asyncio.run(work(dsn))


async def _chosen_org(house: House, org: UUID | None) -> UUID:
    everyone = await house.orgs.all()
    if org is None and everyone:
        return everyone[0].id
    if org is None or org not in {each.id for each in everyone}:
        raise click.UsageError("There is no such organisation; see `landbridge orgs list`.")
    return org


def _price(rate: str, fee: str) -> Price:
    try:
        price = Price(Rate(Decimal(rate)), Decimal(fee), as_of=None)
        is_fee = 0 <= price.fee_fraction < 1
    except (InvalidOperation, LandbridgeError) as error:
        raise click.UsageError(f"rate {rate} and fee {fee} must be plain decimals") from error
    if not _RATE_MIN <= price.rate.value <= _RATE_MAX:
        raise click.UsageError(f"rate {rate} must be from {_RATE_MIN} to {_RATE_MAX}")
    if not is_fee:
        raise click.UsageError(f"fee {fee} must be at least 0 and below 1")
    kept = price.fee_fraction.quantize(_FEE_STEP)
    if kept != price.fee_fraction:
        raise click.UsageError(f"fee {fee} must have at most 8 decimals")
    return replace(price, fee_fraction=kept)
