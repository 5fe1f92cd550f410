"""Signature log: a file that only grows, of which each line is one signature.

Guarantees:
- A line is durable once `sync` has returned; no signature is answered before.
- One process writes at a time: the file is locked.
- A line that a crash has cut off was never answered, and is removed at the next start.
- After a failed write or sync nothing more is written: what the disk holds is unknown.
"""

import fcntl
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.core.folder_sync import sync_folder
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.signing.known_calls import Movement, SignatureKind
from landbridge.providers.evm.signing.log_entries import (
    LINE_BYTES_MAX,
    NO_HASH,
    LogEntry,
    LogInvalid,
    LogMovement,
    check_lines,
    encode_line,
    line_hash,
)
from landbridge.providers.evm.signing.signed_amounts import NonceUse

_OWNER_ONLY = 0o600
_BLOCK_BYTES = 1024 * 1024


class LogFailed(LandbridgeError):
    """The signature log can't be written; the signer ends."""


class SignatureLog:
    """Open log. `append` and `close` are for one thread; `sync` may run in another."""

    def __init__(self, descriptor: int, entries: Sequence[LogEntry], *, last: bytes | None) -> None:
        self._descriptor = descriptor
        self._number = entries[-1].number if entries else 0
        self._previous = NO_HASH if last is None else line_hash(last)
        self._has_failed = False
        self._is_dirty = False
        self._recent = entries

    @classmethod
    def open(cls, path: Path, *, since: str) -> "SignatureLog":
        """Open or create a log; `take_recent` has at least the entries since the day `since`.

        Raises:
            LogInvalid: It was altered, or another process has it open.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        try:
            descriptor = os.open(path, flags, _OWNER_ONLY)
        except OSError as error:
            raise LogInvalid(f"{path} can't be opened: {error.strerror}") from error
        try:
            _lock(descriptor, path)
            os.fchmod(descriptor, _OWNER_ONLY)
            _remove_torn_line(descriptor)
            sync_folder(path.parent)
            lines, is_whole = _last_lines(descriptor, since)
            entries = list(check_lines(lines, previous=NO_HASH if is_whole else None))
        except BaseException:
            os.close(descriptor)
            raise
        return cls(descriptor, entries, last=lines[-1] if lines else None)

    def take_recent(self) -> Sequence[LogEntry]:
        """Return the entries since the day that the log was opened for; once, then none."""
        recent, self._recent = self._recent, ()
        return recent

    def append(
        self,
        at: datetime,
        use: NonceUse,
        *,
        kind: SignatureKind,
        destination: str,
        movements: Sequence[Movement],
        digest: bytes,
    ) -> None:
        """Write the line of a signature; raises `LogFailed`."""
        entry = LogEntry(
            number=self._number + 1,
            at=_timestamp(at),
            chain=use.chain,
            address=use.address,
            kind=kind,
            scope=use.scope,
            nonce=use.nonce,
            destination=destination,
            movements=tuple(
                LogMovement(each.currency, each.destination, str(each.amount_units))
                for each in movements
            ),
            hash=f"0x{digest.hex()}",
            previous=self._previous,
        )
        line = encode_line(entry)
        self._check()
        try:
            written = os.write(self._descriptor, line)
        except OSError as error:
            raise self._failure(f"it can't be written: {error.strerror}") from error
        if written != len(line):
            raise self._failure("the disk is full")
        self._number, self._previous = entry.number, line_hash(line)
        self._is_dirty = True

    def sync(self) -> None:
        """Make all lines durable that were appended before the call; raises `LogFailed`."""
        self._check()
        if not self._is_dirty:
            return
        self._is_dirty = False
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._failure(f"it can't be made durable: {error.strerror}") from error

    def close(self) -> None:
        """Close the file, which unlocks it."""
        os.close(self._descriptor)

    def _check(self) -> None:
        if self._has_failed:
            raise LogFailed("The signature log has failed before.")

    def _failure(self, problem: str) -> LogFailed:
        self._has_failed = True
        return LogFailed(f"The signature log has failed: {problem}.")


def movements_of(entry: LogEntry) -> list[Movement]:
    """Return the movements of a line."""
    return [Movement(each.token, each.destination, int(each.amount)) for each in entry.movements]


def use_of(entry: LogEntry) -> NonceUse:
    """Return the use of a nonce that a line is about."""
    return NonceUse(Network(entry.chain), entry.address, entry.scope, entry.nonce)


def day_of(at: datetime) -> str:
    """Return the day in UTC, as in `2026-11-25`."""
    return _timestamp(at)[:10]


def _timestamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise LogInvalid(f"another signer has {path} open") from None


def _remove_torn_line(descriptor: int) -> None:
    size = os.fstat(descriptor).st_size
    tail = os.pread(descriptor, LINE_BYTES_MAX, max(0, size - LINE_BYTES_MAX))
    end = tail.rfind(b"\n") + 1
    if end < len(tail):
        if not end and size > LINE_BYTES_MAX:
            raise LogInvalid("the signature log ends in no line")
        os.ftruncate(descriptor, size - (len(tail) - end))
        os.fsync(descriptor)


def _last_lines(descriptor: int, since: str) -> tuple[list[bytes], bool]:
    """Return the lines at the end, back to one before the day `since`, and whether these are all.

    The file is read backwards, because it grows for years.
    """
    start = os.fstat(descriptor).st_size
    blocks: list[bytes] = []
    while start:
        length = min(_BLOCK_BYTES, start)
        start -= length
        blocks.append(os.pread(descriptor, length, start))
        # The first line of a block may be cut off, unless the block begins the file.
        first = blocks[-1].split(b"\n", 2)[1:2]
        if start and first and _day_of_line(first[0] + b"\n") < since:
            break
    lines = b"".join(reversed(blocks)).splitlines(keepends=True)
    return (lines[1:], False) if start else (lines, True)


def _day_of_line(line: bytes) -> str:
    return next(iter(check_lines([line], previous=None))).day
