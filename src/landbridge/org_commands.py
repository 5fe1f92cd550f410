"""Commands on tenants: organisations, keys, prices and fees. `cli` gathers them."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from uuid import UUID

import click

from landbridge.console import chosen_org, in_house
from landbridge.core.errors import FieldInvalid, LandbridgeError
from landbridge.core.money import Rate
from landbridge.desk import data_dir_option, org_option
from landbridge.orgs.model import ApiKey
from landbridge.quotes.pairs import RECEIVED, SENT, is_pair
from landbridge.rates.fees import Way
from landbridge.rates.port import Price
from landbridge.wiring import House

# Far beyond any currency, and near enough that amounts keep within their 38 digits.
_RATE_MIN, _RATE_MAX = Decimal("0.000001"), Decimal(1_000_000)

# What the price table keeps of a fee: numeric(9,8).
_FEE_STEP = Decimal("0.00000001")
_SENT, _RECEIVED = click.Choice(SENT), click.Choice(RECEIVED)


@click.group()
def orgs() -> None:
    """Organisations."""


@orgs.command("create")
@click.option("--name", required=True, help="What the organisation is called.")
@data_dir_option
def orgs_create(name: str, data_dir: str | None) -> None:
    """Make an organisation and its first key; the key is the last line of output."""

    async def run(house: House) -> tuple[UUID, str]:
        org = await house.orgs.create(name)
        _, secret = await house.orgs.create_key(org.id, "first key", expires_at=None)
        return org.id, secret

    org_id, secret = in_house(data_dir, run, may_make=True)
    click.echo(f"Organisation {org_id}. Its API key, shown this once:")
    click.echo(secret)


@orgs.command("list")
@data_dir_option
def orgs_list(data_dir: str | None) -> None:
    """All organisations."""
    for org in in_house(data_dir, lambda house: house.orgs.all(), writes=False):
        frozen = f"  frozen since {org.frozen_at:%Y-%m-%d}" if org.frozen_at else ""
        why = f" ({org.frozen_reason})" if org.frozen_reason else ""
        click.echo(f"{org.id}  {org.created_at:%Y-%m-%d}  {org.name}{frozen}{why}")


@orgs.command("freeze")
@click.option("--org", type=click.UUID, required=True, help="The organisation's id.")
@click.option("--reason", help="A note of yours, shown by `orgs list`; it names no person.")
@data_dir_option
def orgs_freeze(org: UUID, reason: str | None, data_dir: str | None) -> None:
    """Let an organisation look, and move nothing, from the next request on."""

    async def run(house: House) -> None:
        await house.orgs.freeze(await chosen_org(house, org), reason=reason)

    in_house(data_dir, run)
    click.echo(f"Organisation {org} is frozen.")


@orgs.command("unfreeze")
@click.option("--org", type=click.UUID, required=True, help="The organisation's id.")
@data_dir_option
def orgs_unfreeze(org: UUID, data_dir: str | None) -> None:
    """Let an organisation move money again."""

    async def run(house: House) -> None:
        await house.orgs.unfreeze(await chosen_org(house, org))

    in_house(data_dir, run)
    click.echo(f"Organisation {org} is not frozen.")


@click.group()
def keys() -> None:
    """API keys of an organisation (the first one, unless --org says which)."""


@keys.command("create")
@click.option("--name", required=True, help="What the key is for.")
@click.option("--expires-in-days", type=click.IntRange(1, 3650), help="Never, if left out.")
@click.option("--reviewer", is_flag=True, help="It may decide reviews.")
@click.option("--approver", is_flag=True, help="It may decide on approvals.")
@org_option
@data_dir_option
def keys_create(
    *,
    name: str,
    expires_in_days: int | None,
    reviewer: bool,
    approver: bool,
    org: UUID | None,
    data_dir: str | None,
) -> None:
    """Make a key; it is the last line of output. Others stay valid, so that keys can overlap."""

    async def run(house: House) -> str:
        expires_at = (
            None if expires_in_days is None else house.clock.now() + timedelta(days=expires_in_days)
        )
        org_id = await chosen_org(house, org)
        _, secret = await house.orgs.create_key(
            org_id, name, expires_at=expires_at, can_review=reviewer, can_approve=approver
        )
        return secret

    click.echo(in_house(data_dir, run))


@keys.command("list")
@org_option
@data_dir_option
def keys_list(org: UUID | None, data_dir: str | None) -> None:
    """All keys, without their secrets."""

    async def run(house: House) -> list[tuple[ApiKey, str, str]]:
        now, org_id = house.clock.now(), await chosen_org(house, org)
        emails = {each.id: each.email for each in await house.members.everybody(org_id)}
        return [
            (key, key.state(now), emails[key.made_by] if key.made_by else "a command")
            for key in await house.orgs.keys(org_id)
        ]

    for key, state, maker in in_house(data_dir, run, writes=False):
        expires = f"{key.expires_at:%Y-%m-%d}" if key.expires_at else "never"
        used = f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never"
        role = "  reviewer" * key.can_review + "  approver" * key.can_approve
        click.echo(
            f"{key.id}  …{key.hint}  {state}  expires {expires}  last used {used}{role}  "
            f"made by {maker}  {key.name}"
        )


@keys.command("revoke")
@click.argument("key_id", type=click.UUID)
@org_option
@data_dir_option
def keys_revoke(key_id: UUID, org: UUID | None, data_dir: str | None) -> None:
    """End a key, from the next request on."""

    async def run(house: House) -> None:
        await house.orgs.revoke_key(await chosen_org(house, org), key_id)

    in_house(data_dir, run)
    click.echo(f"Key {key_id} is revoked.")


@click.group()
def prices() -> None:
    """What an organisation changes money at."""


@prices.command("set")
@click.option("--from", "source", required=True, type=_SENT, help="Currency that is sent.")
@click.option("--to", "destination", required=True, type=_RECEIVED, help="And received.")
@click.option("--rate", required=True, help="Units received per unit sent, as in 0.9998.")
@click.option("--fee", default="0", help="Part of what is sent that is kept, as in 0.001.")
@org_option
@data_dir_option
def prices_set(
    *, source: str, destination: str, rate: str, fee: str, org: UUID | None, data_dir: str | None
) -> None:
    """Set the price of one pair, in one direction."""
    _check_pair(source, destination)
    price = _price(rate, fee)

    async def run(house: House) -> None:
        org_id = await chosen_org(house, org)
        await house.prices.set_price(
            org_id,
            source_currency=source,
            destination_currency=destination,
            price=price,
            at=house.clock.stamp(await house.orgs.clock_offset(org_id)),
        )

    in_house(data_dir, run)
    click.echo(f"1 {source} buys {price.rate} {destination}, fee {fee}.")


@prices.command("remove")
@click.option("--from", "source", required=True, type=_SENT, help="Currency that is sent.")
@click.option("--to", "destination", required=True, type=_RECEIVED, help="And received.")
@org_option
@data_dir_option
def prices_remove(*, source: str, destination: str, org: UUID | None, data_dir: str | None) -> None:
    """Remove the price of one pair, in one direction, if it was set."""
    _check_pair(source, destination)

    async def run(house: House) -> None:
        org_id = await chosen_org(house, org)
        await house.prices.remove_price(
            org_id,
            source_currency=source,
            destination_currency=destination,
            at=house.clock.stamp(await house.orgs.clock_offset(org_id)),
        )

    in_house(data_dir, run)
    click.echo(f"{source} > {destination} has no price that was set.")


@prices.command("list")
@org_option
@data_dir_option
def prices_list(org: UUID | None, data_dir: str | None) -> None:
    """Prices that were set; a sandbox has its own for every other pair."""

    async def run(house: House) -> list[str]:
        return [
            f"{row['source_currency']} > {row['destination_currency']}  {row['rate'].normalize():f}"
            f"  fee {row['fee_fraction'].normalize():f}  set {row['set_at']:%Y-%m-%d %H:%M}"
            for row in await house.prices.prices(await chosen_org(house, org))
        ]

    for line in in_house(data_dir, run, writes=False):
        click.echo(line)


@click.group()
def fees() -> None:
    """What an organisation keeps of what is sent, wherever the price comes from."""


@fees.command("set")
@click.option("--from", "source", required=True, type=_SENT, help="Currency that is sent.")
@click.option("--to", "destination", required=True, type=_RECEIVED, help="And received.")
@click.option("--percent", required=True, help="Per cent of what is sent, as in 0.25.")
@org_option
@data_dir_option
def fees_set(
    *, source: str, destination: str, percent: str, org: UUID | None, data_dir: str | None
) -> None:
    """Set the fee of one pair, in one direction."""
    _check_pair(source, destination)

    async def run(house: House) -> None:
        org_id = await chosen_org(house, org)
        at = house.clock.stamp(await house.orgs.clock_offset(org_id))
        await house.fees.set(org_id, Way(source, destination), percent, actor="cli", at=at)

    try:
        in_house(data_dir, run)
    except FieldInvalid as error:
        raise click.UsageError(str(error)) from error
    # Nothing is not told as `-0`.
    kept = (Decimal(percent) + 0).normalize()
    click.echo(f"{kept:f} % of {source} that is sent for {destination} is kept.")


@fees.command("remove")
@click.option("--from", "source", required=True, type=_SENT, help="Currency that is sent.")
@click.option("--to", "destination", required=True, type=_RECEIVED, help="And received.")
@org_option
@data_dir_option
def fees_remove(*, source: str, destination: str, org: UUID | None, data_dir: str | None) -> None:
    """Remove the fee of one pair, in one direction; that of its price counts again."""
    _check_pair(source, destination)

    async def run(house: House) -> None:
        org_id = await chosen_org(house, org)
        at = house.clock.stamp(await house.orgs.clock_offset(org_id))
        await house.fees.remove(org_id, Way(source, destination), actor="cli", at=at)

    in_house(data_dir, run)
    click.echo(f"{source} > {destination} has no fee of the organisation's own.")


@fees.command("list")
@org_option
@data_dir_option
def fees_list(org: UUID | None, data_dir: str | None) -> None:
    """Fees of the organisation's own."""

    async def run(house: House) -> list[str]:
        return [
            f"{each.way.source} > {each.way.destination}  {each.percent} %"
            f"  set {each.set_at:%Y-%m-%d %H:%M}"
            for each in await house.fees.all(await chosen_org(house, org))
        ]

    for line in in_house(data_dir, run, writes=False):
        click.echo(line)


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
    kept = price.fee_fraction.quantize(_FEE_STEP)
    if kept != price.fee_fraction:
        raise click.UsageError(f"fee {fee} must have at most 8 decimals")
    return replace(price, fee_fraction=kept)
