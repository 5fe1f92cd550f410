"""Backup file: complete or refused, and never overwriting another."""

import asyncio
import hashlib
import io
import random
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from landbridge import __version__
from landbridge.app.backups import archive
from landbridge.app.backups.archive import Archive
from landbridge.app.backups.model import (
    FORMAT,
    BackupFailed,
    BackupInvalid,
    DatabaseContents,
    Manifest,
    MoneyTotal,
    RestoreRejected,
    check_mode,
    differences,
)
from landbridge.platform.db.migrate import migrations
from landbridge.platform.orgs.model import Mode

MONEY = MoneyTotal("accounts", "usdc:POLYGON", 3, {"available": "400", "held": "0"})
CONTENTS = DatabaseContents({"accounts": 3, "changes": 9}, [MONEY])
MANIFEST = Manifest(
    format=FORMAT,
    version=__version__,
    migration=migrations()[-1].number,
    mode=Mode.SANDBOX,
    taken_at=datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    server_version=180004,
    contents=CONTENTS,
)
# An odd length, with zeros at the end.
DUMP = random.Random(0).randbytes(3_000) + bytes(70)  # noqa: S311  the same each time


def write(path: Path, manifest: Manifest = MANIFEST, dump: bytes = DUMP) -> Path:
    with archive.writing(path) as (writer, _):
        for at in range(0, len(dump), 999):
            writer.write(dump[at : at + 999])
        writer.finish(manifest)
    return path


def write_late(path: Path) -> None:
    """Write a backup to a name that is taken meanwhile."""
    with archive.writing(path) as (writer, _):
        path.write_text("mine")
        writer.finish(MANIFEST)


def fail(path: Path) -> None:
    """Fail in the midst of a backup."""
    with archive.writing(path) as (writer, draft):
        writer.write(DUMP)
        # Its name alone shows that it is incomplete.
        assert draft.name.startswith(f"{path.name}.partial-")
        assert not path.exists()
        raise RuntimeError


def content(found: Archive) -> bytes:
    async def read() -> bytes:
        return b"".join([chunk async for chunk in found.dump()])

    return asyncio.run(read())


def test_written_entries_are_read_back(tmp_path: Path) -> None:
    path = write(tmp_path / "one.backup")
    found = archive.read(path)
    assert found.manifest == MANIFEST
    assert content(found) == DUMP
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["one.backup"]


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513])
def test_a_dump_of_any_length_is_read(tmp_path: Path, size: int) -> None:
    assert content(archive.read(write(tmp_path / "one", dump=bytes(size)))) == bytes(size)


def test_archive_is_readable_by_standard_tools(tmp_path: Path) -> None:
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


@pytest.mark.long
def test_every_altered_byte_is_refused(tmp_path: Path) -> None:
    whole = write(tmp_path / "one.backup").read_bytes()
    path, chance = tmp_path / "altered", random.Random(1)  # noqa: S311  the same each time
    # All positions in the headers and behind the dump, and some in the dump.
    for at in {*range(512), *range(512, 3_500, 41), *range(3_500, len(whole))}:
        altered = bytearray(whole)
        altered[at] ^= 1 << chance.randrange(8)
        path.write_bytes(altered)
        with pytest.raises((BackupInvalid, RestoreRejected)):
            archive.read(path)


def test_unknown_additions_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "one.backup")
    for more in (b"\0", bytes(512), b"more"):
        other = tmp_path / "more"
        other.write_bytes(path.read_bytes() + more)
        with pytest.raises(BackupInvalid):
            archive.read(other)


def test_a_deeply_nested_manifest_is_refused(tmp_path: Path) -> None:
    manifest = b'{"more":' + b"[" * 100_000
    path = tmp_path / "nested"
    with tarfile.open(path, "w") as made:
        for name, content in (("database.dump", b""), ("manifest.json", manifest)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    with pytest.raises(BackupInvalid):
        archive.read(path)


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


def test_existing_file_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "one.backup"
    path.write_text("mine")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    for each in (path, link):
        with pytest.raises(BackupFailed, match="never replaces"):
            write(each)
    # Also a file that was created meanwhile.
    other = tmp_path / "other"
    with pytest.raises(BackupFailed, match="never replaces"):
        write_late(other)
    assert path.read_text() == other.read_text() == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "one.backup", "other"]


def test_failed_write_leaves_no_file(tmp_path: Path) -> None:
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
    with pytest.raises(RestoreRejected, match="newer than this one"):
        archive.read(path)


def test_a_backup_of_an_older_version_is_read(tmp_path: Path) -> None:
    older = msgspec.structs.replace(MANIFEST, version="0.0.9", migration=3)
    assert archive.read(write(tmp_path / "one", older)).manifest == older


def test_a_backup_is_of_one_mode() -> None:
    check_mode(MANIFEST, Mode.SANDBOX)
    with pytest.raises(RestoreRejected, match="sandbox database, and LANDBRIDGE_MODE says produc"):
        check_mode(MANIFEST, Mode.PRODUCTION)
    check_mode(msgspec.structs.replace(MANIFEST, mode=None), Mode.PRODUCTION)


def test_differences_after_a_restore_are_named() -> None:
    assert differences(CONTENTS, CONTENTS) == []
    lost = DatabaseContents({"changes": 8, "orgs": 1}, [])
    assert differences(CONTENTS, lost) == [
        "accounts: 0 rows instead of 3",
        "changes: 8 rows instead of 9",
        "orgs: 1 rows instead of 0",
        "accounts of usdc:POLYGON: the sums differ",
    ]
    less = DatabaseContents(
        CONTENTS.rows, [msgspec.structs.replace(MONEY, sums={"available": "399"})]
    )
    assert differences(CONTENTS, less) == ["accounts of usdc:POLYGON: the sums differ"]
