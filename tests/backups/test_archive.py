"""The file of a backup: whole or refused, and never in the place of another."""

import asyncio
import hashlib
import random
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from landbridge import __version__
from landbridge.backups import archive
from landbridge.backups.archive import Archive
from landbridge.backups.model import (
    FORMAT,
    BackupFailed,
    BackupInvalid,
    Contents,
    Manifest,
    MoneyTotal,
    RestoreRefused,
    check_mode,
    differences,
)
from landbridge.db.migrate import migrations
from landbridge.orgs.model import Mode

MONEY = MoneyTotal("accounts", "usdc:POLYGON", 3, {"available": "400", "held": "0"})
CONTENTS = Contents({"accounts": 3, "changes": 9}, [MONEY])
MANIFEST = Manifest(
    format=FORMAT,
    version=__version__,
    migration=migrations()[-1].number,
    mode=Mode.SANDBOX,
    taken_at=datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    server_version=180004,
    largest_tx=4711,
    contents=CONTENTS,
)
# Of no round length, and with zeros at its end.
DUMP = random.Random(0).randbytes(3_000) + bytes(70)  # noqa: S311  the same each time


def write(path: Path, manifest: Manifest = MANIFEST, dump: bytes = DUMP) -> Path:
    with archive.writing(path) as (writer, _):
        for at in range(0, len(dump), 999):
            writer.write(dump[at : at + 999])
        writer.finish(manifest)
    return path


def write_late(path: Path) -> None:
    """Write a backup to a name that somebody else takes meanwhile."""
    with archive.writing(path) as (writer, _):
        path.write_text("mine")
        writer.finish(MANIFEST)


def fail(path: Path) -> None:
    """Fail in the midst of a backup."""
    with archive.writing(path) as (writer, draft):
        writer.write(DUMP)
        # By its name alone a person sees that it is not whole.
        assert draft.name.startswith(f"{path.name}.partial-")
        assert not path.exists()
        raise RuntimeError


def content(found: Archive) -> bytes:
    async def read() -> bytes:
        return b"".join([chunk async for chunk in found.dump()])

    return asyncio.run(read())


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "one.backup")
    found = archive.read(path)
    assert found.manifest == MANIFEST
    assert content(found) == DUMP
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["one.backup"]


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513])
def test_a_dump_of_any_length_is_read(tmp_path: Path, size: int) -> None:
    assert content(archive.read(write(tmp_path / "one", dump=bytes(size)))) == bytes(size)


def test_common_tools_read_it_too(tmp_path: Path) -> None:
    with tarfile.open(write(tmp_path / "one.backup")) as tar:
        tar.extractall(tmp_path / "x", filter="data")
    lines = (tmp_path / "x" / "SHA256SUMS").read_text().splitlines()
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256((tmp_path / "x" / name).read_bytes()).hexdigest() == digest
    assert [line.split("  ")[1] for line in lines] == ["database.dump", "manifest.json"]
    assert (tmp_path / "x" / "database.dump").read_bytes() == DUMP


def test_every_cut_is_refused(tmp_path: Path) -> None:
    whole = write(tmp_path / "one.backup").read_bytes()
    path = tmp_path / "cut"
    for length in {*range(0, len(whole), 97), *range(len(whole) - 20, len(whole))}:
        path.write_bytes(whole[:length])
        with pytest.raises(BackupInvalid):
            archive.read(path)


def test_every_altered_byte_is_refused(tmp_path: Path) -> None:
    whole = write(tmp_path / "one.backup").read_bytes()
    path, chance = tmp_path / "altered", random.Random(1)  # noqa: S311  the same each time
    # All of the headers and of what is behind the dump; of the dump some.
    for at in {*range(512), *range(512, 3_500, 41), *range(3_500, len(whole))}:
        altered = bytearray(whole)
        altered[at] ^= 1 << chance.randrange(8)
        path.write_bytes(altered)
        with pytest.raises((BackupInvalid, RestoreRefused)):
            archive.read(path)


def test_what_was_added_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "one.backup")
    for more in (b"\0", bytes(512), b"more"):
        other = tmp_path / "more"
        other.write_bytes(path.read_bytes() + more)
        with pytest.raises(BackupInvalid):
            archive.read(other)


@pytest.mark.parametrize("text", [b"", b"-- PostgreSQL database dump", bytes(4096), b"PGDMP" * 300])
def test_other_files_are_no_backups(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(text)
    with pytest.raises(BackupInvalid, match="not a whole backup"):
        archive.read(path)
    with pytest.raises(BackupInvalid, match="can't be read"):
        archive.read(tmp_path / "missing")
    with pytest.raises(BackupInvalid, match="can't be read"):
        archive.read(tmp_path)


def test_a_file_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "one.backup"
    path.write_text("mine")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    for each in (path, link):
        with pytest.raises(BackupFailed, match="never replaces"):
            write(each)
    # Also one that came to be meanwhile.
    other = tmp_path / "other"
    with pytest.raises(BackupFailed, match="never replaces"):
        write_late(other)
    assert path.read_text() == other.read_text() == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "one.backup", "other"]


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        fail(tmp_path / "one.backup")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BackupFailed, match="No file can be made"):
        write(tmp_path / "missing" / "one.backup")


@pytest.mark.parametrize(
    "newer",
    [
        {"format": FORMAT + 1},
        {"migration": MANIFEST.migration + 1},
        {"version": "0.1.1"},
        {"version": "1.0"},
        {"version": "0.10.0"},
    ],
)
def test_a_backup_of_a_newer_version_is_refused(
    tmp_path: Path, newer: dict[str, int | str]
) -> None:
    path = write(tmp_path / "one", msgspec.structs.replace(MANIFEST, **newer))
    with pytest.raises(RestoreRefused, match="newer than this one"):
        archive.read(path)


def test_a_backup_of_an_older_version_is_read(tmp_path: Path) -> None:
    older = msgspec.structs.replace(MANIFEST, version="0.0.9", migration=3)
    assert archive.read(write(tmp_path / "one", older)).manifest == older


def test_a_backup_is_of_one_mode() -> None:
    check_mode(MANIFEST, Mode.SANDBOX)
    with pytest.raises(RestoreRefused, match="sandbox database, and LANDBRIDGE_MODE says produc"):
        check_mode(MANIFEST, Mode.PRODUCTION)
    check_mode(msgspec.structs.replace(MANIFEST, mode=None), Mode.PRODUCTION)


def test_what_differs_after_a_restore_is_named() -> None:
    assert differences(CONTENTS, CONTENTS) == []
    lost = Contents({"changes": 8, "orgs": 1}, [])
    assert differences(CONTENTS, lost) == [
        "accounts: 0 rows instead of 3",
        "changes: 8 rows instead of 9",
        "orgs: 1 rows instead of 0",
        "accounts of usdc:POLYGON: the sums differ",
    ]
    less = Contents(CONTENTS.rows, [msgspec.structs.replace(MONEY, sums={"available": "399"})])
    assert differences(CONTENTS, less) == ["accounts of usdc:POLYGON: the sums differ"]
