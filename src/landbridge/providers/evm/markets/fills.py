"""Fills of a pool: amounts given and paid, read from the events of a transaction.

A pool of Uniswap v3 first transfers what it gives, then takes what is paid, then reports the swap;
until then it takes part in no other swap. So the payer of a transfer out of the pool is the source
of the next transfer into it. Source: Uniswap/v3-core, UniswapV3Pool.sol (swap).

Tokens and pools are configured contracts, so no other contract can forge these events. But a caller
of the pool runs code of its own between the two transfers. Anybody can transfer an amount of zero
from any address, so such transfers are ignored. A swap that several addresses paid has no payer.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from landbridge.providers.evm.abi import EXECUTED_TOPIC, TokenTransfer, decode_transfer
from landbridge.providers.evm.chain_data import EventLog
from landbridge.providers.evm.markets.contract_calls import SWAP_TOPIC


class MarketFill(msgspec.Struct, frozen=True, kw_only=True):
    """Swap in a pool: the amounts paid by `payer` and given to `recipient`."""

    payer: str
    recipient: str
    sold: str
    sold_units: int
    bought: str
    bought_units: int


def find_payer(
    logs: Sequence[EventLog], *, log_index: int, pool: str, tokens: Mapping[str, str]
) -> str | None:
    """Return who paid for the transfer out of the pool at `log_index`; None if nobody did.

    `tokens` are the chain's token contracts.
    """
    fill = next((fill for index, fill in _fills(logs, pool, tokens) if index == log_index), None)
    return None if fill is None else fill.payer


def received_units(
    logs: Sequence[EventLog], expected: MarketFill, *, pool: str, key: bytes
) -> int | None:
    """Return the units that an order's swap gave; None unless the logs have it exactly once.

    `expected` describes the order: its `bought_units` are the minimum. `key` is the order's nonce
    at the delegate contract, which reports it after the calls of the account.
    """
    tokens = {expected.sold: expected.sold, expected.bought: expected.bought}
    ends = [
        log.log_index
        for log in _sorted(logs)
        if log.address == expected.payer and log.topics[:1] == (EXECUTED_TOPIC,)
    ]
    here = {
        log.log_index
        for log in logs
        if log.address == expected.payer and log.topics == (EXECUTED_TOPIC, f"0x{key.hex()}")
    }
    found = [
        fill.bought_units
        for start, end in pairwise([-1, *ends])
        if end in here
        for index, fill in _fills(logs, pool, tokens)
        if start < index < end
        and msgspec.structs.replace(fill, bought_units=expected.bought_units) == expected
        and fill.bought_units >= expected.bought_units
    ]
    return found[0] if len(found) == 1 else None


def _fills(
    logs: Sequence[EventLog], pool: str, tokens: Mapping[str, str]
) -> Iterator[tuple[int, MarketFill]]:
    """Yield the swaps of a pool, each with the index of the log that transfers out of the pool."""
    given: tuple[EventLog, TokenTransfer] | None = None
    paid: tuple[EventLog, TokenTransfer] | None = None
    for log in _sorted(logs):
        if log.address == pool and log.topics[:1] == (SWAP_TOPIC,):
            if given is not None and paid is not None:
                yield (
                    given[0].log_index,
                    MarketFill(
                        payer=paid[1].source,
                        recipient=given[1].destination,
                        sold=paid[0].address,
                        sold_units=paid[1].amount_units,
                        bought=given[0].address,
                        bought_units=given[1].amount_units,
                    ),
                )
            given = paid = None
        elif log.address in tokens and (transfer := decode_transfer(log.topics, log.data)):
            if not transfer.amount_units:
                continue
            if transfer.source == pool:
                given, paid = (log, transfer), None
            elif transfer.destination == pool and given is not None:
                if paid is None:
                    paid = (log, transfer)
                elif paid[1].source != transfer.source:
                    given = None


def _sorted(logs: Sequence[EventLog]) -> list[EventLog]:
    return sorted(logs, key=lambda log: log.log_index)
