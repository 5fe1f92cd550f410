"""Proof that a person controls a wallet: a message with a code, signed by the wallet's key.

EVM wallets sign the message by EIP-191 (`personal_sign`), Solana wallets sign its bytes with
ed25519. A contract has no key, so its wallet cannot be proven.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import base58
from coincurve import PublicKey
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from landbridge.platform.formats.evm_addresses import keccak256
from landbridge.platform.formats.key_derivation import evm_address_of_point

CHALLENGE_LIFETIME = timedelta(minutes=30)

_EVM_PREFIX = b"\x19Ethereum Signed Message:\n"
_EVM_SIGNATURE_BYTES = 65
_SOLANA_SIGNATURE_BYTES = 64
# Last byte of an EVM signature: most wallets send 27 or 28, some the parity 0 or 1.
_V_OF_PARITY = 27
_PARITIES = (0, 1)
# Longest signature. Longer texts are not decoded: base58 takes time quadratic in the length.
_TEXT_LENGTH_MAX = 140


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnershipChallenge:
    """Message for the owner of a wallet, valid until `expires_at` (organisation time)."""

    org_id: UUID
    user_id: UUID
    address: str
    code: str
    expires_at: datetime

    @property
    def message(self) -> str:
        """Return the text to sign. It names the user, so it proves nothing for another user."""
        return "\n".join(
            (
                "I control this wallet.",
                "",
                f"Wallet: {self.address}",
                f"Organisation: {self.org_id}",
                f"User: {self.user_id}",
                f"Code: {self.code}",
                f"Valid until: {self.expires_at.isoformat(timespec='seconds')}",
            )
        )


def is_signed_by(address: str, message: str, signature: str) -> bool:
    """Return whether the key of this address signed a message.

    `signature` is 0x with hexadecimal digits for an EVM address, and base58 for Solana.
    """
    if len(signature) > _TEXT_LENGTH_MAX:
        return False
    if address[:2].lower() == "0x":
        return _evm_signer(message.encode(), signature) == address.lower()
    return _is_solana_signature(address, message.encode(), signature)


def _evm_signer(message: bytes, signature: str) -> str | None:
    """Return the lower-case address of the key that signed; None for an invalid signature."""
    try:
        raw = bytes.fromhex(signature.removeprefix("0x"))
    except ValueError:
        return None
    if len(raw) != _EVM_SIGNATURE_BYTES:
        return None
    parity = raw[-1] - _V_OF_PARITY if raw[-1] >= _V_OF_PARITY else raw[-1]
    if parity not in _PARITIES:
        return None
    digest = keccak256(_EVM_PREFIX + str(len(message)).encode() + message)
    try:
        key = PublicKey.from_signature_and_message(raw[:-1] + bytes([parity]), digest, hasher=None)
    except ValueError:
        return None
    return evm_address_of_point(key.format(compressed=False)).lower()


def _is_solana_signature(address: str, message: bytes, signature: str) -> bool:
    try:
        raw = base58.b58decode(signature)
        if len(raw) != _SOLANA_SIGNATURE_BYTES:
            return False
        Ed25519PublicKey.from_public_bytes(base58.b58decode(address)).verify(raw, message)
    except (ValueError, InvalidSignature):
        return False
    return True
