"""The Parquet files of a month: written leaf by leaf, and read back in the same order."""

import hashlib
import importlib
import json
import os
from base64 import b64encode
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.reporting.archive.model import (
    BALANCES,
    CHANGES,
    ENTRIES,
    FILES,
    TRANSFERS,
    ArchivedFile,
    ArchiveInvalid,
    AssetTurnover,
    EndedRecord,
)
from landbridge.reporting.exports.model import Column, ExportHeader, Value
from landbridge.reporting.exports.parquet_groups import ParquetGroups
from landbridge.reporting.proofs.model import BookLeaf

_UTC = ZoneInfo("UTC")
_MODE = 0o600
_READ_ROWS = 1000
_CHUNK_BYTES = 1024 * 1024
_EMPTY = (0, 0, 0)

Row = Mapping[str, Any]


class ForwardedBalance(NamedTuple):
    """Number of entries, available and held units of an account, before and after a month."""

    account: str
    asset: str
    before: tuple[int, int, int]
    after: tuple[int, int, int]


class MonthBalances:
    """Balances of all accounts, brought forward and changed by the entries of a month."""

    def __init__(
        self, assets: Mapping[str, str], before: Mapping[str, tuple[int, int, int]]
    ) -> None:
        self._before, self._after = dict(before), dict(before)
        self._assets = dict(assets)
        self._entries, self._credits = Counter[str](), Counter[str]()

    def add(self, leaves: Iterable[BookLeaf]) -> None:
        """Apply the entries of these leaves to the balances."""
        for entry in (entry for leaf in leaves for entry in leaf.change.entries):
            count, available, held = self._after.get(entry.account, _EMPTY)
            self._after[entry.account] = count + 1, available + entry.available, held + entry.held
            self._assets[entry.account] = entry.asset
            self._entries[entry.asset] += 1
            self._credits[entry.asset] += max(entry.available + entry.held, 0)

    def rows(self) -> Iterator[ForwardedBalance]:
        """Yield the balances in the order of accounts."""
        for account, after in sorted(self._after.items()):
            before = self._before.get(account, _EMPTY)
            yield ForwardedBalance(account, self._assets[account], before, after)

    def turnover(self) -> list[AssetTurnover]:
        """Return the sums of each asset with entries."""
        moved = Counter(
            self._assets[each]
            for each, after in self._after.items()
            if after != self._before.get(each)
        )
        return [
            AssetTurnover(asset, count, str(self._credits[asset]), moved[asset])
            for asset, count in sorted(self._entries.items())
        ]


class LeafRows(NamedTuple):
    """Rows of one leaf, read from the files."""

    change: Row
    record: Row | None
    entries: list[Row]


class MonthWriter:
    """Writer of a month's files; they are flushed to disk when the context exits normally."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._files = {
            name: stack.enter_context(_opened(folder / name, columns))
            for name, columns in FILES.items()
        }

    def add(self, leaves: Sequence[BookLeaf], records: Mapping[UUID, EndedRecord]) -> None:
        """Add leaves; `records` has the final state of each record that they create."""
        self._files["changes.parquet"].add([_change_row(each) for each in leaves])
        self._files["transfers.parquet"].add(
            [
                _record_row(each, records[each.change.position.object_id])
                for each in leaves
                if each.change.opening is not None
            ]
        )
        self._files["entries.parquet"].add(
            [row for each in leaves for row in _entry_rows(each)],
        )

    def end(self, balances: Iterable[ForwardedBalance]) -> list[ArchivedFile]:
        """Add the balances, complete all files, and return their descriptions."""
        self._files["balances.parquet"].add([_balance_row(each) for each in balances])
        return [each.end() for each in self._files.values()]


@contextmanager
def written_month(folder: Path) -> Generator[MonthWriter]:
    """Yield a writer of the files of a new folder."""
    with ExitStack() as stack:
        yield MonthWriter(folder, stack)


class _ParquetFile:
    """Writer of one Parquet file, which writes rows in groups."""

    def __init__(self, path: Path, descriptor: int, columns: tuple[Column, ...]) -> None:
        self.file = os.fdopen(descriptor, "wb")
        self._name = path.name
        self._width = len(columns)
        self._groups = ParquetGroups(ExportHeader(columns, _UTC, path.stem))
        self._sha256 = hashlib.sha256()
        self._rows = self._bytes = 0

    def add(self, rows: Sequence[tuple[Value, ...]]) -> None:
        if rows:
            self._rows += len(rows)
            self._write(self._groups.add(list(zip(*rows, strict=True))))

    def end(self) -> ArchivedFile:
        self._write(self._groups.end())
        self.file.flush()
        os.fsync(self.file.fileno())
        return ArchivedFile(self._name, self._rows, self._bytes, self._sha256.hexdigest())

    def _write(self, content: bytes) -> None:
        self.file.write(content)
        self._sha256.update(content)
        self._bytes += len(content)


@contextmanager
def _opened(path: Path, columns: tuple[Column, ...]) -> Generator[_ParquetFile]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
    found = _ParquetFile(path, descriptor, columns)
    with found.file:
        yield found


def check_file(folder: Path, described: ArchivedFile) -> None:
    """Raise `ArchiveInvalid` unless a file has the bytes that were written."""
    path = folder / described.name
    sha256 = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                sha256.update(chunk)
    except OSError as error:
        raise ArchiveInvalid(f"{path} can't be read ({error.strerror}).") from error
    if sha256.hexdigest() != described.sha256:
        raise ArchiveInvalid(f"{path} was cut or altered: its SHA-256 is not that of its manifest.")


def read_leaves(folder: Path) -> Iterator[LeafRows]:
    """Yield the rows of each leaf, in order.

    Raises `ArchiveInvalid` for a record or an entry that belongs to no leaf.
    """
    changes = _rows(folder, "changes.parquet", CHANGES)
    records = _Lookahead(_rows(folder, "transfers.parquet", TRANSFERS))
    entries = _Lookahead(_rows(folder, "entries.parquet", ENTRIES))
    for change in changes:
        leaf = change["leaf"]
        of_leaf = list(records.take(leaf))
        if len(of_leaf) > 1:
            raise ArchiveInvalid(f"{folder}: change {leaf} has two records.")
        yield LeafRows(change, of_leaf[0] if of_leaf else None, list(entries.take(leaf)))
    if records.row is not None or entries.row is not None:
        raise ArchiveInvalid(f"{folder} has a record or an entry without its change.")


def read_balances(folder: Path) -> Iterator[ForwardedBalance]:
    """Yield the balances of a month."""
    for row in _rows(folder, "balances.parquet", BALANCES):
        yield ForwardedBalance(
            row["account"],
            row["asset"],
            (row["forward_count"], int(row["forward_available"]), int(row["forward_held"])),
            (row["count"], int(row["available"]), int(row["held"])),
        )


class _Lookahead:
    """Iterator of rows, from which the rows of each leaf are taken in order."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self.row = next(rows, None)

    def take(self, leaf: int) -> Iterator[Row]:
        while self.row is not None and self.row["leaf"] == leaf:
            yield self.row
            self.row = next(self._rows, None)


def _rows(folder: Path, name: str, columns: tuple[Column, ...]) -> Iterator[Row]:
    parquet: Any = importlib.import_module("pyarrow.parquet")
    path, names = folder / name, [each.name for each in columns]
    try:
        with parquet.ParquetFile(path) as file:
            if file.schema_arrow.names != names:
                raise ArchiveInvalid(f"{path} has other columns.")
            for batch in file.iter_batches(_READ_ROWS):
                yield from batch.to_pylist()
    except (OSError, ValueError) as error:
        # Arrow raises these types for damaged files.
        raise ArchiveInvalid(f"{path} is no Parquet file, or is damaged.") from error


def _change_row(leaf: BookLeaf) -> tuple[Value, ...]:
    change = leaf.change
    return (
        leaf.index,
        str(change.position.object_id),
        change.position.seq,
        change.kind,
        change.change_type,
        change.status_before,
        change.status_after,
        change.actor,
        change.occurred_at,
        change.facts,
        *_proof(leaf, 0),
    )


def _record_row(leaf: BookLeaf, record: EndedRecord) -> tuple[Value, ...]:
    return (leaf.index, *record.values, *_proof(leaf, 1))


def _entry_rows(leaf: BookLeaf) -> Iterator[tuple[Value, ...]]:
    change = leaf.change
    first = len(leaf.parts) - len(change.entries)
    for line, entry in enumerate(change.entries):
        shown = json.loads(leaf.parts[first + line])
        yield (
            leaf.index,
            str(change.position.object_id),
            change.position.seq,
            line,
            entry.account,
            None if entry.wallet_id is None else str(entry.wallet_id),
            entry.asset,
            str(entry.available),
            str(entry.held),
            shown["balanceAvailable"],
            shown["balanceHeld"],
            shown["count"],
            change.occurred_at,
            *_proof(leaf, first + line),
        )


def _balance_row(balance: ForwardedBalance) -> tuple[Value, ...]:
    before, after = balance.before, balance.after
    return (
        balance.account,
        balance.asset,
        str(before[1]),
        str(before[2]),
        before[0],
        str(after[1]),
        str(after[2]),
        after[0],
    )


def _proof(leaf: BookLeaf, number: int) -> tuple[str, str]:
    return b64encode(leaf.salts[number]).decode(), leaf.parts[number].decode()
