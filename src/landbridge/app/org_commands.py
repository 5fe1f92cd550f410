"""Commands on tenants: organisations, API keys, prices and fees. `cli` registers them."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from uuid import UUID

import click

from landbridge.app.cli_runtime import chosen_org, run_in_container
from landbridge.app.container import Container
from landbridge.payments.quotes.pairs import DESTINATION_CODES, SOURCE_CODES, is_pair
from landbridge.platform.cli_context import CommandTarget, data_dir_option, target_options
from landbridge.platform.core.errors import FieldInvalid, LandbridgeError
from landbridge.platform.core.money import Rate
from landbridge.platform.http.caller import KeyScope
from landbridge.platform.orgs.model import DEFAULT_SCOPES, ApiKey
from landbridge.providers.rates.fees import CurrencyPair
from landbridge.providers.rates.port import Price

# Far beyond any currency, and small enough that amounts keep within their 38 digits.
_RATE_MIN, _RATE_MAX = Decimal("0.000001"), Decimal(1_000_000)

# Precision of a fee in the price table: numeric(9,8).
_FEE_STEP = Decimal("0.00000001")
_SOURCE, _DESTINATION = click.Choice(SOURCE_CODES), click.Choice(DESTINATION_CODES)


_scope_option = click.option(
    "--scope",
    "scopes",
    type=click.Choice([each.value for each in KeyScope]),
    multiple=True,
    help="What the key may do besides reading; may be repeated (default: admin).",
)


@click.group()
def orgs() -> None:
    """Organisations."""


@orgs.command("create")
@click.option("--name", required=True, help="Name of the organisation.")
@_scope_option
@data_dir_option
def orgs_create(name: str, scopes: tuple[str, ...], data_dir: str | None) -> None:
    """Create an organisation and its first key; the key is the last line of output."""

    async def run(container: Container) -> tuple[UUID, str]:
        org = await container.orgs.create(name)
        _, secret = await container.orgs.create_key(
            org.id, "first key", expires_at=None, scopes=_scopes(scopes)
        )
        return org.id, secret

    org_id, secret = run_in_container(data_dir, run, may_make=True)
    click.echo(f"Organisation {org_id}. Its API key, shown only once:")
    click.echo(secret)


@orgs.command("list")
@data_dir_option
def orgs_list(data_dir: str | None) -> None:
    """List all organisations."""
    for org in run_in_container(data_dir, lambda container: container.orgs.all(), writes=False):
        frozen = f"  frozen since {org.frozen_at:%Y-%m-%d}" if org.frozen_at else ""
        reason = f" ({org.freeze_reason})" if org.freeze_reason else ""
        click.echo(f"{org.id}  {org.created_at:%Y-%m-%d}  {org.name}{frozen}{reason}")


@orgs.command("freeze")
@click.option("--org", type=click.UUID, required=True, help="The organisation's id.")
@click.option("--reason", help="Note shown by `orgs list`; do not name a person.")
@data_dir_option
def orgs_freeze(org: UUID, reason: str | None, data_dir: str | None) -> None:
    """Freeze an organisation: from the next request on it can read but move no money."""

    async def run(container: Container) -> None:
        await container.orgs.freeze(await chosen_org(container, org), reason=reason)

    run_in_container(data_dir, run)
    click.echo(f"Organisation {org} is frozen.")


@orgs.command("unfreeze")
@click.option("--org", type=click.UUID, required=True, help="The organisation's id.")
@data_dir_option
def orgs_unfreeze(org: UUID, data_dir: str | None) -> None:
    """Unfreeze an organisation: it can move money again."""

    async def run(container: Container) -> None:
        await container.orgs.unfreeze(await chosen_org(container, org))

    run_in_container(data_dir, run)
    click.echo(f"Organisation {org} is not frozen.")


@click.group()
def keys() -> None:
    """API keys of an organisation (the first one, unless --org names another)."""


@keys.command("create")
@click.option("--name", required=True, help="Purpose of the key.")
@click.option(
    "--expires-in-days",
    type=click.IntRange(1, 3650),
    help="Days until it expires (default: never).",
)
@click.option("--reviewer", is_flag=True, help="Add the scope review.")
@click.option("--approver", is_flag=True, help="Add the scope approve.")
@_scope_option
@target_options
def keys_create(
    target: CommandTarget,
    *,
    name: str,
    expires_in_days: int | None,
    reviewer: bool,
    approver: bool,
    scopes: tuple[str, ...],
) -> None:
    """Create a key; it is the last line of output. Other keys stay valid, so keys can overlap."""
    decisions = {KeyScope.REVIEW} if reviewer else set[KeyScope]()
    decisions |= {KeyScope.APPROVE} if approver else set()

    async def run(container: Container) -> str:
        expires_at = (
            None
            if expires_in_days is None
            else container.clock.now() + timedelta(days=expires_in_days)
        )
        org_id = await chosen_org(container, target.org)
        _, secret = await container.orgs.create_key(
            org_id, name, expires_at=expires_at, scopes=_scopes(scopes) | decisions
        )
        return secret

    click.echo(run_in_container(target.data_dir, run))


@keys.command("list")
@target_options
def keys_list(target: CommandTarget) -> None:
    """List all keys, without their secrets."""

    async def run(container: Container) -> list[tuple[ApiKey, str, str]]:
        now, org_id = container.clock.now(), await chosen_org(container, target.org)
        emails = {each.id: each.email for each in await container.team.list_members(org_id)}
        return [
            (key, key.state(now), emails[key.created_by] if key.created_by else "a command")
            for key in await container.orgs.keys(org_id)
        ]

    for key, state, maker in run_in_container(target.data_dir, run, writes=False):
        expires = f"{key.expires_at:%Y-%m-%d}" if key.expires_at else "never"
        used = f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never"
        click.echo(
            f"{key.id}  …{key.hint}  {state}  expires {expires}  last used {used}  "
            f"scopes {','.join(key.scopes)}  made by {maker}  {key.name}"
        )


@keys.command("revoke")
@click.argument("key_id", type=click.UUID)
@target_options
def keys_revoke(target: CommandTarget, key_id: UUID) -> None:
    """Revoke a key, from the next request on."""

    async def run(container: Container) -> None:
        await container.orgs.revoke_key(await chosen_org(container, target.org), key_id)

    run_in_container(target.data_dir, run)
    click.echo(f"Key {key_id} is revoked.")


@click.group()
def prices() -> None:
    """Prices of an organisation."""


@prices.command("set")
@click.option("--from", "source", required=True, type=_SOURCE, help="Source currency.")
@click.option("--to", "destination", required=True, type=_DESTINATION, help="Destination currency.")
@click.option("--rate", required=True, help="Units received per unit sent, as in 0.9998.")
@click.option("--fee", default="0", help="Fee as a fraction of the amount sent, as in 0.001.")
@target_options
def prices_set(
    target: CommandTarget, *, source: str, destination: str, rate: str, fee: str
) -> None:
    """Set the price of one pair, in one direction."""
    _check_pair(source, destination)
    price = _price(rate, fee)

    async def run(container: Container) -> None:
        org_id = await chosen_org(container, target.org)
        await container.prices.set_price(
            org_id,
            source_currency=source,
            destination_currency=destination,
            price=price,
            at=container.clock.stamp(await container.orgs.clock_offset(org_id)),
        )

    run_in_container(target.data_dir, run)
    click.echo(f"1 {source} buys {price.rate} {destination}, fee {fee}.")


@prices.command("remove")
@click.option("--from", "source", required=True, type=_SOURCE, help="Source currency.")
@click.option("--to", "destination", required=True, type=_DESTINATION, help="Destination currency.")
@target_options
def prices_remove(target: CommandTarget, *, source: str, destination: str) -> None:
    """Remove the price of one pair, in one direction, if it was set."""
    _check_pair(source, destination)

    async def run(container: Container) -> None:
        org_id = await chosen_org(container, target.org)
        await container.prices.remove_price(
            org_id,
            source_currency=source,
            destination_currency=destination,
            at=container.clock.stamp(await container.orgs.clock_offset(org_id)),
        )

    run_in_container(target.data_dir, run)
    click.echo(f"{source} > {destination} has no price that was set.")


@prices.command("list")
@target_options
def prices_list(target: CommandTarget) -> None:
    """List the prices that were set; a sandbox has its own for every other pair."""

    async def run(container: Container) -> list[str]:
        return [
            f"{row['source_currency']} > {row['destination_currency']}  {row['rate'].normalize():f}"
            f"  fee {row['fee_fraction'].normalize():f}  set {row['set_at']:%Y-%m-%d %H:%M}"
            for row in await container.prices.prices(await chosen_org(container, target.org))
        ]

    for line in run_in_container(target.data_dir, run, writes=False):
        click.echo(line)


@click.group()
def fees() -> None:
    """Fees of an organisation.

    The part of the sent amount that it keeps, whatever the price source.
    """


@fees.command("set")
@click.option("--from", "source", required=True, type=_SOURCE, help="Source currency.")
@click.option("--to", "destination", required=True, type=_DESTINATION, help="Destination currency.")
@click.option("--percent", required=True, help="Fee in percent of the amount sent, as in 0.25.")
@target_options
def fees_set(target: CommandTarget, *, source: str, destination: str, percent: str) -> None:
    """Set the fee of one pair, in one direction."""
    _check_pair(source, destination)

    async def run(container: Container) -> None:
        org_id = await chosen_org(container, target.org)
        at = container.clock.stamp(await container.orgs.clock_offset(org_id))
        await container.pair_fees.set(
            org_id, CurrencyPair(source, destination), percent, actor="cli", at=at
        )

    try:
        run_in_container(target.data_dir, run)
    except FieldInvalid as error:
        raise click.UsageError(str(error)) from error
    # Avoids printing `-0`.
    normalized = (Decimal(percent) + 0).normalize()
    click.echo(f"{normalized:f} % of {source} that is sent for {destination} is kept.")


@fees.command("remove")
@click.option("--from", "source", required=True, type=_SOURCE, help="Source currency.")
@click.option("--to", "destination", required=True, type=_DESTINATION, help="Destination currency.")
@target_options
def fees_remove(target: CommandTarget, *, source: str, destination: str) -> None:
    """Remove the fee of one pair, in one direction; the fee of its price applies again."""
    _check_pair(source, destination)

    async def run(container: Container) -> None:
        org_id = await chosen_org(container, target.org)
        at = container.clock.stamp(await container.orgs.clock_offset(org_id))
        await container.pair_fees.remove(
            org_id, CurrencyPair(source, destination), actor="cli", at=at
        )

    run_in_container(target.data_dir, run)
    click.echo(f"{source} > {destination} has no fee of the organisation's own.")


@fees.command("list")
@target_options
def fees_list(target: CommandTarget) -> None:
    """List the fees that were set."""

    async def run(container: Container) -> list[str]:
        return [
            f"{each.way.source} > {each.way.destination}  {each.percent} %"
            f"  set {each.set_at:%Y-%m-%d %H:%M}"
            for each in await container.pair_fees.all(await chosen_org(container, target.org))
        ]

    for line in run_in_container(target.data_dir, run, writes=False):
        click.echo(line)


def _scopes(names: tuple[str, ...]) -> frozenset[KeyScope]:
    """Return the chosen scopes; without a choice those of a full key."""
    return frozenset(map(KeyScope, names)) or DEFAULT_SCOPES


def _check_pair(source: str, destination: str) -> None:
    if not is_pair(source, destination):
        raise click.UsageError(
            f"{source} to {destination}: one of the two must be a stablecoin, and not both the same"
        )


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
    rounded = price.fee_fraction.quantize(_FEE_STEP)
    if rounded != price.fee_fraction:
        raise click.UsageError(f"fee {fee} must have at most 8 decimals")
    return replace(price, fee_fraction=rounded)
