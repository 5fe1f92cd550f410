"""Encoding of transactions of type 2 (EIP-1559) and 4 (EIP-7702), and of delegations.

Numbers and addresses have been checked before (policy.py).
"""

from collections.abc import Sequence
from typing import TypeAlias, Union

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.formats.evm_addresses import keccak256
from landbridge.providers.evm.signing.model import (
    SignedDelegation,
    SignedTransaction,
    UnsignedTransaction,
)

RlpItem: TypeAlias = Union[bytes, int, Sequence["RlpItem"]]  # noqa: UP007  a forward reference

_STRING = 0x80
_LIST = 0xC0
# A length up to this is part of the first byte; for a longer one, that byte has the length's size.
_SHORT_MAX = 55


def encode_rlp(item: RlpItem) -> bytes:
    """Return the RLP encoding of an item; a number is its shortest big-endian form, 0 is empty."""
    if isinstance(item, int):
        if item < 0:
            raise InvariantBroken("RLP has no negative numbers")
        item = item.to_bytes((item.bit_length() + 7) // 8)
    if isinstance(item, bytes):
        if len(item) == 1 and item[0] < _STRING:
            return item
        return _header(len(item), _STRING) + item
    body = b"".join([encode_rlp(each) for each in item])
    return _header(len(body), _LIST) + body


def _header(length: int, kind: int) -> bytes:
    if length <= _SHORT_MAX:
        return bytes([kind + length])
    size = length.to_bytes((length.bit_length() + 7) // 8)
    return bytes([kind + _SHORT_MAX + len(size)]) + size


_FEE_TYPE = b"\x02"
_DELEGATION_TYPE = b"\x04"
# First byte of the data that the signer of an EIP-7702 authorization signs.
_AUTHORIZATION_MAGIC = b"\x05"
_NO_ACCESS_LIST: tuple[RlpItem, ...] = ()


def address_bytes(address: str) -> bytes:
    """Return the 20 bytes of an address."""
    return bytes.fromhex(address.removeprefix("0x"))


def transaction_digest(transaction: UnsignedTransaction) -> bytes:
    """Return the 32 bytes that the sender signs."""
    return keccak256(_type(transaction) + encode_rlp(_fields(transaction)))


def raw_transaction(
    transaction: UnsignedTransaction, *, y_parity: int, r: int, s: int
) -> SignedTransaction:
    """Return a signed transaction in the form that nodes receive."""
    raw = _type(transaction) + encode_rlp([*_fields(transaction), y_parity, r, s])
    return SignedTransaction(raw=raw, hash=f"0x{keccak256(raw).hex()}")


def delegation_digest(*, chain_id: int, address: str, nonce: int) -> bytes:
    """Return the 32 bytes that an account signs to delegate to the code at `address`."""
    return keccak256(_AUTHORIZATION_MAGIC + encode_rlp([chain_id, address_bytes(address), nonce]))


def _type(transaction: UnsignedTransaction) -> bytes:
    return _DELEGATION_TYPE if transaction.delegations else _FEE_TYPE


def _fields(transaction: UnsignedTransaction) -> list[RlpItem]:
    fields: list[RlpItem] = [
        transaction.chain_id,
        transaction.nonce,
        transaction.tip_wei,
        transaction.max_fee_wei,
        transaction.gas,
        address_bytes(transaction.destination),
        transaction.value_wei,
        transaction.data,
        _NO_ACCESS_LIST,
    ]
    if transaction.delegations:
        fields.append([_tuple(each) for each in transaction.delegations])
    return fields


def _tuple(delegation: SignedDelegation) -> list[RlpItem]:
    return [
        delegation.chain_id,
        address_bytes(delegation.address),
        delegation.nonce,
        delegation.y_parity,
        delegation.r,
        delegation.s,
    ]
