"""Moves of market prices that are too large for a day."""

from datetime import timedelta

from tests.providers.rates.test_market import CALM, MarketSetup, setup

__all__ = ["setup"]


async def test_many_small_moves_within_a_day_are_one_move(setup: MarketSetup) -> None:
    for usd in ("0.2", "0.25", "0.266"):
        await setup.poll(CALM | {"brl": usd})
    assert await setup.market.find_failure() is None
    await setup.poll(CALM | {"brl": "0.267"})
    assert "brl was worth 0.2 dollars" in (await setup.market.find_failure() or "")
    # The next day begins with the last accepted rate.
    for _ in range(23):
        setup.clock.at += timedelta(hours=1)
        await setup.poll(CALM | {"brl": "0.266"})
    await setup.poll(CALM | {"brl": "0.3"})
    assert await setup.market.find_failure() is not None
    setup.clock.at += timedelta(hours=1)
    for usd in ("0.3", "0.35"):
        await setup.poll(CALM | {"brl": usd})
        assert await setup.market.find_failure() is None
    await setup.poll(CALM | {"brl": "0.36"})
    assert "brl was worth 0.266 dollars" in (await setup.market.find_failure() or "")
