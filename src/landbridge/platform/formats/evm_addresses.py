"""EVM addresses: validation, EIP-55 capital letters, and Keccak-256."""

import re
from functools import lru_cache

from Crypto.Hash import keccak

# Enough for the addresses that recur in one process: tokens, relayers, recent payers.
_CACHE_SIZE = 10_000
_EVM_FORM = re.compile(r"0x[0-9a-fA-F]{40}")


class AddressError(ValueError):
    """Raised for an invalid destination address; the message continues a field's name."""


def checked_evm_address(text: str) -> str:
    """Return the address in `text` with EIP-55 capital letters.

    An address with letters of one case has no checksum and is accepted; mixed case must be a
    correct checksum. Raises `AddressError` for all other input, and for the zero address, where
    coins are lost.
    """
    if not _EVM_FORM.fullmatch(text):
        raise AddressError("must be 0x followed by 40 hexadecimal digits")
    digits = text[2:]
    if not digits.strip("0"):
        raise AddressError("is the zero address, where coins are lost")
    checked = checksummed(digits.lower())
    if text != checked and digits not in {digits.lower(), digits.upper()}:
        raise AddressError("has a wrong checksum: at least one character is mistyped")
    return checked


@lru_cache(_CACHE_SIZE)
def checksummed(digits: str) -> str:
    """Return an address with EIP-55 capital letters: where the hash has 8 or more.

    `digits` are the 40 digits in lower case, without `0x`.
    """
    hashed = keccak256(digits.encode("ascii")).hex()
    return "0x" + "".join(
        digit.upper() if index >= "8" else digit
        for digit, index in zip(digits, hashed, strict=False)  # the hash has 24 digits more
    )


def keccak256(data: bytes) -> bytes:
    """Return Ethereum's hash: the original Keccak-256, not the SHA-3 of the standard library."""
    return keccak.new(digest_bits=256, data=data).digest()
