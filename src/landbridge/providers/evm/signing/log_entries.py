"""Lines of the signature log: their form, the chain of their hashes, and reading them.

Each line is JSON and has the SHA-256 of the line before it, so a line that was altered, removed or
inserted shows. Lines removed at the end do not: compare the log with the database.
"""

import hashlib
from collections.abc import Generator, Iterable
from pathlib import Path

import msgspec

from landbridge.platform.core.errors import LandbridgeError
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.signing.known_calls import SignatureKind

NO_HASH = "0" * 64
# Longer than any line: one has at most a movement for each of `CALLS_MAX` calls.
LINE_BYTES_MAX = 256 * 1024


class LogInvalid(LandbridgeError):
    """The signature log was altered, or can't be read."""


class LogMovement(msgspec.Struct, frozen=True):
    """Amount in a line: smallest units, as text because JSON readers round large numbers."""

    token: str
    destination: str
    amount: str


class LogEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Line of the log: one signature.

    `at` is RFC 3339 in UTC. `token` is a currency or `native`. `nonce` is decimal for transactions
    and delegations, else 0x and 64 digits. `destination` is that of the transaction, the contract
    of an authorization or delegation, or the account of calls. `movements` leave the account and
    count towards the day's totals. `hash` is what was signed.
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
        """Day in UTC, as in `2026-11-25`."""
        return self.at[:10]


class LogSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Result of checking a log: its lines, and the hash of the last one."""

    count: int
    last_hash: str


_decoder = msgspec.json.Decoder(LogEntry)


def encode_line(entry: LogEntry) -> bytes:
    """Return a line, with its end."""
    return msgspec.json.encode(entry) + b"\n"


def line_hash(line: bytes) -> str:
    """Return the hash by which the next line names this one; `line` may have its end."""
    return hashlib.sha256(line.rstrip(b"\n")).hexdigest()


def read_log(path: Path) -> Generator[LogEntry]:
    """Yield the entries of a log, and check that each follows the one before it.

    Raises:
        LogInvalid: A line is missing, altered or not complete, or there is no log.
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
    """Yield the entries of consecutive lines behind number `after`; raises `LogInvalid`.

    Without `previous`, the lines are the end of a log, and the first is taken as it is.
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
    # Only the form that we write, so that the hash covers all of a line's content.
    if encode_line(entry) != line:
        raise LogInvalid(f"line {number} of the signature log is not as it was written")
    return entry
