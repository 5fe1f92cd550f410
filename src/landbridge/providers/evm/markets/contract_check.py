"""Check at start that a market's router, quoter and pools belong together."""

from landbridge.platform.formats.evm_addresses import checksummed
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.contract_numbers import read_number
from landbridge.providers.evm.market_configuration import MarketContracts, MarketPool
from landbridge.providers.evm.markets.contract_calls import FACTORY, GET_POOL, POOL_FEE
from landbridge.providers.evm.rpc import ChainClient


async def market_problems(
    client: ChainClient, chain: EvmChain, market: MarketContracts
) -> list[str]:
    """Return problems: missing code, different factories, or a pool that is not the router's.

    The router does not ask its factory for a pool: it computes the pool's address from tokens and
    fee.
    """
    problems = [
        f"market.{name} {address} has no code"
        for name, address in (("router", market.router), ("quoter", market.quoter))
        if not await client.code(address)
    ]
    if problems:
        return problems
    factory = await read_number(client, market.router, FACTORY)
    if factory is None or factory != await read_number(client, market.quoter, FACTORY):
        return [f"market.quoter {market.quoter} is of another factory than the router"]
    for pool in market.pools:
        problem = await _pool_problem(client, chain, pool, factory)
        if problem is not None:
            problems.append(f"market.pools.{'-'.join(sorted(pool.currencies))} {problem}")
    return problems


async def _pool_problem(
    client: ChainClient, chain: EvmChain, pool: MarketPool, factory: int
) -> str | None:
    fee = await read_number(client, pool.address, POOL_FEE)
    if fee != pool.fee:
        found = "does not answer its fee" if fee is None else f"has the fee {fee}, not {pool.fee}"
        return f"{pool.address} {found}"
    tokens = [chain.tokens[each].address for each in sorted(pool.currencies)]
    address = checksummed(f"{factory:040x}")
    known = await read_number(client, address, GET_POOL, *tokens, pool.fee)
    if known != int(pool.address, 16):
        return f"{pool.address} is not the pool of the router for these tokens"
    return None
