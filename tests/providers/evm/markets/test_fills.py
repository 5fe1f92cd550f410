"""Fills: what the events of a transaction say about who paid a pool, and what was given."""

from typing import Any

import msgspec
import pytest

from landbridge.providers.evm.abi import EXECUTED_TOPIC, TRANSFER_TOPIC, address_topic
from landbridge.providers.evm.chain_data import EventLog
from landbridge.providers.evm.markets.contract_calls import SWAP_TOPIC
from landbridge.providers.evm.markets.fills import MarketFill, find_payer, received_units
from tests.providers.evm.bridging.test_messages import address

SOLD, BOUGHT, POOL, PAYER, RECIPIENT, OTHER = (address(number) for number in range(1, 7))
KEY, OTHER_KEY = b"\x01" * 32, b"\x02" * 32
TOKENS = {SOLD: "usdc", BOUGHT: "usdt"}
EXPECTED = MarketFill(
    payer=PAYER, recipient=RECIPIENT, sold=SOLD, sold_units=100, bought=BOUGHT, bought_units=98
)


def log(place: int, contract: str, *topics: str, data: bytes = b"") -> EventLog:
    return EventLog(
        address=contract,
        topics=topics,
        data=data,
        block_number=1,
        block_hash="0x1",
        transaction_hash="0x2",
        log_index=place,
    )


def transfer(place: int, token: str, source: str, destination: str, units: int) -> EventLog:
    topics = (TRANSFER_TOPIC, address_topic(source), address_topic(destination))
    return log(place, token, *topics, data=units.to_bytes(32))


def fill(
    place: int = 0, *, payer: str = PAYER, to: str = RECIPIENT, **units: int
) -> list[EventLog]:
    """Return the three events of a swap in the pool."""
    return [
        transfer(place, BOUGHT, POOL, to, units.get("bought", 99)),
        transfer(place + 1, SOLD, payer, POOL, units.get("sold", 100)),
        log(place + 2, POOL, SWAP_TOPIC),
    ]


def executed(place: int, key: bytes = KEY, account: str = PAYER) -> EventLog:
    return log(place, account, EXECUTED_TOPIC, f"0x{key.hex()}")


def received(logs: list[EventLog], **changes: Any) -> int | None:
    expected = msgspec.structs.replace(EXPECTED, **changes)
    return received_units(logs, expected, pool=POOL, key=KEY)


def test_the_swap_before_the_event_of_the_order_is_its_fill() -> None:
    logs = [*fill(), executed(5)]
    assert received(logs) == 99
    assert received(list(reversed(logs))) == 99
    # Two orders of one account that another party has submitted in one transaction.
    both = [*fill(bought=150), executed(3, OTHER_KEY), *fill(4), executed(9)]
    assert received(both) == 99


@pytest.mark.parametrize(
    "logs",
    [
        [],
        fill(),
        [executed(0), *fill(1)],
        [*fill(), executed(5, OTHER_KEY)],
        [*fill(), executed(5, account=OTHER)],
        [*fill(payer=OTHER), executed(5)],
        [*fill(to=OTHER), executed(5)],
        [*fill(sold=101), executed(5)],
        [*fill(bought=97), executed(5)],
        [*fill(), *fill(3), executed(9)],
        # Without the event of the pool these are transfers.
        [*fill()[:2], executed(5)],
    ],
)
def test_anything_else_is_no_fill(logs: list[EventLog]) -> None:
    assert received(logs) is None


def payer(logs: list[EventLog], log_index: int) -> str | None:
    return find_payer(logs, log_index=log_index, pool=POOL, tokens=TOKENS)


def test_who_pays_the_pool_owns_what_it_gives() -> None:
    logs = [*fill(), *fill(3, payer=OTHER)]
    assert (payer(logs, 0), payer(logs, 3)) == (PAYER, OTHER)


def test_transfers_of_nothing_name_no_payer() -> None:
    # Tokens let anybody transfer nothing from any address.
    given, paid, ended = fill(payer=OTHER)
    forged = [
        transfer(1, SOLD, PAYER, POOL, 0),
        transfer(2, BOUGHT, POOL, PAYER, 0),
        msgspec.structs.replace(paid, log_index=3),
        msgspec.structs.replace(ended, log_index=4),
    ]
    assert payer([given, *forged], 0) == OTHER


@pytest.mark.parametrize(
    "logs",
    [
        # What two addresses have paid has no payer: the first one may have paid a cent.
        [*fill(sold=1)[:2], transfer(2, SOLD, OTHER, POOL, 99), log(3, POOL, SWAP_TOPIC)],
        # Liquidity that is taken out, and fees that are collected, have no payer.
        [transfer(0, BOUGHT, POOL, RECIPIENT, 5)],
        [transfer(0, BOUGHT, POOL, RECIPIENT, 5), log(1, POOL, SWAP_TOPIC)],
        [transfer(0, BOUGHT, POOL, RECIPIENT, 5), *fill(1)],
        # A contract that is no configured token proves nothing.
        [fill()[0], transfer(1, OTHER, PAYER, POOL, 100), fill()[2]],
        # Of another pool.
        [*fill()[:2], log(2, OTHER, SWAP_TOPIC)],
    ],
)
def test_a_transfer_without_a_swap_has_no_payer(logs: list[EventLog]) -> None:
    assert payer(logs, 0) is None
