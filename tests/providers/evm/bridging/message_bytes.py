"""Bytes of messages between chains, as a chain emits them."""

from landbridge.providers.evm.bridge_configuration import MESSAGE_VERSIONS
from landbridge.providers.evm.bridging.messages import BurnMessage, address_word


def encode_message(message: BurnMessage) -> bytes:
    """Return the bytes of a message."""
    numbers = (message.amount_units, message.fee_max_units, message.fee_units)
    amount, fee_max, fee = (each.to_bytes(32) for each in numbers)
    return b"".join(
        (
            MESSAGE_VERSIONS[0].to_bytes(4),
            message.source_domain.to_bytes(4),
            message.destination_domain.to_bytes(4),
            message.nonce,
            address_word(message.messenger),
            address_word(message.handler),
            message.caller,
            message.min_finality.to_bytes(4),
            message.finality.to_bytes(4),
            MESSAGE_VERSIONS[1].to_bytes(4),
            address_word(message.token),
            address_word(message.recipient),
            amount,
            address_word(message.owner),
            fee_max,
            fee,
            message.expiration_block.to_bytes(32),
        )
    )
