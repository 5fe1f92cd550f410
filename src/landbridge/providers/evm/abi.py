"""Contract calls and logs: the few functions, events and errors that the platform uses.

The encoding is that of the Solidity ABI, for the types in `AbiType`. Amounts are whole units of the
token. Tests compare it with an independent library, which would cost half a second at each start.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.formats.evm_addresses import checksummed, keccak256
from landbridge.providers.evm.quantities import AnswerInvalid

AbiType: TypeAlias = Literal[
    "address",
    "uint256",
    "uint160",
    "uint32",
    "uint24",
    "uint8",
    "bytes32",
    "bytes",
    "address[]",
    "uint256[]",
]
AbiValue: TypeAlias = str | int | bytes | Sequence[str] | Sequence[int]

_WORD_BYTES = 32
_ADDRESS_BYTES = 20
_SELECTOR_BYTES = 4
_SIGNATURE_BYTES = 65
_UINT_BITS = {"uint256": 256, "uint160": 160, "uint32": 32, "uint24": 24, "uint8": 8}
_TOPICS_OF_TRANSFER = 3
_UTF8_REPLACED = "replace"


class AbiFunction(msgspec.Struct, frozen=True):
    """Function of a contract, with the types of its parameters in order.

    With `has_struct`, the function has one parameter, a struct with these members; the encoding is
    the same.
    """

    name: str
    parameters: tuple[AbiType, ...]
    has_struct: bool = False

    @property
    def signature(self) -> str:
        """Return the canonical form, such as `transfer(address,uint256)`."""
        members = ",".join(self.parameters)
        return f"{self.name}(({members}))" if self.has_struct else f"{self.name}({members})"

    @property
    def selector(self) -> bytes:
        """Return the first four bytes of a call's data."""
        return keccak256(self.signature.encode())[:_SELECTOR_BYTES]

    def encode(self, *values: AbiValue) -> bytes:
        """Return the data of a call; raises `InvariantBroken` for a value beyond its type."""
        return self.selector + encode_values(self.parameters, values)


TRANSFER = AbiFunction("transfer", ("address", "uint256"))
APPROVE = AbiFunction("approve", ("address", "uint256"))
ALLOWANCE = AbiFunction("allowance", ("address", "address"))
BALANCE_OF = AbiFunction("balanceOf", ("address",))
DECIMALS = AbiFunction("decimals", ())
# EIP-3009: from, to, value, validAfter, validBefore, nonce, and the signature in one of two forms.
_AUTHORIZATION: tuple[AbiType, ...] = (
    "address", "address", "uint256", "uint256", "uint256", "bytes32",
)  # fmt: skip
TRANSFER_WITH_AUTHORIZATION = AbiFunction("transferWithAuthorization", (*_AUTHORIZATION, "bytes"))
TRANSFER_WITH_AUTHORIZATION_VRS = AbiFunction(
    "transferWithAuthorization", (*_AUTHORIZATION, "uint8", "bytes32", "bytes32")
)
# Only the test tokens of local chains have this function.
MINT = AbiFunction("mint", ("address", "uint256"))
# EIP-3009: whether an account's authorization with a nonce was used; and the event of its use.
AUTHORIZATION_STATE = AbiFunction("authorizationState", ("address", "bytes32"))
AUTHORIZATION_USED_TOPIC = "0x" + keccak256(b"AuthorizationUsed(address,bytes32)").hex()
# Functions and event of the delegate contract (chains/contracts); `execute` is in
# signing/delegate_calls.py.
IS_NONCE_USED = AbiFunction("isNonceUsed", ("bytes32",))
EXECUTED_TOPIC = "0x" + keccak256(b"Executed(bytes32)").hex()
# Batch contract: whether a sender has used a batch id, and the event of its use.
IS_BATCH_USED = AbiFunction("isUsed", ("address", "bytes32"))
DISPERSED_TOPIC = "0x" + keccak256(b"Dispersed(address,bytes32,address,uint256,uint256)").hex()
# Batch contract (chains/contracts): token, batch id, recipients, amounts.
DISPERSE = AbiFunction("disperse", ("address", "bytes32", "address[]", "uint256[]"))
# Burn of a bridge with the interface of CCTP V2. Parameters: amount, destination domain, recipient,
# token, caller at the destination, largest fee, and the finality from which the burn may be
# attested. Source: circlefin/evm-cctp-contracts, src/v2/TokenMessengerV2.sol and
# MessageTransmitterV2.sol.
DEPOSIT_FOR_BURN = AbiFunction(
    "depositForBurn",
    ("uint256", "uint32", "bytes32", "address", "bytes32", "uint256", "uint32"),
)
# Event of a burn: token, amount, depositor, recipient, destination domain, and how it is minted.
DEPOSIT_FOR_BURN_TOPIC = (
    "0x"
    + keccak256(
        b"DepositForBurn(address,uint256,address,bytes32,uint32,bytes32,bytes32,uint256,uint32,bytes)"
    ).hex()
)
RECEIVE_MESSAGE = AbiFunction("receiveMessage", ("bytes", "bytes"))
USED_NONCES = AbiFunction("usedNonces", ("bytes32",))
LOCAL_DOMAIN = AbiFunction("localDomain", ())
LOCAL_MESSAGE_TRANSMITTER = AbiFunction("localMessageTransmitter", ())
MESSAGE_VERSION = AbiFunction("version", ())
MESSAGE_BODY_VERSION = AbiFunction("messageBodyVersion", ())
MESSAGE_RECEIVED_TOPIC = (
    "0x" + keccak256(b"MessageReceived(address,uint32,bytes32,bytes32,uint32,bytes)").hex()
)

TRANSFER_TOPIC = "0x" + keccak256(b"Transfer(address,address,uint256)").hex()
_ERROR_SELECTOR = keccak256(b"Error(string)")[:_SELECTOR_BYTES]
_PANIC_SELECTOR = keccak256(b"Panic(uint256)")[:_SELECTOR_BYTES]


class TransferAuthorization(msgspec.Struct, frozen=True, kw_only=True):
    """EIP-3009 authorization, valid between two times in seconds since 1970."""

    source: str
    destination: str
    amount_units: int
    valid_after_s: int
    valid_before_s: int
    nonce: bytes


class TokenTransfer(msgspec.Struct, frozen=True, kw_only=True):
    """Transfer event of a token."""

    source: str
    destination: str
    amount_units: int


def encode_transfer(*, destination: str, amount_units: int) -> bytes:
    """Return the call that transfers the caller's tokens."""
    return TRANSFER.encode(destination, amount_units)


def encode_approve(*, spender: str, amount_units: int) -> bytes:
    """Return the call that lets `spender` transfer the caller's tokens."""
    return APPROVE.encode(spender, amount_units)


def encode_balance_of(owner: str) -> bytes:
    """Return the call that reads a balance; its answer is a uint256."""
    return BALANCE_OF.encode(owner)


def encode_transfer_with_authorization(
    authorization: TransferAuthorization, signature: bytes, *, is_split: bool
) -> bytes:
    """Return the call that carries out an authorization.

    `signature` has 65 bytes: r, s, v. With `is_split`, the token's function takes v, r and s
    separately; otherwise it takes the bytes.
    """
    if len(signature) != _SIGNATURE_BYTES:
        raise InvariantBroken(f"a signature of {len(signature)} bytes")
    values = (
        authorization.source,
        authorization.destination,
        authorization.amount_units,
        authorization.valid_after_s,
        authorization.valid_before_s,
        authorization.nonce,
    )
    if not is_split:
        return TRANSFER_WITH_AUTHORIZATION.encode(*values, signature)
    r, s, v = signature[:_WORD_BYTES], signature[_WORD_BYTES:-1], signature[-1]
    return TRANSFER_WITH_AUTHORIZATION_VRS.encode(*values, v, r, s)


def encode_disperse(
    *, batch_id: bytes, token: str, recipients: Sequence[str], amounts_units: Sequence[int]
) -> bytes:
    """Return the call that pays a batch; the contract needs an allowance of the total."""
    if len(recipients) != len(amounts_units) or not recipients:
        raise InvariantBroken("a batch has one amount for each recipient, and at least one")
    return DISPERSE.encode(token, batch_id, recipients, amounts_units)


def encode_values(types: Sequence[AbiType], values: Sequence[AbiValue]) -> bytes:
    """Return the encoding of a list of values; values of dynamic types follow the static ones."""
    if len(types) != len(values):
        raise InvariantBroken(f"{len(values)} values for {len(types)} parameters")
    head, tail = b"", b""
    for kind, value in zip(types, values, strict=True):
        if kind == "bytes":
            head += _uint(len(types) * _WORD_BYTES + len(tail))
            tail += _dynamic_bytes(value)
        elif kind == "address[]" or kind == "uint256[]":  # noqa: PLR1714  narrows the type
            head += _uint(len(types) * _WORD_BYTES + len(tail))
            tail += _array(kind, value)
        else:
            head += _word(kind, value)
    return head + tail


def decode_uint256(data: bytes) -> int:
    """Return the uint256 that a call answered; raises `AnswerInvalid`."""
    if len(data) != _WORD_BYTES:
        raise AnswerInvalid(f"a uint256 of {len(data)} bytes")
    return int.from_bytes(data)


def decode_transfer(topics: Sequence[str], data: bytes) -> TokenTransfer | None:
    """Return the transfer in a log; None for another event, such as the transfer of an NFT.

    Raises `AnswerInvalid` if an address has more than 20 bytes, which no contract can write.
    """
    is_transfer = len(topics) == _TOPICS_OF_TRANSFER and topics[0] == TRANSFER_TOPIC
    if not is_transfer or len(data) != _WORD_BYTES:
        return None
    return TokenTransfer(
        source=_address_of(topics[1]),
        destination=_address_of(topics[2]),
        amount_units=int.from_bytes(data),
    )


def address_topic(address: str) -> str:
    """Return an address in the form of a log topic, for filters."""
    return "0x" + _word("address", address).hex()


def read_revert_text(data: bytes) -> str | None:
    """Return the text in the data of a revert (`panic` and a number for a panic), or None."""
    selector, body = data[:_SELECTOR_BYTES], data[_SELECTOR_BYTES:]
    if selector == _PANIC_SELECTOR and len(body) == _WORD_BYTES:
        return f"panic {int.from_bytes(body):#x}"
    if selector != _ERROR_SELECTOR or len(body) < 2 * _WORD_BYTES:
        return None
    start = int.from_bytes(body[:_WORD_BYTES])
    if start != _WORD_BYTES:
        return None
    length = int.from_bytes(body[_WORD_BYTES : 2 * _WORD_BYTES])
    text = body[2 * _WORD_BYTES :][:length]
    return text.decode(errors=_UTF8_REPLACED) if len(text) == length else None


def _word(
    kind: Literal["address", "uint256", "uint160", "uint32", "uint24", "uint8", "bytes32"],
    value: AbiValue,
) -> bytes:
    match kind:
        case "address":
            if not isinstance(value, str):
                raise InvariantBroken("an address that is no text")
            raw = bytes.fromhex(value.removeprefix("0x"))
            if len(raw) != _ADDRESS_BYTES:
                raise InvariantBroken(f"an address of {len(raw)} bytes")
            return raw.rjust(_WORD_BYTES, b"\0")
        case "bytes32":
            if not isinstance(value, bytes) or len(value) != _WORD_BYTES:
                raise InvariantBroken("a bytes32 that has not 32 bytes")
            return value
        case "uint256" | "uint160" | "uint32" | "uint24" | "uint8":
            if not isinstance(value, int) or not 0 <= value < 1 << _UINT_BITS[kind]:
                raise InvariantBroken(f"a {kind} out of its range")
            return _uint(value)


def _uint(value: int) -> bytes:
    return value.to_bytes(_WORD_BYTES)


def _dynamic_bytes(value: AbiValue) -> bytes:
    if not isinstance(value, bytes):
        raise InvariantBroken("bytes that are none")
    return _uint(len(value)) + value + bytes(-len(value) % _WORD_BYTES)


def _array(kind: Literal["address[]", "uint256[]"], value: AbiValue) -> bytes:
    if isinstance(value, str | bytes | int):
        raise InvariantBroken("an array that is none")
    member: Literal["address", "uint256"] = "address" if kind == "address[]" else "uint256"
    return _uint(len(value)) + b"".join(_word(member, each) for each in value)


def _address_of(topic: str) -> str:
    digits = topic.removeprefix("0x")
    padding, address = digits[: -2 * _ADDRESS_BYTES], digits[-2 * _ADDRESS_BYTES :]
    if padding.strip("0"):
        raise AnswerInvalid("a topic has an address of more than 20 bytes")
    return checksummed(address.lower())
