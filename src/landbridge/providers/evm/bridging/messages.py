"""Messages between chains, in the format of CCTP V2.

A message names both chains, the contracts that send and carry it out, and has a body: for tokens
the burn. The source chain emits it without nonce and executed finality; the attestation service
fills both in. Source: circlefin/evm-cctp-contracts, src/messages/v2 (MessageV2, BurnMessageV2).
"""

import msgspec

from landbridge.platform.formats.evm_addresses import checksummed
from landbridge.providers.evm.bridge_configuration import MESSAGE_VERSIONS, BridgeContracts
from landbridge.providers.evm.quantities import AnswerInvalid

_VERSION, _BODY_VERSION = MESSAGE_VERSIONS
# Finality of attested burns: their block can't be undone, and no fee is taken. Source:
# developers.circle.com/cctp/technical-guide (finality thresholds).
FINALIZED = 2000
ANY_CALLER = bytes(32)
NO_FEE = 0

_WORD_BYTES, _ADDRESS_BYTES = 32, 20
_HEAD_BYTES, _BODY_BYTES = 148, 228


class BurnMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Message of a burn. Addresses have EIP-55 capital letters.

    `token` is burned on the source chain for `recipient`; `owner` paid. `messenger` sent the
    message there, and `handler` carries it out.
    """

    source_domain: int
    destination_domain: int
    nonce: bytes
    messenger: str
    handler: str
    caller: bytes
    min_finality: int
    finality: int
    token: str
    recipient: str
    amount_units: int
    owner: str
    fee_max_units: int = NO_FEE
    fee_units: int = NO_FEE
    expiration_block: int = 0

    def pays_as(self, other: "BurnMessage") -> bool:
        """Return whether both messages move the same coins in the same way, whatever the nonces.

        The executed finality may be higher than required, and then an expiration does not matter.
        """
        return self == msgspec.structs.replace(
            other,
            nonce=self.nonce,
            finality=max(self.finality, FINALIZED),
            expiration_block=self.expiration_block,
        )


def burn_message(
    *,
    source: BridgeContracts,
    destination: BridgeContracts,
    token: str,
    recipient: str,
    amount_units: int,
    owner: str,
) -> BurnMessage:
    """Return the message of a burn that we request: final, for any caller, without a fee."""
    return BurnMessage(
        source_domain=source.domain,
        destination_domain=destination.domain,
        nonce=bytes(_WORD_BYTES),
        messenger=source.token_messenger,
        handler=destination.token_messenger,
        caller=ANY_CALLER,
        min_finality=FINALIZED,
        finality=FINALIZED,
        token=token,
        recipient=recipient,
        amount_units=amount_units,
        owner=owner,
    )


def read_message(data: bytes) -> BurnMessage:
    """Return the burn in a message.

    Raises `AnswerInvalid` for another kind of message, for one with data for a hook, and for an
    address that is not an EVM address.
    """
    if len(data) != _HEAD_BYTES + _BODY_BYTES:
        raise AnswerInvalid(f"a message of {len(data)} bytes")
    head, body = data[:_HEAD_BYTES], data[_HEAD_BYTES:]
    versions = _number(head, 0, 4), _number(body, 0, 4)
    if versions != (_VERSION, _BODY_VERSION):
        raise AnswerInvalid(f"a message of the versions {versions}")
    token, recipient, amount_units, owner = read_body(body)
    return BurnMessage(
        source_domain=_number(head, 4, 4),
        destination_domain=_number(head, 8, 4),
        nonce=head[12:44],
        messenger=read_address_word(head[44:76]),
        handler=read_address_word(head[76:108]),
        caller=head[108:140],
        min_finality=_number(head, 140, 4),
        finality=_number(head, 144, 4),
        token=token,
        recipient=recipient,
        amount_units=amount_units,
        owner=owner,
        fee_max_units=_number(body, 132, _WORD_BYTES),
        fee_units=_number(body, 164, _WORD_BYTES),
        expiration_block=_number(body, 196, _WORD_BYTES),
    )


def read_body(body: bytes) -> tuple[str, str, int, str]:
    """Return token, recipient, units and owner of a burn; raises `AnswerInvalid`."""
    if len(body) < _BODY_BYTES or _number(body, 0, 4) != _BODY_VERSION:
        raise AnswerInvalid("a message that is no burn")
    return (
        read_address_word(body[4:36]),
        read_address_word(body[36:68]),
        _number(body, 68, _WORD_BYTES),
        read_address_word(body[100:132]),
    )


def address_word(address: str) -> bytes:
    """Return an address in the form of messages: 32 bytes, the first twelve of them zero."""
    return bytes.fromhex(address.removeprefix("0x")).rjust(_WORD_BYTES, b"\0")


def read_address_word(word: bytes) -> str:
    """Return the address in 32 bytes; raises `AnswerInvalid` if it is longer, as on Solana."""
    if len(word) != _WORD_BYTES or any(word[:-_ADDRESS_BYTES]):
        raise AnswerInvalid("an address of more than 20 bytes")
    return checksummed(word[-_ADDRESS_BYTES:].hex())


def _number(data: bytes, start: int, size: int) -> int:
    return int.from_bytes(data[start : start + size])
