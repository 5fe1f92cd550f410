"""Market of a local chain: the genuine contracts of Uniswap v3, with a pool of two stablecoins.

The contracts have the licence GPL-2.0-or-later. Their packages are downloaded when a chain needs
them, pinned as the node's binary is; nothing of them is stored here.
"""

import json
from pathlib import Path

from msgspec import structs

from chains.artifacts import encode_call, encode_values
from chains.configuration import ChainConfiguration, MarketConfiguration, PoolConfiguration
from chains.packages import CACHE, Package, fetch
from chains.rpc import Rpc
from landbridge.platform.formats.evm_addresses import checked_evm_address

CORE = Package(
    "@uniswap/v3-core",
    "1.0.1",
    "sha512-7pVk4hEm00j9tc71Y9+ssYpO6ytkeI0y7WE9P6UcmNzhxPePwyAxImuhVsTqWK9YFvzgtvzJHi64pBl4jUzKMQ==",
)
PERIPHERY = Package(
    "@uniswap/v3-periphery",
    "1.4.4",
    "sha512-S4+m+wh8HbWSO3DKk4LwUCPZJTpCugIsHrWR86m/OrUyvSqGDTXKFfc2sMuGXCZrD1ZqO3rhQsKgdWg3Hbb2Kw==",
)
ROUTERS = Package(
    "@uniswap/swap-router-contracts",
    "1.3.1",
    "sha512-mh/YNbwKb7Mut96VuEtL+Z5bRe0xVIbjjiryn+iMMrK2sFKhR4duk/86mEz0UO5gSx4pQIw9G5276P5heY/7Rg==",
)

PAIR = ("usdc", "usdt")
# 0.01 %, with a price for each unit of its scale.
FEE, _TICK_SPACING = 100, 1
# Distances from par in units of the scale, each with whole coins of each token: almost all swaps
# are within a thousandth, and beyond that a price still exists.
_TICKS = (10, 500)
DEPTH = 1_000_000
_PAR = 2**96
_NO_ADDRESS = "0x" + "0" * 40
# The contracts wrap native coins in a token of this address; nothing here does.
_NO_WRAPPER = "0x" + "0" * 39 + "1"
_FOREVER_S = 2**40
# More than the creation of a pool takes.
_GAS = 8_000_000


def has_market(rpc: Rpc, configuration: ChainConfiguration) -> bool:
    """Whether the node has the contracts of the configuration's market."""
    market = configuration.market
    return market is not None and rpc.code(market.router) != "0x"


def deploy_market(
    rpc: Rpc,
    configuration: ChainConfiguration,
    *,
    interface: str = "swap-router-02",
    provider: str = "market",
    cache: Path = CACHE,
) -> ChainConfiguration:
    """Deploy the market from the node's first account, which provides its liquidity.

    Raises:
        MissingRequirement: npm is absent, or could not download the packages.
        RpcError: The node refused a transaction.
    """
    core, periphery, routers = (fetch(each, cache) for each in (CORE, PERIPHERY, ROUTERS))
    factory = _deploy(rpc, core / "artifacts/contracts/UniswapV3Factory.sol")
    contracts = periphery / "artifacts/contracts"
    positions = _deploy(
        rpc, contracts / "NonfungiblePositionManager.sol", factory, _NO_WRAPPER, _NO_ADDRESS
    )
    quoter = _deploy(rpc, contracts / "lens/QuoterV2.sol", factory, _NO_WRAPPER)
    if interface == "swap-router":
        router = _deploy(rpc, contracts / "SwapRouter.sol", factory, _NO_WRAPPER)
    else:
        folder = routers / "artifacts/contracts/SwapRouter02.sol"
        router = _deploy(rpc, folder, _NO_ADDRESS, factory, positions, _NO_WRAPPER)
    tokens = sorted((configuration.tokens[each].address for each in PAIR), key=_number)
    _send(rpc, factory, "enableFeeAmount(uint24,int24)", FEE, _TICK_SPACING)
    _send(rpc, factory, "createPool(address,address,uint24)", *tokens, FEE)
    read = rpc.read(factory, encode_call("getPool(address,address,uint24)", *tokens, FEE))
    pool = checked_evm_address(f"0x{read[-40:]}")
    _send(rpc, pool, "initialize(uint160)", _PAR)
    for each in tokens:
        _send(rpc, each, "approve(address,uint256)", positions, 2**255)
    decimals = configuration.tokens[PAIR[0]].decimals
    for ticks in _TICKS:
        _add_liquidity(rpc, positions, tokens, DEPTH * 10**decimals, ticks)
    market = MarketConfiguration(
        interface=interface,
        router=router,
        quoter=quoter,
        coin_price="0.5",
        pools={"-".join(PAIR): PoolConfiguration(address=pool, fee=FEE, provider=provider)},
    )
    return structs.replace(configuration, market=market)


def _add_liquidity(rpc: Rpc, positions: str, tokens: list[str], units: int, ticks: int) -> None:
    """Provide as many units of each token up to a distance from par."""
    _send(
        rpc,
        positions,
        "mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))",
        *(*tokens, FEE, -ticks % 2**256, ticks),
        *(units, units, 0, 0, rpc.accounts()[0], _FOREVER_S),
    )


def _deploy(rpc: Rpc, folder: Path, *arguments: str) -> str:
    artifact = json.loads((folder / f"{folder.stem}.json").read_bytes())
    sent = rpc.send(rpc.accounts()[0], artifact["bytecode"] + encode_values(*arguments))
    rpc.mine()
    return checked_evm_address(rpc.await_receipt(sent)["contractAddress"])


def _send(rpc: Rpc, contract: str, signature: str, *values: int | str) -> None:
    # A pool writes more in a new second than in the one of the estimate.
    request = {
        "from": rpc.accounts()[0],
        "to": contract,
        "data": encode_call(signature, *values),
        "gas": hex(_GAS),
    }
    sent = rpc.call("eth_sendTransaction", request)
    rpc.mine()
    rpc.await_receipt(sent)


def _number(address: str) -> int:
    return int(address, 16)
