"""Solana addresses: validation, and the address of a private key."""

import re

import base58
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from landbridge.platform.formats.evm_addresses import AddressError

# Base58 (without 0, O, I and l) of 32 bytes has 32 characters (all bytes zero) to 44.
_SOLANA_FORM = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
_SOLANA_BYTES = 32


def checked_solana_address(text: str) -> str:
    """Return `text` if it is base58 of 32 bytes; Solana addresses have no checksum.

    An address off the curve is accepted, because multisig vaults have such addresses. Raises
    `AddressError` for all other input, and for the address of 32 zero bytes (the system program),
    where coins are lost.
    """
    # The length is checked first: decoding base58 takes time quadratic in the length.
    if not _SOLANA_FORM.fullmatch(text):
        raise AddressError("must be 32 to 44 characters of base58")
    raw = base58.b58decode(text)
    if len(raw) != _SOLANA_BYTES:
        raise AddressError("is not a Solana address: it does not stand for 32 bytes")
    if not any(raw):
        raise AddressError("is the system program, where coins are lost")
    return text


def solana_address_of(private_key: bytes) -> str:
    """Return the address of an ed25519 private key of 32 bytes: its public key in base58."""
    public_key = Ed25519PrivateKey.from_private_bytes(private_key).public_key()
    return base58.b58encode(public_key.public_bytes_raw()).decode("ascii")
