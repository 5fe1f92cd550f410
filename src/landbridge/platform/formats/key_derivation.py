"""Derivation of keys from seeds (BIP-32, SLIP-0010), and addresses of secp256k1 keys.

The derivation is that of `slip10`; only the unhardened steps on secp256k1 are our own, because a
public key takes OpenSSL 30 times as long as `coincurve`. Its `SLIP10` is not used: it computes a
public key for each root. No repr shows a seed or a key.
"""

import hashlib
import hmac
from itertools import takewhile
from typing import Literal, Protocol, Self, TypeAlias, cast

from coincurve import PrivateKey
from slip10 import utils as slip10

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.formats.evm_addresses import checksummed, keccak256

Curve: TypeAlias = Literal["secp256k1", "ed25519"]

# Maximum of BIP-32, and the seed length that every wallet derives from a BIP-39 phrase.
SEED_BYTES = 64
# Indexes from this number on are hardened.
HARDENED = 0x8000_0000
# Paths are m/44'/60'/<account>'/0, then an index (BIP-44; as MetaMask, Ledger and Foundry). Users
# are account 0, the organisation's own address is the first of account 1, relayers are account 2.
EVM_PATH = (44 | HARDENED, 60 | HARDENED)
EVM_USERS = (*EVM_PATH, 0 | HARDENED, 0)
EVM_TREASURY = (*EVM_PATH, 1 | HARDENED, 0, 0)
EVM_RELAYERS = (*EVM_PATH, 2 | HARDENED, 0)

# Paths are m/44'/501', then an index', then 0' (as Phantom and Solflare); ed25519 has hardened
# steps only. Relayers have the same paths under a seed of their own.
SOLANA_PATH = (44 | HARDENED, 501 | HARDENED)
# Path of the organisation's own wallet, which no user index reaches: second wallet of the first
# account.
SOLANA_TREASURY = (*SOLANA_PATH, 0 | HARDENED, 1 | HARDENED)

# Order of secp256k1 (SEC 2).
_ORDER = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141
_KEY_BYTES = 32
_INDEX_BYTES = 4
_ADDRESS_BYTES = 20


# slip10 ships no types; this declares the part that we use.
class _CurveRules(Protocol):
    """Derivation rules of a curve. Keys and chain codes have 32 bytes."""

    def generate_master(self, seed: bytes) -> tuple[bytes, bytes]:
        """Return the private key and the chain code of a seed's root."""
        ...

    def derive_private_child(
        self, privkey: bytes, chaincode: bytes, index: int
    ) -> tuple[bytes, bytes]:
        """Return the private key and the chain code of a child."""
        ...


_SECP256K1 = cast("_CurveRules", slip10.SECP256K1)
_ED25519 = cast("_CurveRules", slip10.ED25519)


class KeyNode:
    """Node of a seed's key tree: a private key and its chain code. As secret as the seed."""

    __slots__ = ("_chain_code", "_curve", "_private_key")

    def __init__(self, curve: _CurveRules, chain_code: bytes, private_key: bytes) -> None:
        self._curve = curve
        self._chain_code = chain_code
        self._private_key = private_key

    def get_extended_privkey_from_path(self, path: tuple[int, ...]) -> tuple[bytes, bytes]:
        """Return the chain code and the private key at a path below this node."""
        private_key, chain_code = self._private_key, self._chain_code
        for index in path:
            private_key, chain_code = self._curve.derive_private_child(
                private_key, chain_code, index
            )
        return chain_code, private_key

    def get_privkey_from_path(self, path: tuple[int, ...]) -> bytes:
        """Return the private key at a path below this node."""
        return self.get_extended_privkey_from_path(path)[1]


class EvmKeys:
    """Keys at the unhardened indexes below one secp256k1 node. As secret as the seed."""

    __slots__ = ("_chain_code", "_private_key", "_public_key")

    def __init__(self, chain_code: bytes, private_key: bytes) -> None:
        self._chain_code = chain_code
        self._private_key = private_key
        self._public_key = PrivateKey(private_key).public_key.format(compressed=True)

    @classmethod
    def below(cls, root: KeyNode, path: tuple[int, ...]) -> Self:
        """Return the keys below a path, in which hardened steps precede unhardened ones."""
        hardened = tuple(takewhile(lambda index: index >= HARDENED, path))
        keys = cls(*root.get_extended_privkey_from_path(hardened))
        for index in path[len(hardened) :]:
            keys = cls(*keys._child(index))
        return keys

    def private_key(self, index: int) -> bytes:
        """Return the key at an index: 32 bytes, big-endian."""
        return self._child(index)[1]

    def _child(self, index: int) -> tuple[bytes, bytes]:
        """Return the chain code and the private key at an index."""
        if not 0 <= index < HARDENED:
            raise InvariantBroken(f"{index} is not a derivation index")
        data = self._public_key + index.to_bytes(_INDEX_BYTES)
        derived = hmac.digest(self._chain_code, data, hashlib.sha512)
        tweak = int.from_bytes(derived[:_KEY_BYTES])
        key = (tweak + int.from_bytes(self._private_key)) % _ORDER
        if tweak >= _ORDER or not key:
            # This happens once in 2**127 keys; slip10 applies the rule of SLIP-0010 for it.
            node = KeyNode(_SECP256K1, self._chain_code, self._private_key)
            return node.get_extended_privkey_from_path((index,))
        return derived[_KEY_BYTES:], key.to_bytes(_KEY_BYTES)


def root_of(seed: bytes, *, curve: Curve) -> KeyNode:
    """Return the root node of a seed; raises `InvariantBroken` unless it has 64 bytes."""
    if len(seed) != SEED_BYTES:
        raise InvariantBroken(f"a wallet seed has {SEED_BYTES} bytes, this one {len(seed)}")
    rules = _SECP256K1 if curve == "secp256k1" else _ED25519
    private_key, chain_code = rules.generate_master(seed)
    return KeyNode(rules, chain_code, private_key)


def solana_user(index: int) -> tuple[int, ...]:
    """Return the Solana path of an owner's key; `index` is given unhardened."""
    if not 0 <= index < HARDENED:
        raise InvariantBroken(f"{index} is not a derivation index")
    return (*SOLANA_PATH, index | HARDENED, 0 | HARDENED)


def evm_address_of(private_key: bytes) -> str:
    """Return the address of a secp256k1 private key of 32 bytes, with EIP-55 capital letters."""
    return evm_address_of_point(PrivateKey(private_key).public_key.format(compressed=False))


def evm_address_of_point(point: bytes) -> str:
    """Return the address of a public key: an uncompressed point of 65 bytes."""
    # The first byte marks an uncompressed point and is not part of the address.
    return checksummed(keccak256(point[1:])[-_ADDRESS_BYTES:].hex())
