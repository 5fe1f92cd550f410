"""Folders and servers exchange complete files only."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncssh
import msgspec
import pytest

from landbridge.payments.bank_files.funding_account import FolderSettings, SftpSettings
from landbridge.payments.bank_files.transports import folder as folders
from landbridge.payments.bank_files.transports import sftp as servers
from landbridge.payments.bank_files.transports.connect import folder_paths, open_transport
from landbridge.payments.bank_files.transports.port import (
    FileTransport,
    TransportFolder,
    archive_name,
    claimed_name,
    original_name,
)
from landbridge.payments.bank_files.transports.sftp import check_keys
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.db.pool import Database
from landbridge.platform.formats.file_errors import FileRejected
from tests.payments.bank_files.builders import USD, by_ach, connect_bank, funding, make_bank

HOST, USER, PASSWORD = "127.0.0.1", "landbridge", "only a test"


def _new_key() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")  # pyright: ignore[reportUnknownMemberType]  untyped


KEY, HOST_KEY = _new_key(), _new_key()


@dataclass(frozen=True)
class Served:
    """Test server for a folder."""

    root: Path
    settings: SftpSettings


class _Server(asyncssh.SSHServer):
    def begin_auth(self, username: str) -> bool:
        del username
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return (username, password) == (USER, PASSWORD)

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        del username
        return key.public_data == KEY.public_data


@asynccontextmanager
async def serving(root: Path) -> AsyncGenerator[Served]:
    """Run an asyncssh server on a free port."""

    def sftp(channel: asyncssh.SSHServerChannel[bytes]) -> asyncssh.SFTPServer:
        return asyncssh.SFTPServer(channel, chroot=os.fsencode(root))

    server = await asyncssh.create_server(
        _Server, HOST, 0, server_host_keys=[HOST_KEY], sftp_factory=sftp
    )
    settings = SftpSettings(
        host=HOST,
        port=server.get_port(),
        user=USER,
        path="/",
        host_key=HOST_KEY.export_public_key().decode().strip(),
        password=PASSWORD,
    )
    try:
        yield Served(root, settings)
    finally:
        server.close()
        await server.wait_closed()


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(tmp_path) as found:
        yield found


@pytest.fixture(params=["folder", "sftp"])
async def transport(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[FileTransport]:
    if request.param == "folder":
        yield open_transport(FolderSettings(path=str(tmp_path)))
    else:
        async with serving(tmp_path) as found:
            yield open_transport(found.settings)


async def test_written_files_are_read_and_listed(transport: FileTransport) -> None:
    assert await transport.names(TransportFolder.OUT) == []
    assert await transport.read(TransportFolder.OUT, "b.xml") is None
    await transport.write(TransportFolder.OUT, "b.xml", b"two")
    await transport.write(TransportFolder.OUT, "a.xml", b"one")
    await transport.write(TransportFolder.OUT, "b.xml", b"three")
    assert await transport.names(TransportFolder.OUT) == ["a.xml", "b.xml"]
    assert await transport.read(TransportFolder.OUT, "b.xml") == b"three"


async def test_a_file_is_moved_once(transport: FileTransport) -> None:
    await transport.write(TransportFolder.IN, "a.xml", b"one")
    claimed = claimed_name("a.xml")
    moved = [
        await transport.move(TransportFolder.IN, "a.xml", TransportFolder.IN, claimed)
        for _ in range(2)
    ]
    assert moved == [True, False]
    assert await transport.names(TransportFolder.IN) == [claimed]
    assert await transport.read(TransportFolder.IN, claimed) == b"one"
    moved = [
        await transport.move(
            TransportFolder.IN, claimed, TransportFolder.DONE, archive_name(claimed)
        )
        for _ in range(2)
    ]
    assert moved == [True, False]
    assert await transport.names(TransportFolder.IN) == []
    assert await transport.read(TransportFolder.DONE, archive_name(claimed)) == b"one"


def test_a_claimed_file_has_a_unique_name_that_contains_the_banks_name() -> None:
    first, second = claimed_name("a.xml"), claimed_name("a.xml")
    assert first != second
    assert claimed_name(first) == first
    assert original_name(first) == original_name(archive_name(second)) == "a.xml"
    assert original_name(claimed_name("a\\b\n\udcff.xml")) == "a_b__.xml"
    assert len(claimed_name("ü" * 255).encode()) <= 255


@pytest.mark.parametrize("name", [b"a\\b.xml", b"\xff.xml", b"a\nb"])
async def test_any_file_name_is_accepted(
    transport: FileTransport, tmp_path: Path, name: bytes
) -> None:
    await transport.write(TransportFolder.IN, "z.xml", b"two")
    (tmp_path / "in" / os.fsdecode(name)).write_bytes(b"one")
    found = await transport.names(TransportFolder.IN)
    assert len(found) == 2
    for each in found:
        claimed = claimed_name(each)
        assert await transport.move(TransportFolder.IN, each, TransportFolder.IN, claimed)
        assert await transport.read(TransportFolder.IN, claimed) in {b"one", b"two"}


async def test_a_server_without_atomic_rename_still_replaces_files(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_args: object) -> None:
        raise asyncssh.SFTPOpUnsupported("no posix-rename here")

    monkeypatch.setattr(asyncssh.SFTPClient, "posix_rename", refuse)
    index = open_transport(served.settings)
    for content in (b"one", b"two"):
        await index.write(TransportFolder.OUT, "a.xml", content)
    assert await index.read(TransportFolder.OUT, "a.xml") == b"two"
    assert await index.names(TransportFolder.OUT) == ["a.xml"]


def test_transports_are_equal_by_their_folder_paths(tmp_path: Path) -> None:
    def folder(path: Path, **folders: str) -> set[str]:
        return set(folder_paths(FolderSettings(path=str(path), folders=folders)).values())

    (tmp_path / "link").symlink_to(tmp_path / "bank")
    here = folder(tmp_path / "bank")
    assert here == folder(tmp_path / "link") == folder(tmp_path / "x" / ".." / "bank")
    assert len(here & folder(tmp_path / "bank", out="else")) == 4
    assert not here & folder(tmp_path / "other")
    server = SftpSettings(host="H", user="u", host_key="k", password="p", path="/a/")
    same = msgspec.structs.replace(server, host="h", path="/a/b/..", password="q")
    other = msgspec.structs.replace(server, user="v")
    assert folder_paths(server) == folder_paths(same)
    assert not set(folder_paths(server).values()) & set(folder_paths(other).values())


async def test_a_partly_written_file_is_never_visible(
    transport: FileTransport, tmp_path: Path
) -> None:
    content = os.urandom(2_000_000)
    inodes: set[int] = set()

    async def look() -> None:
        path = tmp_path / "out" / "a.xml"
        for _ in range(200):
            if path.exists():
                inodes.add(path.stat().st_size)
            await asyncio.sleep(0.001)

    writes = [transport.write(TransportFolder.OUT, "a.xml", content) for _ in range(5)]
    await asyncio.gather(look(), *writes)
    assert inodes <= {len(content)}
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["a.xml"]


@pytest.mark.parametrize("name", ["", "..", "../a", "a/b", ".hidden", "a\\b", "a\0b"])
async def test_names_stay_in_their_folder(transport: FileTransport, name: str) -> None:
    with pytest.raises(FileRejected):
        await transport.read(TransportFolder.IN, name)
    with pytest.raises(FileRejected):
        await transport.write(TransportFolder.IN, name, b"")


async def test_an_oversized_file_is_rejected(
    transport: FileTransport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (folders, servers):
        monkeypatch.setattr(module, "SIZE_MAX", 1000)
    await transport.write(TransportFolder.IN, "a.xml", bytes(1001))
    with pytest.raises(FileRejected, match="1000 bytes"):
        await transport.read(TransportFolder.IN, "a.xml")
    await transport.write(TransportFolder.IN, "a.xml", bytes(1000))
    assert await transport.read(TransportFolder.IN, "a.xml") == bytes(1000)


async def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    index = open_transport(FolderSettings(path=str(tmp_path / "bank")))
    await index.names(TransportFolder.IN)
    os.mkfifo(tmp_path / "bank" / "in" / "pipe")
    assert list(await index.names(TransportFolder.IN)) == []
    async with asyncio.timeout(60):
        with pytest.raises(FileRejected):
            await index.read(TransportFolder.IN, "pipe")


async def test_links_and_folders_are_no_files(tmp_path: Path) -> None:
    index = open_transport(FolderSettings(path=str(tmp_path / "bank")))
    (tmp_path / "secret").write_text("secret")
    await index.write(TransportFolder.IN, "a.xml", b"one")
    (tmp_path / "bank" / "in" / "link").symlink_to(tmp_path / "secret")
    assert await index.names(TransportFolder.IN) == ["a.xml"]
    with pytest.raises(Unavailable):
        await index.read(TransportFolder.IN, "link")


async def test_an_unwritable_folder_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    index = open_transport(FolderSettings(path=str(tmp_path / "file")))
    with pytest.raises(Unavailable) as away:
        await index.write(TransportFolder.OUT, "a.xml", b"")
    assert str(tmp_path) not in str(away.value)


async def test_folder_names_are_configurable(tmp_path: Path) -> None:
    index = open_transport(FolderSettings(path=str(tmp_path), folders={"out": "to_bank/payments"}))
    await index.write(TransportFolder.OUT, "a.xml", b"one")
    assert (tmp_path / "to_bank" / "payments" / "a.xml").read_bytes() == b"one"


async def test_a_server_accepts_our_key(served: Served) -> None:
    settings = msgspec.structs.replace(
        served.settings, password=None, private_key=KEY.export_private_key().decode()
    )
    assert check_keys(settings) is None
    await open_transport(settings).write(TransportFolder.OUT, "a.xml", b"one")
    assert (served.root / "out" / "a.xml").read_bytes() == b"one"


@pytest.mark.parametrize("wrong", ["host_key", "password", "private_key", "port"])
async def test_a_server_with_another_host_key_gets_nothing(served: Served, wrong: str) -> None:
    other = _new_key()
    changes = {
        "host_key": {"host_key": other.export_public_key().decode().strip()},
        "password": {"password": "wrong"},
        "private_key": {"password": None, "private_key": other.export_private_key().decode()},
        "port": {"port": 1},
    }
    index = open_transport(msgspec.structs.replace(served.settings, **changes[wrong]))
    with pytest.raises(Unavailable) as away:
        await index.write(TransportFolder.OUT, "a.xml", b"one")
    assert not (served.root / "out").exists()
    assert PASSWORD not in str(away.value)


def test_keys_are_validated_when_they_are_set() -> None:
    settings = SftpSettings(host=HOST, user=USER, host_key="nonsense", password="p")
    assert "host_key" in (check_keys(settings) or "")
    key = HOST_KEY.export_public_key().decode()
    settings = SftpSettings(host=HOST, user=USER, host_key=key, private_key="nonsense")
    assert "private_key" in (check_keys(settings) or "")


async def test_payments_go_to_a_server(served: Served, database: Database, tmp_path: Path) -> None:
    bank = await make_bank(database, tmp_path)
    settings = funding(USD, tmp_path, transport=served.settings)
    await bank.accounts.set(bank.org_id, settings, actor="test", at=bank.clock.stamp())
    other = connect_bank(database, bank.org_id, bank.clock, served.root)
    await other.rails.pay(by_ach(bank.org_id))
    (file,) = await other.write(is_early=True)
    assert list(other.out()) == [file.name]
    assert other.reports()[file.name]["count"] == 1
    assert await other.write() == []
