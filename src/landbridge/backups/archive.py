"""The file of a backup: a tar of the dump, its manifest and the digests of both.

    database.dump   of pg_dump, in its own format
    manifest.json   what it is of (`model.Manifest`)
    SHA256SUMS      as `sha256sum --check` reads it

Guarantees:
- a file has its name only when it is whole and on the disk: until then it has another name beside
  it (`NAME.partial-...`), and that one is removed if the backup fails;
- a file that exists is never replaced; a new one can be read by its owner only;
- what is read was checked: a file that was cut, prolonged or altered anywhere is refused.
"""

import hashlib
import os
import tarfile
import tempfile
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from landbridge.backups.model import (
    BackupFailed,
    BackupInvalid,
    Manifest,
    Origin,
    check_version,
)

DUMP, MANIFEST, SUMS = "database.dump", "manifest.json", "SHA256SUMS"

_BLOCK_BYTES = tarfile.BLOCKSIZE
# A tar ends with two blocks of zeros.
_END = bytes(2 * _BLOCK_BYTES)
_CHUNK_BYTES = 1024 * 1024
_MODE = 0o600
# Of the manifest and the digests. A table takes some fifty bytes in it.
_TEXT_BYTES_MAX = 16 * 1024 * 1024


class Writer:
    """An archive in the making: the dump in pieces, then the manifest."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sha256 = hashlib.sha256()
        self._bytes = 0
        # The header of the dump says how long it is, so it is written last.
        file.write(bytes(_BLOCK_BYTES))

    def write(self, chunk: bytes) -> None:
        """Add a piece of the dump."""
        with _writes():
            self._file.write(chunk)
        self._sha256.update(chunk)
        self._bytes += len(chunk)

    def finish(self, manifest: Manifest) -> None:
        """Add what follows the dump, and have all of it on the disk."""
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
        at = int(manifest.taken_at.timestamp())
        with _writes():
            self._file.write(_behind(self._bytes, self._sha256.hexdigest(), text, at))
            self._file.seek(0)
            self._file.write(_header(DUMP, self._bytes, at))
            self._file.flush()
            os.fsync(self._file.fileno())


def check_new(target: Path) -> None:
    """Raise `BackupFailed` if there is a file of this name."""
    if target.exists() or target.is_symlink():
        raise BackupFailed(f"{target} is there already, and a backup never replaces a file.")


@contextmanager
def writing(target: Path) -> Generator[tuple[Writer, Path]]:
    """A new archive, and where it is until the context ends well; then it has its name.

    Raises `BackupFailed` if there is a file of that name, or none can be made.
    """
    check_new(target)
    try:
        descriptor, name = tempfile.mkstemp(prefix=f"{target.name}.partial-", dir=target.parent)
    except OSError as error:
        raise BackupFailed(f"No file can be made beside {target} ({error.strerror}).") from error
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield Writer(file), draft
        with _writes():
            _publish(draft, target)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _writes() -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise BackupFailed(f"The backup could not be written ({error.strerror}).") from error


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup that was found to be whole."""

    path: Path
    manifest: Manifest
    dump_bytes: int

    async def dump(self) -> AsyncIterator[bytes]:
        """Read the dump in pieces."""
        with self.path.open("rb") as file:
            for chunk in _dump(file, self.dump_bytes):
                yield chunk


def read(path: Path) -> Archive:
    """Check the whole of an archive.

    Raises `BackupInvalid` unless it is whole, `RestoreRefused` if a newer version made it.
    """
    try:
        with path.open("rb") as file:
            return _read(path, file)
    except OSError as error:
        raise BackupInvalid(f"{path} can't be read ({error.strerror}).") from error
    except (tarfile.TarError, msgspec.MsgspecError, ValueError) as error:
        raise BackupInvalid(
            f"{path} is not a whole backup of Landbridge: it was cut, altered, or is another file."
        ) from error


def _read(path: Path, file: BinaryIO) -> Archive:
    first = file.read(_BLOCK_BYTES)
    size = tarfile.TarInfo.frombuf(first, "ascii", "strict").size
    sha256 = hashlib.sha256()
    for chunk in _dump(file, size):
        sha256.update(chunk)
    rest = file.read(_TEXT_BYTES_MAX)
    begin = len(_padding(size)) + _BLOCK_BYTES
    header = tarfile.TarInfo.frombuf(rest[begin - _BLOCK_BYTES : begin], "ascii", "strict")
    text = rest[begin : begin + header.size]
    check_version(msgspec.json.decode(text, type=Origin))
    manifest = msgspec.json.decode(text, type=Manifest)
    at = int(manifest.taken_at.timestamp())
    # Written again, every byte of it, rather than looked through for what may be wrong.
    is_whole = first == _header(DUMP, size, at)
    if not is_whole or rest != _behind(size, sha256.hexdigest(), text, at):
        raise ValueError("other bytes than were written")
    return Archive(path, manifest, size)


def _dump(file: BinaryIO, size: int) -> Generator[bytes]:
    file.seek(_BLOCK_BYTES)
    while size:
        chunk = file.read(min(size, _CHUNK_BYTES))
        if not chunk:
            raise ValueError("the dump is cut")
        size -= len(chunk)
        yield chunk


def _behind(size: int, sha256: str, text: bytes, at: int) -> bytes:
    """Everything behind a dump of this size and digest; `text` is the manifest."""
    sums = f"{sha256}  {DUMP}\n{hashlib.sha256(text).hexdigest()}  {MANIFEST}\n".encode()
    members = [
        _header(name, len(content), at) + content + _padding(len(content))
        for name, content in ((MANIFEST, text), (SUMS, sums))
    ]
    return b"".join([_padding(size), *members, _END])


def _publish(draft: Path, target: Path) -> None:
    """Give a whole file its name, unless another has it by now."""
    try:
        # Unlike a rename, a link never replaces a file.
        os.link(draft, target)
    except FileExistsError:
        check_new(target)
        raise
    except OSError:
        # A file system without links.
        check_new(target)
        draft.rename(target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with suppress(OSError):  # some file systems sync no folders
        os.fsync(folder)
    os.close(folder)


def _header(name: str, size: int, at: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, _MODE, at
    return member.tobuf(tarfile.GNU_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % _BLOCK_BYTES)
