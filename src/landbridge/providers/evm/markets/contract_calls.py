"""Calls and events of a market's contracts, as the platform uses them.

Source: Uniswap/v3-periphery (ISwapRouter, IQuoterV2), Uniswap/swap-router-contracts (IV3SwapRouter)
and Uniswap/v3-core (IUniswapV3Pool). A price limit of zero is none: the least amount bounds a swap.
"""

from landbridge.platform.formats.evm_addresses import keccak256
from landbridge.providers.evm.abi import AbiFunction
from landbridge.providers.evm.market_configuration import RouterInterface

# Parameters: token in, token out, fee, recipient, deadline, amount in, least amount out, price
# limit.
SWAP_WITH_DEADLINE = AbiFunction(
    "exactInputSingle",
    ("address", "address", "uint24", "address", "uint256", "uint256", "uint256", "uint160"),
    has_struct=True,
)
# The same parameters without a deadline.
SWAP_02 = AbiFunction(
    "exactInputSingle",
    ("address", "address", "uint24", "address", "uint256", "uint256", "uint160"),
    has_struct=True,
)
# Parameters: token in, token out, amount (in or out), fee, price limit. The answer begins with the
# other amount and the price after the swap; its last word is the gas of the swap.
_QUOTED = ("address", "address", "uint256", "uint24", "uint160")
QUOTE_SALE = AbiFunction("quoteExactInputSingle", _QUOTED, has_struct=True)
QUOTE_PURCHASE = AbiFunction("quoteExactOutputSingle", _QUOTED, has_struct=True)

# Functions of routers, quoters, pools, and the factory.
FACTORY = AbiFunction("factory", ())
POOL_FEE = AbiFunction("fee", ())
GET_POOL = AbiFunction("getPool", ("address", "address", "uint24"))

SWAP_TOPIC = "0x" + keccak256(b"Swap(address,address,int256,int256,uint160,uint128,int24)").hex()


def encode_swap(
    interface: RouterInterface,
    *,
    sold: str,
    bought: str,
    fee: int,
    recipient: str,
    deadline_s: int,
    amount_units: int,
    least_units: int,
) -> bytes:
    """Return the router's call that sells an exact amount of one token for another."""
    head, tail = (sold, bought, fee, recipient), (amount_units, least_units, 0)
    if interface is RouterInterface.ROUTER:
        return SWAP_WITH_DEADLINE.encode(*head, deadline_s, *tail)
    return SWAP_02.encode(*head, *tail)
