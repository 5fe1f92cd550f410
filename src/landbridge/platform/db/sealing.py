"""Sealing: encryption at rest for columns whose content a database dump must not reveal.

Guarantees:
- A sealed value opens only with its key, unaltered, and in its `context`: moved to another row, it
  is refused (AES-256-GCM, context authenticated).
- Sealing the same value twice gives different bytes, so equal secrets do not show.
- Every value names its key, so keys can be rotated while old values still open. The sealing key is
  set separately from the keys that open, so that all processes know a key before the first uses it.
- No error, message or repr shows a key or a value.

A sealed value is one byte of version, one of key id, 12 of nonce, then the ciphertext and its tag:
30 bytes more than the plain one. Nonces are random; a key should seal fewer than 2**32 values (NIST
SP 800-38D), which one key per owner never does.
"""

import base64
import os
import secrets
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.folder_sync import sync_folder

KEY_BYTES = 32
# A random key has about 30 distinct bytes; a key with fewer than 8 was typed by hand or left unset.
_DISTINCT_BYTES_MIN = 8
# Id of a key that is given without one.
FIRST_KEY_ID = 1
_KEY_ID_MAX = 255
_VERSION = 1
_HEADER_BYTES = 2
_NONCE_BYTES = 12
_TAG_BYTES = 16
_OWNER_ONLY = 0o600
# A key's text has 44 characters. A longer file than this is no key file, and is not read in full.
_KEY_FILE_BYTES_MAX = 4096
_KEY_FORM = "A master key is 32 bytes in base64: 44 characters, the last one '='."


class SealBroken(InvariantBroken):
    """Raised if a sealed value does not open: wrong key, wrong context, or altered bytes."""

    def __init__(self, reason: str | None = None) -> None:
        super().__init__(
            reason or "a sealed value does not open: wrong key, wrong place, or altered"
        )


class Sealer:
    """Seals with the first of its keys, and opens with any of them."""

    __slots__ = ("_ciphers", "_sealing_id")

    def __init__(self, keys: Mapping[int, bytes] | bytes) -> None:
        """Take keys of 32 bytes by id (0 to 255); the first one seals. A single key has id 1.

        Raises `ValueError` if there is none, or if one has another length or id.
        """
        by_id = {FIRST_KEY_ID: keys} if isinstance(keys, bytes) else keys
        if not by_id:
            raise ValueError("At least one master key is needed.")
        for key_id, key in by_id.items():
            if not 0 <= key_id <= _KEY_ID_MAX:
                raise ValueError(f"{key_id} is not a key id: they go from 0 to {_KEY_ID_MAX}.")
            if len(key) != KEY_BYTES:
                raise ValueError(f"Master key {key_id} must have {KEY_BYTES} bytes.")
        self._ciphers = {key_id: AESGCM(key) for key_id, key in by_id.items()}
        self._sealing_id = next(iter(by_id))

    @property
    def sealing_id(self) -> int:
        """Return the id of the sealing key."""
        return self._sealing_id

    def seal(self, plain: bytes, *, context: str) -> bytes:
        """Encrypt `plain` for `context`, for example `wallet_seed:<org id>`."""
        header = bytes([_VERSION, self._sealing_id])
        nonce = secrets.token_bytes(_NONCE_BYTES)
        cipher = self._ciphers[self._sealing_id]
        return header + nonce + cipher.encrypt(nonce, plain, _associated_data(header, context))

    def open(self, sealed: bytes, *, context: str) -> bytes:
        """Decrypt a value sealed for `context`; raises `SealBroken` for anything else."""
        if len(sealed) < _HEADER_BYTES + _NONCE_BYTES + _TAG_BYTES or sealed[0] != _VERSION:
            raise SealBroken("not a sealed value of a known version")
        cipher = self._ciphers.get(sealed[1])
        if cipher is None:
            raise SealBroken(f"sealed with master key {sealed[1]}, which is not configured")
        header, payload = sealed[:_HEADER_BYTES], sealed[_HEADER_BYTES:]
        nonce, ciphertext = payload[:_NONCE_BYTES], payload[_NONCE_BYTES:]
        try:
            return cipher.decrypt(nonce, ciphertext, _associated_data(header, context))
        except InvalidTag:
            raise SealBroken from None

    def __repr__(self) -> str:
        ids = ", ".join(str(key_id) for key_id in sorted(self._ciphers))
        return f"<Sealer with keys {ids}>"


def new_key() -> bytes:
    """Return 32 random bytes."""
    return secrets.token_bytes(KEY_BYTES)


def keys_from_text(text: str) -> dict[int, bytes]:
    """Parse the keys of a setting or a key file, by id and in order: the first one seals.

    A key is 32 bytes in base64, preceded by its id and a colon; a single key needs no id, and has
    id 1. Keys are separated by commas or line ends. Raises `ValueError` that does not repeat the
    text.
    """
    return _parse_keys(text, _key_from_text)


def check_sealing_key(keys: Mapping[int, bytes]) -> None:
    """Raise `ValueError` if the sealing key is easily guessed.

    Keys that only open are not checked.
    """
    if len(set(next(iter(keys.values())))) < _DISTINCT_BYTES_MIN:
        raise ValueError(
            "A master key is random: `landbridge master-key create` prints one. This one repeats a "
            "few bytes, so anybody can guess it."
        )


def wrapped_keys_from_text(text: str) -> dict[int, bytes]:
    """Parse wrapped keys by id and in order, as `keys_from_text` does; they may have any length."""
    return _parse_keys(text, _wrapped_from_text)


def _parse_keys(text: str, parse: Callable[[str], bytes]) -> dict[int, bytes]:
    keys: dict[int, bytes] = {}
    parts = [part.strip() for part in text.replace(",", "\n").split("\n") if part.strip()]
    for part in parts:
        id_text, colon, key_text = part.rpartition(":")
        is_id = len(id_text) <= len(str(_KEY_ID_MAX)) and id_text.isascii() and id_text.isdigit()
        if (colon and not is_id) or (not colon and len(parts) > 1):
            raise ValueError("Several master keys are written as 2:BASE64,1:BASE64.")
        key_id = int(id_text) if colon else FIRST_KEY_ID
        if key_id in keys or key_id > _KEY_ID_MAX:
            raise ValueError(f"The ids of master keys are different, and from 0 to {_KEY_ID_MAX}.")
        keys[key_id] = parse(key_text)
    if not keys:
        raise ValueError(_KEY_FORM)
    return keys


def _key_from_text(text: str) -> bytes:
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ValueError(_KEY_FORM)
    return key


def _wrapped_from_text(text: str) -> bytes:
    try:
        wrapped = base64.b64decode(text, validate=True)
    except ValueError:
        wrapped = b""
    if not wrapped:
        raise ValueError("A wrapped master key is in base64, as the key service returned it.")
    return wrapped


def load_or_create_keys(path: Path) -> dict[int, bytes]:
    """Read the keys in the file at `path`; if there is no file, create it with a new key.

    The file holds base64 and a line end. Processes that start at once all get the same key, and a
    crash leaves a whole file or none. The folder must exist. Raises `ValueError` if the file holds
    no key, or if users other than its owner may read or write it.
    """
    if not path.exists():
        _create_key(path)
    return _load_keys(path)


def _create_key(path: Path) -> None:
    """Write a new key to a temporary file and link it to `path`, unless `path` exists."""
    text = base64.b64encode(new_key()) + b"\n"
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        # Unlike a rename, a link never replaces a file, and it appears with all its content. If
        # another process was first, its key is used.
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
    sync_folder(path.parent)


def _load_keys(path: Path) -> dict[int, bytes]:
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"The key file {path} is not an ordinary file.")
        if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ValueError(
                f"The key file {path} is open to other users of this machine; run: chmod 600 {path}"
            )
        content = file.read(_KEY_FILE_BYTES_MAX)
    try:
        return keys_from_text(content.decode("ascii", errors="replace"))
    except ValueError:
        raise ValueError(
            f"The key file {path} does not hold 32 bytes in base64, or several such with ids."
        ) from None


def _associated_data(header: bytes, context: str) -> bytes:
    """Return the additional authenticated data."""
    return header + context.encode()
