"""The organisation's own prices override the default, by pair and direction."""

from decimal import Decimal

from landbridge.platform.core.money import Rate
from landbridge.providers.rates.port import Price
from landbridge.providers.rates.price_table import PriceTable, no_price
from landbridge.providers.rates.sandbox import sandbox_price
from tests.tenants import Tenant


async def _set(org: Tenant, source: str, destination: str, rate: str) -> Price:
    await org.container.prices.set_price(
        org.org_id,
        source_currency=source,
        destination_currency=destination,
        price=Price(Rate(Decimal(rate)), Decimal(0), None),
        at=org.container.clock.stamp(),
    )
    return await _get(org, source, destination)


async def _get(org: Tenant, source: str, destination: str) -> Price:
    found = await org.container.prices.price(
        org.org_id, source_currency=source, destination_currency=destination
    )
    assert found is not None
    return found


async def test_a_price_that_was_set_wins_in_its_direction(org: Tenant) -> None:
    mine = await _set(org, "usdc", "brl", "5.4321")
    assert (str(mine.rate), mine.as_of is None) == ("5.4321", False)
    assert await _get(org, "brl", "usdc") == sandbox_price("brl", "usdc")
    assert await _get(org, "usdt", "brl") == sandbox_price("usdt", "brl")


async def test_a_corridor_has_a_price_of_its_own(org: Tenant) -> None:
    await _set(org, "usdc", "usd-hka", "0.99")
    assert await _get(org, "usdc", "usd") == sandbox_price("usdc", "usd")
    assert str((await _get(org, "usdc", "usd-hka")).rate) == "0.99"


async def test_another_organisation_has_its_own(org: Tenant, other_org: Tenant) -> None:
    await _set(org, "usdc", "brl", "5.4321")
    assert await _get(other_org, "usdc", "brl") == sandbox_price("usdc", "brl")


async def test_outside_a_sandbox_only_set_pairs_have_a_price(org: Tenant) -> None:
    await _set(org, "usdc", "brl", "5.4321")
    table = PriceTable(org.container.database, no_price)
    pairs = [("usdc", "brl"), ("usdc", "usdt"), ("usdc", "usd")]
    found = [
        await table.price(org.org_id, source_currency=source, destination_currency=destination)
        for source, destination in pairs
    ]
    assert [each is not None for each in found] == [True, False, False]
