"""An archived month: its files, and the manifest that describes them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec

from landbridge.platform.core.errors import LandbridgeError
from landbridge.reporting.exports.model import Column, ColumnKind, Value

MANIFEST: Final = "manifest.json"
FORMAT: Final = 1


class ArchiveInvalid(LandbridgeError):
    """An archive was changed after it was written, or belongs to another database."""


class MonthNotFinished(LandbridgeError):
    """The month is not over, or has payments or changes that are not final yet."""


class ArchivedFile(msgspec.Struct, frozen=True):
    """File of an archived month."""

    name: str
    rows: int
    bytes: int
    sha256: str


class AssetTurnover(msgspec.Struct, frozen=True):
    """Sums of one asset in a month, in smallest units; debits equal credits."""

    asset: str
    entries: int
    credits: str
    accounts: int


class MonthManifest(msgspec.Struct, frozen=True, kw_only=True):
    """Description of an archived month; hashes are in base64."""

    format: int
    organisation: UUID
    # Month in UTC, for example 2026-10.
    month: str
    # Index of the month's first leaf; `size` is the index after its last one.
    first: int
    size: int
    # Root of the tree of `size` leaves, and the roots of its perfect subtrees, largest first.
    root: str
    parts: list[str]
    # Signed checkpoint, and the proof that it continues the first `size` leaves.
    checkpoint: str
    growth: list[str]
    turnover: list[AssetTurnover]
    files: list[ArchivedFile]


@dataclass(frozen=True, slots=True)
class ArchivedMonth:
    """Manifest of a month in a folder, and the manifest's SHA-256."""

    manifest: MonthManifest
    digest: str


@dataclass(frozen=True, slots=True)
class EndedRecord:
    """Record of an ended payment: the columns of `TRANSFERS` from `id` to `facts`."""

    values: tuple[Value, ...]

    @property
    def kind(self) -> str:
        """Return the kind of payment."""
        return str(self.values[1])

    @property
    def status(self) -> str:
        """Return the status."""
        return str(self.values[4])


@dataclass(frozen=True, slots=True)
class MonthFolder:
    """Folder of an organisation, with one folder for each of its months."""

    path: Path

    def months(self) -> list[date]:
        """Return the months that the folder has, oldest first."""
        found = [read_month(each.name) for each in self.path.glob("????-??") if each.is_dir()]
        return sorted(each for each in found if each is not None)

    def month(self, month: date) -> Path:
        """Return the folder of a month."""
        return self.path / month_name(month)


def month_name(month: date) -> str:
    """Return the name of a month, for example 2026-10."""
    return f"{month:%Y-%m}"


def read_month(name: str) -> date | None:
    """Return the first day of a month from its name; None for other texts."""
    try:
        found = date.fromisoformat(f"{name}-01")
    except ValueError:
        return None
    return found if month_name(found) == name else None


def next_month(month: date) -> date:
    """Return the first day of the following month."""
    years, index = divmod(month.year * 12 + month.month, 12)
    return date(years, index + 1, 1)


def beginning(month: date) -> datetime:
    """Return the moment at which a month begins."""
    return datetime(month.year, month.month, month.day, tzinfo=UTC)


_LEAF = Column("leaf", ColumnKind.COUNT)
_PROOF = (Column("salt", ColumnKind.WORD), Column("text", ColumnKind.TEXT))


def _words(*names: str) -> tuple[Column, ...]:
    return tuple(Column(each, ColumnKind.WORD) for each in names)


def _units(*names: str) -> tuple[Column, ...]:
    return tuple(Column(each, ColumnKind.AMOUNT, decimals=0) for each in names)


# `salt` and `text` are those of a part of the leaf. The other columns repeat the content of the
# text, except those with the final state of a record.
CHANGES: Final = (
    _LEAF,
    *_words("object_id"),
    Column("seq", ColumnKind.COUNT),
    *_words("kind", "change_type", "status_before", "status_after", "actor"),
    Column("occurred_at", ColumnKind.MOMENT),
    Column("facts", ColumnKind.TEXT),
    *_PROOF,
)
TRANSFERS: Final = (
    _LEAF,
    *_words("id", "kind", "user_id", "request_id", "status"),
    Column("version", ColumnKind.COUNT),
    *_words("source_asset"),
    *_units("source_units"),
    *_words("destination_asset"),
    *_units("destination_units"),
    Column("created_at", ColumnKind.MOMENT),
    Column("updated_at", ColumnKind.MOMENT),
    Column("request", ColumnKind.TEXT),
    Column("details", ColumnKind.TEXT),
    Column("facts", ColumnKind.TEXT),
    *_PROOF,
)
ENTRIES: Final = (
    _LEAF,
    *_words("transfer_id"),
    Column("seq", ColumnKind.COUNT),
    Column("line", ColumnKind.COUNT),
    *_words("account", "wallet_id", "asset"),
    *_units("available", "held", "balance_available", "balance_held"),
    Column("count", ColumnKind.COUNT),
    Column("occurred_at", ColumnKind.MOMENT),
    *_PROOF,
)
# Columns for each account with entries: the balance brought forward, and that at the month's end.
BALANCES: Final = (
    *_words("account", "asset"),
    *_units("forward_available", "forward_held"),
    Column("forward_count", ColumnKind.COUNT),
    *_units("available", "held"),
    Column("count", ColumnKind.COUNT),
)
# The columns of each file, by its name.
FILES: Final[Mapping[str, tuple[Column, ...]]] = {
    "changes.parquet": CHANGES,
    "transfers.parquet": TRANSFERS,
    "entries.parquet": ENTRIES,
    "balances.parquet": BALANCES,
}
