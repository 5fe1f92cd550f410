"""Markets in the chains file: what it may say, and the sentence for each mistake."""

from decimal import Decimal

import pytest

from landbridge.providers.chains.markets import SwapProvider
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.configuration import parse_chains
from landbridge.providers.evm.configuration_table import ChainsFileError
from landbridge.providers.evm.market_configuration import RouterInterface
from tests.providers.evm.test_configuration import CHAIN
from tests.sources import ROOT

ROUTER, QUOTER, POOL, USDT = ("0x" + digit * 40 for digit in "6789")
POOLS = f'[chains.POLYGON.market.pools.usdc-usdt]\naddress = "{POOL}"\nfee = 100\n'
MARKET = f"""
[chains.POLYGON.tokens.usdt]
address = "{USDT}"
decimals = 6
[chains.POLYGON.market]
interface = "swap-router-02"
router = "{ROUTER}"
quoter = "{QUOTER}"
"""
FILE = CHAIN + MARKET + POOLS


def test_a_market_is_read() -> None:
    market = parse_chains(FILE)[Network.POLYGON].market
    assert market is not None
    assert (market.router, market.quoter) == (ROUTER, QUOTER)
    assert market.interface is RouterInterface.ROUTER_02
    assert (market.slippage_bps, market.patience_s) == (10, 300)
    assert (market.least_rate, market.coin_price) == (Decimal("0.98"), None)
    pool = market.pool_of("usdt", "usdc")
    assert pool is not None
    assert pool == market.pool_of("usdc", "usdt")
    assert (pool.address, pool.fee, pool.provider) == (POOL, 100, SwapProvider.TREASURY)
    assert market.pool_of("usdc", "usdHifi") is None
    assert parse_chains(CHAIN)[Network.POLYGON].market is None


def test_the_example_of_the_reference_is_read() -> None:
    page = (ROOT / "docs" / "reference" / "chains-file.md").read_text(encoding="utf-8")
    (example,) = [each for each in page.split("```toml")[1:] if ".market" in each]
    text = (CHAIN + MARKET.partition("[chains.POLYGON.market]")[0]).replace("POLYGON", "ETHEREUM")
    market = parse_chains(text + example.partition("```")[0])[Network.ETHEREUM].market
    assert market is not None
    assert market.pools[0].provider is SwapProvider.BEST


def wrong(old: str, new: str) -> str:
    assert old in FILE
    return FILE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (wrong('"eip7702", ', ""), "router needs eip7702 in sponsor"),
        (wrong("swap-router-02", "v4"), "interface must be swap-router or swap-router-02"),
        (wrong(ROUTER, "0x12"), "router "),
        (FILE.replace(POOLS, "pools = {}\n"), "pools must have at least one pool"),
        (wrong("usdc-usdt", "usdc-usdg"), "pools.usdc-usdg must be named after two of"),
        (wrong("usdc-usdt", "usdc-usdc"), "pools.usdc-usdc must be named after two of"),
        (FILE + POOLS.replace("usdc-usdt", "usdt-usdc"), "pools.usdt-usdc is the second pool"),
        (FILE + 'provider = "cheapest"\n', "pools.usdc-usdt.provider must be treasury, market or"),
        (FILE + 'provider = "best"\n', "coin_price is required"),
        (wrong("fee = 100", "fee = 0"), "pools.usdc-usdt.fee must be a whole number from 1"),
        (wrong("fee = 100", "fee = 100\nfees = 1"), "pools.usdc-usdt.fees is unknown"),
        *(
            (wrong("interface =", f"{member}\ninterface ="), sentence)
            for member, sentence in (
                ("slippage_bps = 501", "slippage_bps must be a whole number from 0 to 500"),
                ("patience_s = 59", "patience_s must be a whole number from 60 to 3600"),
                ("least_rate = 0.9", "least_rate must be text"),
                ('least_rate = "1.1"', "least_rate must be above 0 and at most 1"),
                ('least_rate = "0"', "least_rate must be above 0"),
                ('coin_price = "a"', "coin_price must be a decimal in quotes"),
                ("more = 1", "more is unknown"),
            )
        ),
    ],
)  # fmt: skip
def test_a_wrong_market_has_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ChainsFileError, match=rf"^chains\.POLYGON\.market\.{sentence}"):
        parse_chains(text)
