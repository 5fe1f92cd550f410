"""Signature log: an append-only file in which each line is one signature.

Guarantees:
- A line is durable once `sync` has returned; no signature is answered before.
- One process writes at a time: the file is locked.
- A line that a crash has cut off was never answered, and is removed at the next start.
- After a failed write or sync nothing more is written, because the content of the disk is unknown.

Each line is JSON and contains the SHA-256 of the previous line, which reveals lines that were
altered, removed or inserted. Lines removed at the end are not revealed: compare the log with the
database.
"""

import fcntl
import hashlib
import os
from collections.abc import Generator, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.core.folder_sync import sync_folder
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.signing.known_calls import Movement, SignatureKind
from landbridge.providers.evm.signing.signed_amounts import NonceUse

NO_HASH = "0" * 64
# Longer than any line, which has at most one movement for each of `CALLS_MAX` calls.
LINE_BYTES_MAX = 256 * 1024


class LogInvalid(LandbridgeError):
    """The signature log was altered or can't be read."""


class LogMovement(msgspec.Struct, frozen=True):
    """Amount in a line, in smallest units: a text, because JSON readers round large numbers."""

    token: str
    destination: str
    amount: str


class LogEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Line of the log: one signature.

    `at` is RFC 3339 in UTC. `token` is a currency or `native`. `nonce` is decimal for transactions
    and delegations, otherwise 0x and 64 digits. `destination` is the transaction's destination, the
    contract of an authorization or delegation, or the account of calls. `movements` leave the
    account and count towards the totals of the day. `hash` is the signed digest.
    """

    number: int
    at: str
    chain: Network
    address: str
    kind: SignatureKind
    scope: str
    nonce: str
    destination: str
    movements: tuple[LogMovement, ...]
    hash: str
    previous: str

    @property
    def day(self) -> str:
        """Return the day in UTC, such as `2026-11-25`."""
        return self.at[:10]


class LogSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Result of checking a log: the number of lines, and the hash of the last one."""

    count: int
    last_hash: str


_decoder = msgspec.json.Decoder(LogEntry)


def encode_line(entry: LogEntry) -> bytes:
    """Encode an entry as a line with its line end."""
    return msgspec.json.encode(entry) + b"\n"


def line_hash(line: bytes) -> str:
    """Return the hash by which the next line refers to this one; `line` may have its line end."""
    return hashlib.sha256(line.rstrip(b"\n")).hexdigest()


def read_log(path: Path) -> Generator[LogEntry]:
    """Yield the entries of a log, and check that each continues the previous one.

    Raises:
        LogInvalid: A line is missing, altered or incomplete, or there is no log.
    """
    try:
        with path.open("rb") as file:
            yield from check_lines(iter(lambda: file.readline(LINE_BYTES_MAX), b""))
    except OSError as error:
        raise LogInvalid(f"{path} can't be read: {error.strerror}") from error


def check_log(path: Path) -> LogSummary:
    """Check a log from its first line; raises `LogInvalid`."""
    count, last_hash = 0, NO_HASH
    for entry in read_log(path):
        count, last_hash = entry.number, line_hash(encode_line(entry))
    return LogSummary(count=count, last_hash=last_hash)


def check_lines(
    lines: Iterable[bytes], *, after: int = 0, previous: str | None = NO_HASH
) -> Generator[LogEntry]:
    """Yield the entries of consecutive lines after number `after`; raises `LogInvalid`.

    If `previous` is None, the lines are the end of a log, and the link of the first is not checked.
    """
    number, expected = after, previous
    for line in lines:
        entry = _decode(line, number + 1)
        if expected is None:
            number, expected = entry.number - 1, entry.previous
        if entry.number != number + 1 or entry.previous != expected:
            raise LogInvalid(f"line {number + 1} of the signature log is missing or altered")
        number, expected = entry.number, line_hash(line)
        yield entry


def _decode(line: bytes, number: int) -> LogEntry:
    if not line.endswith(b"\n"):
        raise LogInvalid(f"line {number} of the signature log is not complete")
    try:
        entry = _decoder.decode(line)
    except msgspec.DecodeError:
        raise LogInvalid(f"line {number} of the signature log is not valid") from None
    # Only our own form is accepted, so that the hash covers the complete content of a line.
    if encode_line(entry) != line:
        raise LogInvalid(f"line {number} of the signature log is not as it was written")
    return entry


_OWNER_ONLY = 0o600
_BLOCK_BYTES = 1024 * 1024


class LogFailed(LandbridgeError):
    """The signature log can't be written, so the signer ends."""


class SignatureLog:
    """Open signature log. Use `append` and `close` in one thread; `sync` may run in another."""

    def __init__(self, descriptor: int, entries: Sequence[LogEntry], *, last: bytes | None) -> None:
        self._descriptor = descriptor
        self._number = entries[-1].number if entries else 0
        self._previous = NO_HASH if last is None else line_hash(last)
        self._has_failed = False
        self._is_dirty = False
        self._recent = entries

    @classmethod
    def open(cls, path: Path, *, since: str) -> "SignatureLog":
        """Open or create a log; `take_recent` returns at least the entries since the day `since`.

        Raises:
            LogInvalid: The log was altered, or another process has it open.
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
        """Return the entries since the day given to `open`, once; after that, none."""
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
        """Append the line of a signature; raises `LogFailed`."""
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
        """Make all lines durable that were appended before this call; raises `LogFailed`."""
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
    """Return the nonce that a line's signature uses."""
    return NonceUse(Network(entry.chain), entry.address, entry.scope, entry.nonce)


def day_of(at: datetime) -> str:
    """Return the day in UTC, such as `2026-11-25`."""
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
    """Return the last lines, back to one before the day `since`, and whether these are all lines.

    The file is read backwards, because it grows for years.
    """
    start = os.fstat(descriptor).st_size
    blocks: list[bytes] = []
    while start:
        length = min(_BLOCK_BYTES, start)
        start -= length
        blocks.append(os.pread(descriptor, length, start))
        # The first line of a block may be incomplete, unless the block begins the file.
        first = blocks[-1].split(b"\n", 2)[1:2]
        if start and first and _day_of_line(first[0] + b"\n") < since:
            break
    lines = b"".join(reversed(blocks)).splitlines(keepends=True)
    return (lines[1:], False) if start else (lines, True)


def _day_of_line(line: bytes) -> str:
    return next(iter(check_lines([line], previous=None))).day
