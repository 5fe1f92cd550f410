"""Quotes of markets: amounts, bounds, and the choice between treasury and market."""

from decimal import Decimal
from pathlib import Path

import pytest

from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.markets import MarketRefused, NoMarkets, SwapProvider
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.evm.markets.connected_markets import ConnectedMarkets
from landbridge.providers.evm.markets.prices import gives_rate, price_limit
from landbridge.providers.evm.start_check import check_chain
from tests.market_world import COIN, MarketWorld, market_world
from tests.providers.evm.outbox.chain_orders import new_address
from tests.tenants import SWAPS, held, refusal, swap_body

USDC, USDT = (TOKENS[Chain.POLYGON, each].asset for each in ("usdc", "usdt"))
LARGE = 1_150_000 * COIN


def markets_of(world: MarketWorld) -> ConnectedMarkets:
    evm = world.chain.container.evm
    assert evm is not None
    return ConnectedMarkets(evm.chains, evm.clients)


@pytest.mark.long
async def test_a_market_is_quoted_less_the_slippage(tmp_path: Path, own_database: Database) -> None:
    async with market_world(tmp_path, own_database) as world:
        markets = markets_of(world)
        sale = await markets.quote_sale(Money(1000 * COIN, USDC), USDT)
        assert sale.sold.units == 1000 * COIN
        # 0.01 % for the pool, and the price moves by less than that.
        assert 999_890_000 < sale.expected.units < 999_900_000
        assert sale.least.units == sale.expected.units * 999 // 1000
        assert 0 < sale.gas.units < COIN // 10
        purchase = await markets.quote_purchase(Money(1000 * COIN, USDT), USDC)
        assert purchase.least.units == 1000 * COIN
        found = await markets.quote_sale(purchase.sold, USDT)
        assert 0 <= found.least.units - 1000 * COIN < 10
        for amount in (2_000_000 * COIN, 10**30):
            with pytest.raises(MarketRefused, match="too little liquidity"):
                await markets.quote_sale(Money(amount, USDC), USDT)
            with pytest.raises(MarketRefused, match="too little liquidity"):
                await markets.quote_purchase(Money(amount, USDT), USDC)
        context = world.chain.outbox.context
        assert (await check_chain(context.chain, context.clock)).problems == ()


@pytest.mark.long
@pytest.mark.parametrize("exact", ["in", "out"])
async def test_the_better_provider_is_chosen(
    tmp_path: Path, own_database: Database, exact: str
) -> None:
    """The treasury takes par; the fee of the organisation is the same for both."""
    async with market_world(tmp_path, own_database, provider="best") as world:
        user = await world.user(100)

        async def provider() -> str:
            body = swap_body(user, "50")
            if exact == "out":
                del body["source"]["amount"]
                body["destination"]["amount"] = "50"
            created = (await world.chain.org.post(SWAPS, body))["transferDetails"]
            fee = created["billingInformation"]["fees"][0]["amount"]
            swap = await world.swap(created["id"])
            assert 0.0497 <= fee <= 0.051
            assert ("market" in created) == swap.is_market
            return swap.details.provider.value

        assert await provider() == "TREASURY"
        # Now a usdc costs more than a usdt on the market.
        world.trade("usdt", "usdc", LARGE)
        assert await provider() == "MARKET"
        # The market that has too little does not hold up the treasury.
        world.trade("usdc", "usdt", 2 * LARGE)
        assert await provider() == "TREASURY"


@pytest.mark.long
async def test_coins_are_bought_for_outside_and_by_exact_amount(
    tmp_path: Path, own_database: Database
) -> None:
    async with market_world(tmp_path, own_database) as world:
        user, recipient = await world.user(), new_address()
        body = swap_body(user, "5", destination={"walletAddress": recipient, "amount": "3"})
        del body["source"]["amount"]
        created = (await world.chain.org.post(SWAPS, body))["transferDetails"]
        assert created["destination"]["amount"] == 3
        await world.chain.org.post(f"{SWAPS}/{created['id']}/accept")
        swap = await world.run_until(created["id"], "COMPLETED")
        assert swap.received is not None
        # What the market gives beyond the quote is the recipient's as well.
        assert 3 * COIN <= swap.received.units < 3_010_000
        assert await world.chain.balance("usdt", recipient) == swap.received.units
        left = Money(10 * COIN, USDC) - swap.source
        assert await held(world.chain.org, user) == str(left)


@pytest.mark.long
async def test_a_market_of_other_contracts_is_found_at_the_start(
    tmp_path: Path, own_database: Database
) -> None:
    wrong = {"quoter": "0x" + "12" * 20}
    async with market_world(tmp_path, own_database, market=wrong) as world:
        context = world.chain.outbox.context
        check = await check_chain(context.chain, context.clock)
        assert not check.is_usable
        assert "market.quoter" in check.summary
        user = await world.user()
        answer = await world.chain.org.send("POST", SWAPS, swap_body(user, "5"))
        assert refusal(answer) == "409 QUOTE_NOT_READY"


def test_a_price_has_a_limit_in_both_directions() -> None:
    par = 2**96
    first = price_limit(Decimal("0.98"), is_first=True, decimals=(6, 6))
    second = price_limit(Decimal("0.98"), is_first=False, decimals=(6, 6))
    assert first < par < second
    assert first**2 // 2**96 == pytest.approx(par * 98 // 100, rel=1e-9)
    assert second**2 // 2**96 == pytest.approx(par * 100 // 98, rel=1e-9)
    finer = price_limit(Decimal(1), is_first=True, decimals=(6, 18))
    assert finer == 10**6 * par


@pytest.mark.parametrize(("bought", "is_enough"), [(979_999, False), (980_000, True)])
def test_the_least_rate_is_exact(bought: int, *, is_enough: bool) -> None:
    assert gives_rate(Decimal("0.98"), Money(COIN, USDC), Money(bought, USDT)) is is_enough


async def test_without_a_market_the_treasury_swaps() -> None:
    markets = NoMarkets()
    assert markets.provider(USDC, USDT) is SwapProvider.TREASURY
    with pytest.raises(MarketRefused):
        await markets.quote_sale(Money(1, USDC), USDT)
    with pytest.raises(MarketRefused):
        await markets.quote_purchase(Money(1, USDC), USDT)
    assert ConnectedMarkets({}, {}).provider(USDC, USDT) is SwapProvider.TREASURY
