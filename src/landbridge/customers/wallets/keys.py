"""Keys and addresses of custodial wallets, all derived from one seed per organisation.

Guarantees:
- the same seed and index always give the same keys and addresses, and any standard wallet with the
  seed finds them too: the paths below are the common ones;
- an address is always computed from the key that signs for it;
- one EVM address serves on every EVM chain; Solana has its own;
- this module keeps no seed or key after its caller releases it, and no repr shows one.

Derivation, paths and addresses are in platform/formats.

Cost (docs/internals/wallet-keys.md): 0.1 ms to open an organisation's seed as `WalletKeys`, then
under 0.1 ms for each address or key.
"""

import secrets

from landbridge.platform.formats.key_derivation import (
    EVM_TREASURY,
    EVM_USERS,
    SEED_BYTES,
    SOLANA_TREASURY,
    EvmKeys,
    evm_address_of,
    root_of,
    solana_user,
)
from landbridge.platform.formats.solana_addresses import solana_address_of


class WalletKeys:
    """Decrypted seed of an organisation, with derived parents so that each owner costs one step.

    It is as secret as the seed. Create one where a seed has just been decrypted, pass it along, and
    release it when the work is done.
    """

    __slots__ = ("_evm", "_evm_root", "_solana_root")

    def __init__(self, seed: bytes) -> None:
        """Derive the accounts of a seed of 64 bytes; any other length is `InvariantBroken`."""
        self._evm_root = root_of(seed, curve="secp256k1")
        self._evm = EvmKeys.below(self._evm_root, EVM_USERS)
        self._solana_root = root_of(seed, curve="ed25519")

    def evm_address(self, index: int) -> str:
        """Return a user's address on all EVM chains: `0x` and 40 digits in EIP-55 case."""
        return evm_address_of(self.evm_private_key(index))

    def solana_address(self, index: int) -> str:
        """Return a user's address on Solana: the public key in base58."""
        return solana_address_of(self.solana_private_key(index))

    def evm_treasury_address(self) -> str:
        """Return the organisation's own address on every EVM chain, which no index has."""
        return evm_address_of(self.evm_treasury_private_key())

    def solana_treasury_address(self) -> str:
        """Return the organisation's own address on Solana, which no index has."""
        return solana_address_of(self.solana_treasury_private_key())

    def evm_private_key(self, index: int) -> bytes:
        """Return the secp256k1 key of `evm_address`: 32 bytes, big-endian."""
        return self._evm.private_key(index)

    def solana_private_key(self, index: int) -> bytes:
        """Return the ed25519 key of `solana_address`: 32 bytes.

        Solana's own tools store 64 bytes, which are these and the public key.
        """
        return self._solana_root.get_privkey_from_path(solana_user(index))

    def evm_treasury_private_key(self) -> bytes:
        """Return the key, as `evm_private_key`, of the organisation's own address."""
        *parents, index = EVM_TREASURY
        return EvmKeys.below(self._evm_root, tuple(parents)).private_key(index)

    def solana_treasury_private_key(self) -> bytes:
        """Return the key, as `solana_private_key`, of the organisation's own address."""
        return self._solana_root.get_privkey_from_path(SOLANA_TREASURY)


def new_seed() -> bytes:
    """Return a new seed for an organisation: 64 random bytes from the operating system."""
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
