"""Backup file: a tar of the dump, its manifest and the digests of both.

    database.dump   of pg_dump, in its custom format
    manifest.json   describes the backup (`model.Manifest`)
    SHA256SUMS      as `sha256sum --check` reads it

Guarantees:
- A file gets its final name only when it is complete and synced. Until then it is named
  `NAME.partial-...`, and is removed if the backup fails.
- An existing file is never replaced. A new file is readable by its owner only.
- A file is verified before it is read: a truncated, extended or altered file is refused.
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

from landbridge.app.backups.model import (
    BackupFailed,
    BackupInvalid,
    BackupOrigin,
    Manifest,
    check_version,
)

DUMP, MANIFEST, SUMS = "database.dump", "manifest.json", "SHA256SUMS"

_BLOCK_BYTES = tarfile.BLOCKSIZE
# A tar ends with two blocks of zeros.
_END = bytes(2 * _BLOCK_BYTES)
_CHUNK_BYTES = 1024 * 1024
_MODE = 0o600
# Size limit of the manifest and the digests. A table takes about fifty bytes in it.
_TEXT_BYTES_MAX = 16 * 1024 * 1024


class ArchiveWriter:
    """Writer of an archive: first the dump in chunks, then the manifest."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sha256 = hashlib.sha256()
        self._bytes = 0
        # The tar header of the dump states its length, so it is written last.
        file.write(bytes(_BLOCK_BYTES))

    def write(self, chunk: bytes) -> None:
        """Append a chunk of the dump."""
        with _writes():
            self._file.write(chunk)
        self._sha256.update(chunk)
        self._bytes += len(chunk)

    def finish(self, manifest: Manifest) -> None:
        """Append the manifest and the digests, and sync the file."""
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
        at = int(manifest.taken_at.timestamp())
        with _writes():
            self._file.write(_trailer(self._bytes, self._sha256.hexdigest(), text, at))
            self._file.seek(0)
            self._file.write(_header(DUMP, self._bytes, at))
            self._file.flush()
            os.fsync(self._file.fileno())


def check_new(target: Path) -> None:
    """Raise `BackupFailed` if a file of this name exists."""
    if target.exists() or target.is_symlink():
        raise BackupFailed(f"{target} is there already, and a backup never replaces a file.")


@contextmanager
def writing(target: Path) -> Generator[tuple[ArchiveWriter, Path]]:
    """Yield a new archive under a temporary name; rename it when the context exits normally.

    Raises `BackupFailed` if a file of that name exists or the archive cannot be created.
    """
    check_new(target)
    try:
        descriptor, name = tempfile.mkstemp(prefix=f"{target.name}.partial-", dir=target.parent)
    except OSError as error:
        raise BackupFailed(f"No file can be made beside {target} ({error.strerror}).") from error
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield ArchiveWriter(file), draft
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
    """A verified backup file."""

    path: Path
    manifest: Manifest
    dump_bytes: int

    async def dump(self) -> AsyncIterator[bytes]:
        """Read the dump in chunks."""
        with self.path.open("rb") as file:
            for chunk in _dump(file, self.dump_bytes):
                yield chunk


def read(path: Path) -> Archive:
    """Verify a whole archive and return it.

    Raises `BackupInvalid` if it is damaged, `RestoreRejected` if a newer version wrote it.
    """
    try:
        with path.open("rb") as file:
            return _read(path, file)
    except OSError as error:
        raise BackupInvalid(f"{path} can't be read ({error.strerror}).") from error
    except (tarfile.TarError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise BackupInvalid(
            f"{path} is not a whole backup of Landbridge: it was cut, altered, or is another file."
        ) from error


def _read(path: Path, file: BinaryIO) -> Archive:
    first = file.read(_BLOCK_BYTES)
    size = tarfile.TarInfo.frombuf(first, "ascii", "strict").size
    sha256 = hashlib.sha256()
    for chunk in _dump(file, size):
        sha256.update(chunk)
    trailer = file.read(_TEXT_BYTES_MAX)
    begin = len(_padding(size)) + _BLOCK_BYTES
    header = tarfile.TarInfo.frombuf(trailer[begin - _BLOCK_BYTES : begin], "ascii", "strict")
    text = trailer[begin : begin + header.size]
    check_version(msgspec.json.decode(text, type=BackupOrigin))
    manifest = msgspec.json.decode(text, type=Manifest)
    at = int(manifest.taken_at.timestamp())
    # Rebuild the trailer and compare every byte: simpler than checking each field.
    is_whole = first == _header(DUMP, size, at)
    if not is_whole or trailer != _trailer(size, sha256.hexdigest(), text, at):
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


def _trailer(size: int, sha256: str, text: bytes, at: int) -> bytes:
    """Return the archive's bytes after a dump of this size and digest; `text` is the manifest."""
    sums = f"{sha256}  {DUMP}\n{hashlib.sha256(text).hexdigest()}  {MANIFEST}\n".encode()
    members = [
        _header(name, len(content), at) + content + _padding(len(content))
        for name, content in ((MANIFEST, text), (SUMS, sums))
    ]
    return b"".join([_padding(size), *members, _END])


def _publish(draft: Path, target: Path) -> None:
    """Give a complete file its final name, unless that name has been taken meanwhile."""
    try:
        # Unlike a rename, a hard link never replaces a file.
        os.link(draft, target)
    except FileExistsError:
        check_new(target)
        raise
    except OSError:
        # The file system has no hard links.
        check_new(target)
        draft.rename(target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with suppress(OSError):  # some file systems cannot sync directories
        os.fsync(folder)
    os.close(folder)


def _header(name: str, size: int, at: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, _MODE, at
    return member.tobuf(tarfile.GNU_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % _BLOCK_BYTES)
