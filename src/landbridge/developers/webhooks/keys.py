"""Signing keys of endpoints: RSA, 2048 bits."""

import asyncio
import base64
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

from landbridge.platform.http.fair_semaphore import FairSemaphore

# The minimum of RS256, which every receiver supports.
KEY_BITS = 2048
_EXPONENT = 65537


@dataclass(frozen=True, slots=True, repr=False)
class KeyPair:
    """A new key: PKCS 8 in DER, and the public key in PEM (SubjectPublicKeyInfo)."""

    private: bytes
    public_pem: str


def new_pair() -> KeyPair:
    """Generate a key. Takes about 40 ms of CPU, sometimes much longer: call it from a thread."""
    key = rsa.generate_private_key(public_exponent=_EXPONENT, key_size=KEY_BITS)
    private = key.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return pair_of(private)


def pair_of(private: bytes) -> KeyPair:
    """Return a private key with its public key; raises `ValueError` if it is none."""
    public = private_key(private).public_key()
    pem = public.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return KeyPair(private, pem.decode())


def private_key(private: bytes) -> RSAPrivateKey:
    """Load the private key that `new_pair` generated."""
    # Sealing has proved the key unaltered; checking it again takes as long as 140 signatures.
    key = serialization.load_der_private_key(
        private, password=None, unsafe_skip_rsa_key_validation=True
    )
    return cast("RSAPrivateKey", key)


def modulus_and_exponent(public_pem: str) -> tuple[str, str]:
    """Return a public key's `n` and `e` of JSON Web Keys, base64url. Source: RFC 7518, 6.3.1."""
    key = cast("RSAPublicKey", serialization.load_pem_public_key(public_pem.encode()))
    numbers = key.public_numbers()
    return _number(numbers.n), _number(numbers.e)


def _number(value: int) -> str:
    return base64url(value.to_bytes((value.bit_length() + 7) // 8))


def base64url(raw: bytes) -> str:
    """Encode without padding. Source: RFC 7515, 2."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


_AT_ONCE = 1
_threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="webhook-keys")


class KeyGeneration:
    """Generates signing keys for all organisations, away from the threads of other work.

    One key at a time is generated in a process, and the organisations that wait for one take turns.
    So an organisation that creates endpoints or rotates keys without pause takes a part of one
    core, and delays nothing else.
    """

    def __init__(self) -> None:
        self._turns = FairSemaphore(_AT_ONCE, each=_AT_ONCE)

    async def new_pair(self, org_id: UUID) -> KeyPair:
        """Generate a key for an organisation, when it is its turn."""
        await self._turns.acquire(org_id)
        try:
            return await asyncio.get_running_loop().run_in_executor(_threads, new_pair)
        finally:
            self._turns.release(org_id)
