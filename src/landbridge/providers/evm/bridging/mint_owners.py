"""Owners of minted coins: who burned them on another connected chain.

A mint's Transfer event has the zero address as its source. The event of its message follows in the
same transaction. Its sender is a contract of the other chain, which the transmitters guarantee, so
only a message of a configured messenger names an owner: any other could be forged. Source:
circlefin/evm-cctp-contracts, src/v2/MessageTransmitterV2.sol (MessageReceived).
"""

from collections.abc import Mapping, Sequence

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import MESSAGE_RECEIVED_TOPIC
from landbridge.providers.evm.bridging.messages import address_word, read_body
from landbridge.providers.evm.chain_data import EventLog
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.quantities import AnswerInvalid

NO_ADDRESS = "0x" + "0" * 40

_WORD_BYTES = 32


def find_owner(
    logs: Sequence[EventLog],
    *,
    log_index: int,
    recipient: str,
    amount_units: int,
    transmitter: str,
    messengers: Mapping[int, str],
) -> str | None:
    """Return the owner of the coins minted by the log at `log_index`; None if unknown.

    `logs` are the logs of the transaction; `messengers` are those of the other chains, by domain.
    """
    after = (
        log
        for log in sorted(logs, key=lambda log: log.log_index)
        if log.log_index > log_index
        and log.address == transmitter
        and log.topics[:1] == (MESSAGE_RECEIVED_TOPIC,)
    )
    message = next(after, None)
    if message is None:
        return None
    try:
        domain, sender, body = _read(message.data)
        _, paid, units, owner = read_body(body)
    except AnswerInvalid:
        return None
    messenger = messengers.get(domain)
    is_known = messenger is not None and address_word(messenger) == sender
    return owner if is_known and (paid, units) == (recipient, amount_units) else None


def _read(data: bytes) -> tuple[int, bytes, bytes]:
    """Return domain, sender and body from the data of the event."""
    words = [data[start : start + _WORD_BYTES] for start in range(0, 4 * _WORD_BYTES, _WORD_BYTES)]
    if len(words[-1]) != _WORD_BYTES or int.from_bytes(words[2]) != 3 * _WORD_BYTES:
        raise AnswerInvalid("an event that is no received message")
    length = int.from_bytes(words[3])
    body = data[4 * _WORD_BYTES :][:length]
    if len(body) != length:
        raise AnswerInvalid("a message that ends early")
    return int.from_bytes(words[0]), words[1], body


def other_messengers(chains: Mapping[Network, EvmChain], besides: Network) -> Mapping[int, str]:
    """Return the token messengers of all chains except one, by domain."""
    return {
        chain.bridge.domain: chain.bridge.token_messenger
        for name, chain in chains.items()
        if chain.bridge is not None and name is not besides
    }
