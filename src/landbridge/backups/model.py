"""What a backup says of itself, and why one is refused."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from landbridge import __version__
from landbridge.core.errors import LandbridgeError
from landbridge.db.migrate import migrations
from landbridge.orgs.model import Mode

# Of the archive. Grows when an older version could not read it any more.
FORMAT = 1


class BackupFailed(LandbridgeError):
    """The backup was not made."""


class BackupInvalid(LandbridgeError):
    """The file is no backup, or not a whole one."""


class RestoreRefused(LandbridgeError):
    """This backup can't be restored here."""


class MoneyTotal(msgspec.Struct, frozen=True):
    """What a table holds of one asset; sums are in units, as text."""

    table: str
    asset: str
    rows: int
    sums: Mapping[str, str]


class Contents(msgspec.Struct, frozen=True):
    """What a database holds, to compare what was restored with what was backed up."""

    rows: Mapping[str, int]
    money: list[MoneyTotal]


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What made a backup: readable by any version."""

    format: int
    # Of Landbridge, and its last migration in the database.
    version: str
    migration: int


class Manifest(Origin, frozen=True, kw_only=True):
    """What lies beside the dump in a backup."""

    # None before the first start.
    mode: Mode | None
    taken_at: datetime
    # PostgreSQL's server_version_num.
    server_version: int
    largest_tx: int
    contents: Contents


def check_version(origin: Origin) -> None:
    """Raise `RestoreRefused` if a newer version made the backup."""
    last = migrations()[-1].number
    is_newer = _parts(origin.version) > _parts(__version__)
    if origin.format > FORMAT or origin.migration > last or is_newer:
        raise RestoreRefused(
            f"The backup was made by version {origin.version} (migration {origin.migration}), "
            f"which is newer than this one ({__version__}, migration {last}). Restore it with the "
            "version that made it, or a newer one."
        )


def check_mode(manifest: Manifest, mode: Mode) -> None:
    """Raise `RestoreRefused` if the backup is of a database of the other mode."""
    if manifest.mode not in {None, mode}:
        raise RestoreRefused(
            f"This is a backup of a {manifest.mode} database, and LANDBRIDGE_MODE says {mode}."
        )


def differences(wanted: Contents, found: Contents) -> list[str]:
    """Name what of a backup is not in the database that was restored, or differs."""
    told = [
        f"{table}: {found.rows.get(table, 0)} rows instead of {wanted.rows.get(table, 0)}"
        for table in sorted(wanted.rows.keys() | found.rows.keys())
        if wanted.rows.get(table) != found.rows.get(table)
    ]
    wanted_money = {(each.table, each.asset): each for each in wanted.money}
    found_money = {(each.table, each.asset): each for each in found.money}
    told += [
        f"{table} of {asset}: the sums differ"
        for table, asset in sorted(wanted_money.keys() | found_money.keys())
        if wanted_money.get((table, asset)) != found_money.get((table, asset))
    ]
    return told


def _parts(version: str) -> list[int]:
    """The numbers of a version, to be compared; what is no number counts as nothing."""
    return [int(part) if part.isdigit() else 0 for part in version.split(".")]
