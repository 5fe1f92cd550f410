"""Keys and addresses of custodial wallets, all derived from one seed per organisation.

Guarantees:
- the same seed and index give the same keys and addresses for ever, and any standard wallet that
  is given the seed finds them too: the paths below are the common ones;
- an address is always computed from the very key that will sign for it;
- one EVM address serves on every EVM chain; Solana has its own;
- nothing here keeps a seed or a key after its caller lets go, and no repr shows one.

Curves and child derivation are those of `slip10` and `cryptography`; ours are only the paths, the
two address formats and what counts as a well-written address.

Cost (docs/internals/wallet-keys.md): 2 ms to open an organisation's seed as `WalletKeys`, then
1 ms for each EVM address or key and 0.03 ms for each Solana one.
"""

import re
import secrets
from typing import Protocol, cast

import base58
from Crypto.Hash import keccak
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from slip10 import SLIP10

from landbridge.core.errors import Broken

# The longest that BIP-32 allows, and what a BIP-39 phrase becomes in any wallet.
SEED_BYTES = 64
# Indexes from here on are hardened ones: 2**31 owners per organisation.
_HARDENED = 0x8000_0000
# m/44'/60'/0'/0, then the owner's index (BIP-44; MetaMask, Ledger, Foundry).
_EVM_PATH = (44 | _HARDENED, 60 | _HARDENED, 0 | _HARDENED, 0)
# m/44'/501', then the owner's index', then 0' (Phantom, Solflare); ed25519 has hardened steps only.
_SOLANA_PATH = (44 | _HARDENED, 501 | _HARDENED)
# The organisation's own, on paths that no user has whatever their index: m/44'/60'/1'/0/0, a
# second account, and m/44'/501'/0'/1', a second wallet of the first one.
_EVM_TREASURY_PATH = (44 | _HARDENED, 60 | _HARDENED, 1 | _HARDENED, 0, 0)
_SOLANA_TREASURY_PATH = (44 | _HARDENED, 501 | _HARDENED, 0 | _HARDENED, 1 | _HARDENED)

_EVM_FORM = re.compile(r"0x[0-9a-fA-F]{40}")
# 32 bytes are 32 characters (all zero bytes) to 44 in base58, whose alphabet lacks 0, O, I and l.
_SOLANA_FORM = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
_SOLANA_BYTES = 32


class AddressError(ValueError):
    """A text that is not an address to send to; the message follows on a field's name."""


# slip10 ships no types; this is what we use of it.
class _Node(Protocol):
    def get_child_from_path(self, path: tuple[int, ...]) -> "_Node": ...
    def get_privkey_from_path(self, path: tuple[int, ...]) -> bytes: ...


class WalletKeys:
    """An organisation's seed, opened: what is derived once so that each owner costs one step.

    It is as secret as the seed. Make one where a seed has just been decrypted, pass it along, and
    let go of it with the work at hand.
    """

    __slots__ = ("_evm", "_evm_root", "_solana", "_solana_root")

    def __init__(self, seed: bytes) -> None:
        """Derive the accounts of a seed of 64 bytes; any other length is `Broken`."""
        if len(seed) != SEED_BYTES:
            raise Broken(f"a wallet seed has {SEED_BYTES} bytes, this one {len(seed)}")
        self._evm_root = _master(seed, curve="secp256k1")
        self._evm = self._evm_root.get_child_from_path(_EVM_PATH)
        self._solana_root = _master(seed, curve="ed25519")
        self._solana = self._solana_root.get_child_from_path(_SOLANA_PATH)

    def evm_address(self, index: int) -> str:
        """The owner's address on every EVM chain, `0x` and 40 digits with EIP-55 capitals."""
        return _evm_address_of(self.evm_private_key(index))

    def solana_address(self, index: int) -> str:
        """The owner's public key on Solana, in base58."""
        return _solana_address_of(self.solana_private_key(index))

    def evm_treasury_address(self) -> str:
        """The organisation's own address on every EVM chain, which no index gives."""
        return _evm_address_of(self.evm_treasury_private_key())

    def solana_treasury_address(self) -> str:
        """The organisation's own address on Solana, which no index gives."""
        return _solana_address_of(self.solana_treasury_private_key())

    def evm_private_key(self, index: int) -> bytes:
        """32 bytes, big-endian: the secp256k1 key behind `evm_address`."""
        return self._evm.get_privkey_from_path((_owner(index),))

    def solana_private_key(self, index: int) -> bytes:
        """32 bytes: the ed25519 key behind `solana_address`.

        Solana's own tools store 64 bytes, which are these and the public key.
        """
        return self._solana.get_privkey_from_path((_owner(index) | _HARDENED, 0 | _HARDENED))

    def evm_treasury_private_key(self) -> bytes:
        """As `evm_private_key`, of the organisation's own address."""
        return self._evm_root.get_privkey_from_path(_EVM_TREASURY_PATH)

    def solana_treasury_private_key(self) -> bytes:
        """As `solana_private_key`, of the organisation's own address."""
        return self._solana_root.get_privkey_from_path(_SOLANA_TREASURY_PATH)


def new_seed() -> bytes:
    """64 fresh random bytes from the operating system: one organisation's wallets."""
    return secrets.token_bytes(SEED_BYTES)


def evm_address(seed: bytes, index: int) -> str:
    """As `WalletKeys.evm_address`, for one address of a seed."""
    return WalletKeys(seed).evm_address(index)


def solana_address(seed: bytes, index: int) -> str:
    """As `WalletKeys.solana_address`, for one address of a seed."""
    return WalletKeys(seed).solana_address(index)


def evm_private_key(seed: bytes, index: int) -> bytes:
    """As `WalletKeys.evm_private_key`, for one key of a seed."""
    return WalletKeys(seed).evm_private_key(index)


def solana_private_key(seed: bytes, index: int) -> bytes:
    """As `WalletKeys.solana_private_key`, for one key of a seed."""
    return WalletKeys(seed).solana_private_key(index)


def checked_evm_address(text: str) -> str:
    """The address that `text` means, with EIP-55 capitals.

    Letters all small or all capital carry no checksum and are taken as they are; mixed ones must be
    right. Raises `AddressError` for anything else, and for the zero address, where coins are lost.
    """
    if not _EVM_FORM.fullmatch(text):
        raise AddressError("must be 0x followed by 40 hexadecimal digits")
    digits = text[2:]
    if not digits.strip("0"):
        raise AddressError("is the zero address, where coins are lost")
    checked = _checksummed(digits.lower())
    if text != checked and digits not in {digits.lower(), digits.upper()}:
        raise AddressError("has a wrong checksum: at least one character is mistyped")
    return checked


def checked_solana_address(text: str) -> str:
    """`text` itself, if it is 32 bytes in base58; Solana addresses carry no checksum.

    An address off the curve is accepted: multisig vaults have such. Raises `AddressError` for
    anything else, and for the address of zero bytes (the system program), where coins are lost.
    """
    # The form bounds the length first: decoding base58 takes time quadratic in it.
    if not _SOLANA_FORM.fullmatch(text):
        raise AddressError("must be 32 to 44 characters of base58")
    raw = base58.b58decode(text)
    if len(raw) != _SOLANA_BYTES:
        raise AddressError("is not a Solana address: it does not stand for 32 bytes")
    if not any(raw):
        raise AddressError("is the system program, where coins are lost")
    return text


def _master(seed: bytes, *, curve: str) -> _Node:
    """The root of the tree of `seed` on a curve that SLIP-0010 names."""
    root = SLIP10.from_seed(seed, curve_name=curve)  # pyright: ignore[reportUnknownMemberType]
    return cast("_Node", root)


def _evm_address_of(private_key: bytes) -> str:
    scalar = int.from_bytes(private_key)
    public_key = ec.derive_private_key(scalar, ec.SECP256K1()).public_key()
    point = public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    # The first byte only says that the point is uncompressed; the address leaves it out.
    return _checksummed(_keccak256(point[1:])[-20:].hex())


def _solana_address_of(private_key: bytes) -> str:
    public_key = Ed25519PrivateKey.from_private_bytes(private_key).public_key()
    return base58.b58encode(public_key.public_bytes_raw()).decode("ascii")


def _owner(index: int) -> int:
    """`index`, if a path has room for it."""
    if not 0 <= index < _HARDENED:
        raise Broken(f"{index} is not a derivation index")
    return index


def _keccak256(data: bytes) -> bytes:
    """Ethereum's hash: Keccak as submitted, which is not the SHA-3 of the standard library."""
    return keccak.new(digest_bits=256, data=data).digest()


def _checksummed(digits: str) -> str:
    """`0x` and 40 hex digits, a letter capital where the hash has 8 or more there: EIP-55."""
    hashed = _keccak256(digits.encode("ascii")).hex()
    return "0x" + "".join(
        digit.upper() if place >= "8" else digit
        for digit, place in zip(digits, hashed, strict=False)  # the hash has 24 digits more
    )
