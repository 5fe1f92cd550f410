"""Calls that sell the coins of an order on the market of its chain, and reasons of failure.

Pure.
"""

from collections.abc import Sequence

from landbridge.platform.core.errors import InvariantBroken
from landbridge.providers.evm import abi
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.market_configuration import MarketContracts, MarketPool
from landbridge.providers.evm.markets.contract_calls import encode_swap
from landbridge.providers.evm.markets.fills import MarketFill
from landbridge.providers.evm.node_errors import SimulationFailure, SimulationFailureKind
from landbridge.providers.evm.outbox.model import OutboxOrder, SwapTerms
from landbridge.providers.evm.signing.model import AccountCall

BELOW_MINIMUM = "the market gives less than the minimum of the quote"
TOO_LITTLE = "the market has too little liquidity for this amount"
NO_POOL = "the chain has no market for these coins any more"
_PAUSED = "the issuer of one of the tokens has paused all transfers"
_BLOCKED = "the issuer of one of the tokens has blocked an address of the swap"
_SOLD_REFUSED = "the contract of the coins sold refuses the swap: its issuer may have paused it"
_BOUGHT_REFUSED = (
    "the contract of the coins bought refuses to pay the recipient: "
    "its issuer may have paused it, or blocked the recipient"
)
_REFUSED = "the contracts of the tokens or of the market refuse the swap"
# Revert texts of Uniswap's contracts. Source: Uniswap/v3-periphery, SwapRouter.sol and
# TransferHelper.sol; Uniswap/v3-core, libraries/TransferHelper.sol.
_REASONS = {
    "Too little received": BELOW_MINIMUM,
    "STF": _SOLD_REFUSED,
    "TF": _BOUGHT_REFUSED,
}
_KINDS = {
    SimulationFailureKind.PAUSED: _PAUSED,
    SimulationFailureKind.BLOCKED: _BLOCKED,
    # A swap larger than all liquidity passes every price, and so runs out of gas.
    SimulationFailureKind.OUT_OF_GAS: TOO_LITTLE,
    SimulationFailureKind.REVERTED: _REFUSED,
}


def market_of(chain: EvmChain, order: OutboxOrder) -> tuple[MarketContracts, MarketPool] | None:
    """Return the market and pool of an order; None if the chain has none for it."""
    market, terms = chain.market, order.swap
    if market is None or terms is None or terms.bought not in chain.tokens:
        return None
    pool = market.pool_of(order.currency, terms.bought)
    return None if pool is None else (market, pool)


def terms_of(order: OutboxOrder) -> SwapTerms:
    """Return the terms of a swap; raises `InvariantBroken` for another order."""
    if order.swap is None:
        raise InvariantBroken(f"order {order.key} is no swap")
    return order.swap


def expected_fill(chain: EvmChain, order: OutboxOrder) -> MarketFill:
    """Return what the pool's events must say for an order, with the minimum of units bought.

    An amount that was booked must not become less: see `least_units`.
    """
    terms = terms_of(order)
    (leg,) = order.legs
    return MarketFill(
        payer=order.source,
        recipient=leg.destination,
        sold=chain.tokens[order.currency].address,
        sold_units=order.units - terms.fee_units,
        bought=chain.tokens[terms.bought].address,
        bought_units=terms.least_units,
    )


def least_units(order: OutboxOrder) -> int:
    """Return the minimum of units bought: that of the terms, or the units of a booked fill."""
    return terms_of(order).least_units if order.received_units is None else order.received_units


def swap_calls(chain: EvmChain, order: OutboxOrder, *, deadline_s: int) -> Sequence[AccountCall]:
    """Return the calls of an account that swaps; no allowance is left afterwards.

    Some tokens change an allowance only from or to zero, so it is first set to zero.
    """
    found = market_of(chain, order)
    if found is None:
        raise InvariantBroken(f"order {order.key} has no market")
    market, pool = found
    terms, fill = terms_of(order), expected_fill(chain, order)
    calls = [
        (fill.sold, abi.encode_approve(spender=market.router, amount_units=units))
        for units in (0, fill.sold_units)
    ]
    swap = encode_swap(
        market.interface,
        sold=fill.sold,
        bought=fill.bought,
        fee=pool.fee,
        recipient=fill.recipient,
        deadline_s=deadline_s,
        amount_units=fill.sold_units,
        least_units=least_units(order),
    )
    calls.append((market.router, swap))
    if terms.fee_to is not None:
        fee = abi.encode_transfer(destination=terms.fee_to, amount_units=terms.fee_units)
        calls.append((fill.sold, fee))
    return [AccountCall(destination=each, value_wei=0, data=data) for each, data in calls]


def find_market_refusal(failure: SimulationFailure) -> str | None:
    """Return the refusal that a failed simulation means; None if the swap may succeed later."""
    known = None if failure.reason is None else _REASONS.get(failure.reason)
    return known or _KINDS.get(failure.kind)
