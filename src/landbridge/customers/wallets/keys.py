"""Keys and addresses of custodial wallets, all derived from one seed per organisation.

Guarantees:
- the same seed and index always give the same keys and addresses, and any standard wallet with the
  seed finds them too: the paths below are the common ones;
- an address is always computed from the key that signs for it;
- one EVM address serves on every EVM chain; Solana has its own;
- this module keeps no seed or key after its caller releases it, and no repr shows one.

Derivation and EVM addresses are in platform/formats/key_derivation.py; this module defines the
paths and addresses of Solana, and their validation.

Cost (docs/internals/wallet-keys.md): milliseconds to open an organisation's seed as `WalletKeys`,
then under 0.1 ms for each address or key.
"""

import re
import secrets

import base58
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.formats.evm_addresses import AddressError
from landbridge.platform.formats.key_derivation import (
    EVM_TREASURY,
    EVM_USERS,
    HARDENED,
    SEED_BYTES,
    EvmKeys,
    evm_address_of,
    root_of,
)

# m/44'/501', then the owner's index', then 0' (Phantom, Solflare); ed25519 has hardened steps only.
_SOLANA_PATH = (44 | HARDENED, 501 | HARDENED)
# The organisation's own, on a path that no user index can reach: m/44'/501'/0'/1', a second wallet
# of the first account.
_SOLANA_TREASURY_PATH = (44 | HARDENED, 501 | HARDENED, 0 | HARDENED, 1 | HARDENED)

# 32 bytes are 32 characters (all zero bytes) to 44 in base58, an alphabet without 0, O, I and l.
_SOLANA_FORM = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
_SOLANA_BYTES = 32


class WalletKeys:
    """Decrypted seed of an organisation, with derived parents so that each owner costs one step.

    It is as secret as the seed. Create one where a seed has just been decrypted, pass it along, and
    release it when the work is done.
    """

    __slots__ = ("_evm", "_evm_root", "_solana", "_solana_root")

    def __init__(self, seed: bytes) -> None:
        """Derive the accounts of a seed of 64 bytes; any other length is `InvariantBroken`."""
        self._evm_root = root_of(seed, curve="secp256k1")
        self._evm = EvmKeys(self._evm_root.get_child_from_path(EVM_USERS))
        self._solana_root = root_of(seed, curve="ed25519")
        self._solana = self._solana_root.get_child_from_path(_SOLANA_PATH)

    def evm_address(self, index: int) -> str:
        """Return the owner's address on all EVM chains, `0x` and 40 digits in EIP-55 case."""
        return evm_address_of(self.evm_private_key(index))

    def solana_address(self, index: int) -> str:
        """Return the owner's public key on Solana, in base58."""
        return _solana_address_of(self.solana_private_key(index))

    def evm_treasury_address(self) -> str:
        """Return the organisation's own address on every EVM chain, which no index yields."""
        return evm_address_of(self.evm_treasury_private_key())

    def solana_treasury_address(self) -> str:
        """Return the organisation's own address on Solana, which no index yields."""
        return _solana_address_of(self.solana_treasury_private_key())

    def evm_private_key(self, index: int) -> bytes:
        """Return the secp256k1 key of `evm_address`: 32 bytes, big-endian."""
        return self._evm.private_key(index)

    def solana_private_key(self, index: int) -> bytes:
        """Return the ed25519 key of `solana_address`: 32 bytes.

        Solana's own tools store 64 bytes, which are these and the public key.
        """
        return self._solana.get_privkey_from_path((_owner(index) | HARDENED, 0 | HARDENED))

    def evm_treasury_private_key(self) -> bytes:
        """Return the key, as `evm_private_key`, of the organisation's own address."""
        return self._evm_root.get_privkey_from_path(EVM_TREASURY)

    def solana_treasury_private_key(self) -> bytes:
        """Return the key, as `solana_private_key`, of the organisation's own address."""
        return self._solana_root.get_privkey_from_path(_SOLANA_TREASURY_PATH)


def new_seed() -> bytes:
    """64 fresh random bytes from the operating system: one organisation's wallets."""
    return secrets.token_bytes(SEED_BYTES)


def evm_address(seed: bytes, index: int) -> str:
    """Return one address of a seed, as `WalletKeys.evm_address`."""
    return WalletKeys(seed).evm_address(index)


def solana_address(seed: bytes, index: int) -> str:
    """Return one address of a seed, as `WalletKeys.solana_address`."""
    return WalletKeys(seed).solana_address(index)


def evm_private_key(seed: bytes, index: int) -> bytes:
    """Return one key of a seed, as `WalletKeys.evm_private_key`."""
    return WalletKeys(seed).evm_private_key(index)


def solana_private_key(seed: bytes, index: int) -> bytes:
    """Return one key of a seed, as `WalletKeys.solana_private_key`."""
    return WalletKeys(seed).solana_private_key(index)


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


def _solana_address_of(private_key: bytes) -> str:
    public_key = Ed25519PrivateKey.from_private_bytes(private_key).public_key()
    return base58.b58encode(public_key.public_bytes_raw()).decode("ascii")


def _owner(index: int) -> int:
    """`index`, if a path has room for it."""
    if not 0 <= index < HARDENED:
        raise InvariantBroken(f"{index} is not a derivation index")
    return index
