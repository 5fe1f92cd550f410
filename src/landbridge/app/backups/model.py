"""Manifest of a backup, and the errors of backup and restore."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from landbridge import __version__
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.migrate import migrations
from landbridge.platform.orgs.model import Mode

# Format version of the archive. Increased when an older version could no longer read it.
FORMAT = 1


class BackupFailed(LandbridgeError):
    """The backup failed."""


class BackupInvalid(LandbridgeError):
    """The file is not a complete backup."""


class RestoreRejected(LandbridgeError):
    """This backup can't be restored here."""


class MoneyTotal(msgspec.Struct, frozen=True):
    """Totals of a table for one asset; sums are in smallest units, as text."""

    table: str
    asset: str
    rows: int
    sums: Mapping[str, str]


class DatabaseContents(msgspec.Struct, frozen=True):
    """Row counts and money totals of a database, to compare a restored database with its backup."""

    rows: Mapping[str, int]
    money: list[MoneyTotal]


class BackupOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Versions that wrote a backup; readable by any version."""

    format: int
    # Version of Landbridge, and the last migration of its database.
    version: str
    migration: int


class Manifest(BackupOrigin, frozen=True, kw_only=True):
    """Description of a backup, stored beside the dump."""

    # None before the first start.
    mode: Mode | None
    taken_at: datetime
    # PostgreSQL's server_version_num.
    server_version: int
    contents: DatabaseContents


def check_version(origin: BackupOrigin) -> None:
    """Raise `RestoreRejected` if a newer version wrote the backup."""
    last = migrations()[-1].number
    is_newer = _parts(origin.version) > _parts(__version__)
    if origin.format > FORMAT or origin.migration > last or is_newer:
        raise RestoreRejected(
            f"The backup was made by version {origin.version} (migration {origin.migration}), "
            f"which is newer than this one ({__version__}, migration {last}). Restore it with the "
            "version that made it, or a newer one."
        )


def check_mode(manifest: Manifest, mode: Mode) -> None:
    """Raise `RestoreRejected` if the backup is of a database in the other mode."""
    if manifest.mode not in {None, mode}:
        raise RestoreRejected(
            f"This is a backup of a {manifest.mode} database, and LANDBRIDGE_MODE says {mode}."
        )


def differences(expected: DatabaseContents, found: DatabaseContents) -> list[str]:
    """Name every total of the backup that is missing or different in the restored database."""
    sentences = [
        f"{table}: {found.rows.get(table, 0)} rows instead of {expected.rows.get(table, 0)}"
        for table in sorted(expected.rows.keys() | found.rows.keys())
        if expected.rows.get(table) != found.rows.get(table)
    ]
    expected_money = {(each.table, each.asset): each for each in expected.money}
    found_money = {(each.table, each.asset): each for each in found.money}
    sentences += [
        f"{table} of {asset}: the sums differ"
        for table, asset in sorted(expected_money.keys() | found_money.keys())
        if expected_money.get((table, asset)) != found_money.get((table, asset))
    ]
    return sentences


def _parts(version: str) -> list[int]:
    """Return the numbers of a version for comparison; other parts count as zero."""
    return [int(part) if part.isdigit() else 0 for part in version.split(".")]
