"""Solana addresses: validation, and the address of a key."""

import re

import base58
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from landbridge.platform.formats.evm_addresses import AddressError

# 32 bytes are 32 characters (all zero bytes) to 44 in base58, an alphabet without 0, O, I and l.
_SOLANA_FORM = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
_SOLANA_BYTES = 32


def checked_solana_address(text: str) -> str:
    """Return `text`, if it is 32 bytes in base58; Solana addresses carry no checksum.

    An address off the curve is accepted, because multisig vaults have such addresses. Raises
    `AddressError` for all other input, and for the address of zero bytes (the system program),
    where coins are lost.
    """
    # The format check bounds the length first: decoding base58 takes time quadratic in it.
    if not _SOLANA_FORM.fullmatch(text):
        raise AddressError("must be 32 to 44 characters of base58")
    raw = base58.b58decode(text)
    if len(raw) != _SOLANA_BYTES:
        raise AddressError("is not a Solana address: it does not stand for 32 bytes")
    if not any(raw):
        raise AddressError("is the system program, where coins are lost")
    return text


def solana_address_of(private_key: bytes) -> str:
    """Return the address of an ed25519 key of 32 bytes: its public key in base58."""
    public_key = Ed25519PrivateKey.from_private_bytes(private_key).public_key()
    return base58.b58encode(public_key.public_bytes_raw()).decode("ascii")
