"""Call of `Delegate.execute` (chains/contracts/Delegate.sol): encoding, and strict decoding."""

from collections.abc import Sequence

import msgspec

from landbridge.platform.formats.evm_addresses import checksummed, keccak256
from landbridge.providers.evm.abi import encode_values
from landbridge.providers.evm.signing.model import AccountCall

EXECUTE_SELECTOR = keccak256(b"execute((address,uint256,bytes)[],bytes32,uint256,bytes)")[:4]

# Maximum calls of one request, which bounds the time to check it.
CALLS_MAX = 200

_WORD = 32
_ADDRESS_START = 12
_HEAD_WORDS = 4


class ExecuteCall(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `Delegate.execute`; the deadline is in seconds since 1970."""

    calls: tuple[AccountCall, ...]
    nonce: bytes
    deadline_s: int
    signature: bytes


class CallDataInvalid(ValueError):
    """The data are not the canonical encoding of a call."""


def encode_execute(
    calls: Sequence[AccountCall], *, nonce: bytes, deadline_s: int, signature: bytes
) -> bytes:
    """Return the data of the call to an account that delegates to the delegate contract."""
    members = [_encoded(each) for each in calls]
    offsets: list[bytes] = []
    offset = len(members) * _WORD
    for member in members:
        offsets.append(offset.to_bytes(_WORD))
        offset += len(member)
    array = len(members).to_bytes(_WORD) + b"".join(offsets) + b"".join(members)
    head = encode_values(
        ("uint256", "bytes32", "uint256", "uint256"),
        (_HEAD_WORDS * _WORD, nonce, deadline_s, _HEAD_WORDS * _WORD + len(array)),
    )
    return EXECUTE_SELECTOR + head + array + _dynamic(signature)


def decode_execute(data: bytes) -> ExecuteCall:
    """Return the arguments in the data of a call.

    Raises `CallDataInvalid` unless encoding the result gives the same data, so that there is only
    one interpretation.
    """
    body = data[len(EXECUTE_SELECTOR) :]
    array = body[_number(body, 0) :]
    members = array[_WORD:]
    count = _number(array, 0)
    # In a forged encoding calls may overlap, so that few bytes would decode to many calls.
    if count > CALLS_MAX:
        raise CallDataInvalid(f"it has more than {CALLS_MAX} calls")
    execute = ExecuteCall(
        calls=tuple(
            _decoded(members[_number(members, offset * _WORD) :]) for offset in range(count)
        ),
        nonce=_word(body, _WORD),
        deadline_s=_number(body, 2 * _WORD),
        signature=_bytes(body[_number(body, 3 * _WORD) :]),
    )
    encoded = encode_execute(
        execute.calls,
        nonce=execute.nonce,
        deadline_s=execute.deadline_s,
        signature=execute.signature,
    )
    if encoded != data:
        raise CallDataInvalid("it is not the usual encoding of these calls")
    return execute


def _encoded(call: AccountCall) -> bytes:
    head = encode_values(
        ("address", "uint256", "uint256"), (call.destination, call.value_wei, 3 * _WORD)
    )
    return head + _dynamic(call.data)


def _decoded(member: bytes) -> AccountCall:
    address = _word(member, 0)[_ADDRESS_START:].hex()
    return AccountCall(
        destination=checksummed(address),
        value_wei=_number(member, _WORD),
        data=_bytes(member[_number(member, 2 * _WORD) :]),
    )


def _dynamic(value: bytes) -> bytes:
    return len(value).to_bytes(_WORD) + value + bytes(-len(value) % _WORD)


def _bytes(data: bytes) -> bytes:
    length = _number(data, 0)
    value = data[_WORD : _WORD + length]
    if len(value) != length:
        raise CallDataInvalid("it ends early")
    return value


def _number(data: bytes, offset: int) -> int:
    return int.from_bytes(_word(data, offset))


def _word(data: bytes, offset: int) -> bytes:
    word = data[offset : offset + _WORD]
    if len(word) != _WORD:
        raise CallDataInvalid("it ends early")
    return word
