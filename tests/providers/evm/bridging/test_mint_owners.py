"""Owners of minted coins: only a message of a configured messenger names one."""

from typing import Any

import msgspec
import pytest
from eth_abi.abi import encode

from landbridge.providers.evm.abi import MESSAGE_RECEIVED_TOPIC, TRANSFER_TOPIC
from landbridge.providers.evm.bridging.messages import address_word
from landbridge.providers.evm.bridging.mint_owners import find_owner
from landbridge.providers.evm.chain_data import EventLog
from tests.providers.evm.bridging.message_bytes import encode_message
from tests.providers.evm.bridging.test_messages import BURN, address

TRANSMITTER = address(9)
TRANSFER = EventLog(
    address=address(3),
    topics=(TRANSFER_TOPIC,),
    data=b"",
    block_number=1,
    block_hash="0x1",
    transaction_hash="0x2",
    log_index=4,
)
change = msgspec.structs.replace


def received(log_index: int = 5, *, domain: int = 7, sender: str = address(1), **burn: Any) -> Any:
    """Return the event of a received message."""
    body = encode_message(change(BURN, **burn))[148:]
    return change(
        TRANSFER,
        address=TRANSMITTER,
        topics=(MESSAGE_RECEIVED_TOPIC,),
        data=encode(["uint32", "bytes32", "bytes"], [domain, address_word(sender), body]),
        log_index=log_index,
    )


def owner_in(*logs: EventLog) -> str | None:
    return find_owner(
        [*logs, TRANSFER],
        log_index=4,
        recipient=BURN.recipient,
        amount_units=BURN.amount_units,
        transmitter=TRANSMITTER,
        messengers={7: address(1), 0: address(8)},
    )


def test_the_message_after_a_mint_names_its_owner() -> None:
    assert owner_in(received()) == BURN.owner
    # The first one after it belongs to it.
    assert owner_in(received(7, owner=address(6)), received(5)) == BURN.owner


@pytest.mark.parametrize(
    "log",
    [
        received(3),
        received(domain=6),
        received(domain=0),
        received(sender=address(8)),
        received(recipient=address(6)),
        received(amount_units=9),
        change(received(), address=address(8)),
        change(received(), topics=(TRANSFER_TOPIC,)),
        change(received(), data=received().data[:-40]),
        change(received(), data=b""),
    ],
)
def test_another_log_names_no_owner(log: EventLog) -> None:
    assert owner_in(log) is None
