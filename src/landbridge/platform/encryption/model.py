"""Data keys: each seals the personal data of one owner, and is destroyed to erase them."""

from typing import Any, TypeVar

import msgspec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from landbridge.platform.db.sealing import KEY_BYTES, Sealer

T = TypeVar("T")


class DataKey:
    """Seals the data of one owner: a user, a file, an agreement or an organisation.

    `context` names the location of a value, for example `users.card:<id>`; in another location the
    value does not open. Each `open` raises `SealBroken` for a value that was not sealed with this
    key and context.
    """

    __slots__ = ("_key", "_sealer")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._sealer = Sealer(key)

    def seal(self, value: Any, *, context: str) -> bytes:
        """Seal a value as JSON."""
        return self._sealer.seal(msgspec.json.encode(value), context=context)

    def open(self, sealed: bytes, *, context: str, type: type[T]) -> T:  # noqa: A002  as msgspec has it
        """Open a sealed value and decode it as `type`."""
        return msgspec.json.decode(self._sealer.open(sealed, context=context), type=type)

    def seal_bytes(self, plain: bytes, *, context: str) -> bytes:
        """Seal bytes as they are."""
        return self._sealer.seal(plain, context=context)

    def open_bytes(self, sealed: bytes, *, context: str) -> bytes:
        """Open sealed bytes."""
        return self._sealer.open(sealed, context=context)

    def derive(self, purpose: str) -> bytes:
        """Derive 32 bytes for a purpose other than sealing: deterministic and one-way."""
        derivation = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=purpose.encode())
        return derivation.derive(self._key)

    def __repr__(self) -> str:
        return "<DataKey>"
