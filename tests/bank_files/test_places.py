"""Folders and servers exchange whole files, and nothing else."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncssh
import msgspec
import pytest

from landbridge.bank_files.errors import FileRefused
from landbridge.bank_files.funding import FolderPlace, SftpPlace
from landbridge.bank_files.places import folder as folders
from landbridge.bank_files.places import sftp as servers
from landbridge.bank_files.places.opening import open_place, paths_of
from landbridge.bank_files.places.port import Folder, Place, kept_name, plain_name, taken_name
from landbridge.bank_files.places.sftp import check_keys
from landbridge.core.errors import Unavailable
from landbridge.db.pool import Database

from .made import USD, by_ach, connect_bank, funding, make_bank

HOST, USER, PASSWORD = "127.0.0.1", "landbridge", "only a test"


def _new_key() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")  # pyright: ignore[reportUnknownMemberType]  untyped


KEY, HOST_KEY = _new_key(), _new_key()


@dataclass(frozen=True)
class Served:
    """A server of the test's own, over a folder."""

    root: Path
    told: SftpPlace


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
    """A server of asyncssh's own, on a port that is free."""

    def sftp(channel: asyncssh.SSHServerChannel[bytes]) -> asyncssh.SFTPServer:
        return asyncssh.SFTPServer(channel, chroot=os.fsencode(root))

    server = await asyncssh.create_server(
        _Server, HOST, 0, server_host_keys=[HOST_KEY], sftp_factory=sftp
    )
    told = SftpPlace(
        host=HOST,
        port=server.get_port(),
        user=USER,
        path="/",
        host_key=HOST_KEY.export_public_key().decode().strip(),
        password=PASSWORD,
    )
    try:
        yield Served(root, told)
    finally:
        server.close()
        await server.wait_closed()


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(tmp_path) as found:
        yield found


@pytest.fixture(params=["folder", "sftp"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    if request.param == "folder":
        yield open_place(FolderPlace(path=str(tmp_path)))
    else:
        async with serving(tmp_path) as found:
            yield open_place(found.told)


async def test_what_is_written_is_read_and_listed(place: Place) -> None:
    assert await place.names(Folder.OUT) == []
    assert await place.read(Folder.OUT, "b.xml") is None
    await place.write(Folder.OUT, "b.xml", b"two")
    await place.write(Folder.OUT, "a.xml", b"one")
    await place.write(Folder.OUT, "b.xml", b"three")
    assert await place.names(Folder.OUT) == ["a.xml", "b.xml"]
    assert await place.read(Folder.OUT, "b.xml") == b"three"


async def test_a_file_is_moved_on_once(place: Place) -> None:
    await place.write(Folder.IN, "a.xml", b"one")
    taken = taken_name("a.xml")
    moved = [await place.move(Folder.IN, "a.xml", Folder.IN, taken) for _ in range(2)]
    assert moved == [True, False]
    assert await place.names(Folder.IN) == [taken]
    assert await place.read(Folder.IN, taken) == b"one"
    moved = [await place.move(Folder.IN, taken, Folder.DONE, kept_name(taken)) for _ in range(2)]
    assert moved == [True, False]
    assert await place.names(Folder.IN) == []
    assert await place.read(Folder.DONE, kept_name(taken)) == b"one"


def test_a_taken_file_has_a_name_of_its_own_in_which_the_banks_is_found() -> None:
    first, second = taken_name("a.xml"), taken_name("a.xml")
    assert first != second
    assert taken_name(first) == first
    assert plain_name(first) == plain_name(kept_name(second)) == "a.xml"
    assert plain_name(taken_name("a\\b\n\udcff.xml")) == "a_b__.xml"
    assert len(taken_name("ü" * 255).encode()) <= 255


@pytest.mark.parametrize("name", [b"a\\b.xml", b"\xff.xml", b"a\nb"])
async def test_whatever_a_bank_calls_a_file_it_is_taken(
    place: Place, tmp_path: Path, name: bytes
) -> None:
    await place.write(Folder.IN, "z.xml", b"two")
    (tmp_path / "in" / os.fsdecode(name)).write_bytes(b"one")
    found = await place.names(Folder.IN)
    assert len(found) == 2
    for each in found:
        taken = taken_name(each)
        assert await place.move(Folder.IN, each, Folder.IN, taken)
        assert await place.read(Folder.IN, taken) in {b"one", b"two"}


async def test_a_server_without_renames_over_a_file_replaces_it_all_the_same(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_told: object) -> None:
        raise asyncssh.SFTPOpUnsupported("no posix-rename here")

    monkeypatch.setattr(asyncssh.SFTPClient, "posix_rename", refuse)
    place = open_place(served.told)
    for content in (b"one", b"two"):
        await place.write(Folder.OUT, "a.xml", content)
    assert await place.read(Folder.OUT, "a.xml") == b"two"
    assert await place.names(Folder.OUT) == ["a.xml"]


def test_places_are_the_same_by_where_their_folders_are(tmp_path: Path) -> None:
    def folder(path: Path, **folders: str) -> set[str]:
        return set(paths_of(FolderPlace(path=str(path), folders=folders)).values())

    (tmp_path / "link").symlink_to(tmp_path / "bank")
    here = folder(tmp_path / "bank")
    assert here == folder(tmp_path / "link") == folder(tmp_path / "x" / ".." / "bank")
    assert len(here & folder(tmp_path / "bank", out="else")) == 4
    assert not here & folder(tmp_path / "other")
    server = SftpPlace(host="H", user="u", host_key="k", password="p", path="/a/")
    same = msgspec.structs.replace(server, host="h", path="/a/b/..", password="q")
    other = msgspec.structs.replace(server, user="v")
    assert paths_of(server) == paths_of(same)
    assert not set(paths_of(server).values()) & set(paths_of(other).values())


async def test_nobody_sees_half_a_file(place: Place, tmp_path: Path) -> None:
    content = os.urandom(2_000_000)
    seen: set[int] = set()

    async def look() -> None:
        path = tmp_path / "out" / "a.xml"
        for _ in range(200):
            if path.exists():
                seen.add(path.stat().st_size)
            await asyncio.sleep(0.001)

    writes = [place.write(Folder.OUT, "a.xml", content) for _ in range(5)]
    await asyncio.gather(look(), *writes)
    assert seen <= {len(content)}
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["a.xml"]


@pytest.mark.parametrize("name", ["", "..", "../a", "a/b", ".hidden", "a\\b", "a\0b"])
async def test_names_stay_in_their_folder(place: Place, name: str) -> None:
    with pytest.raises(FileRefused):
        await place.read(Folder.IN, name)
    with pytest.raises(FileRefused):
        await place.write(Folder.IN, name, b"")


async def test_what_is_too_large_is_refused(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (folders, servers):
        monkeypatch.setattr(module, "SIZE_MAX", 1000)
    await place.write(Folder.IN, "a.xml", bytes(1001))
    with pytest.raises(FileRefused, match="1000 bytes"):
        await place.read(Folder.IN, "a.xml")
    await place.write(Folder.IN, "a.xml", bytes(1000))
    assert await place.read(Folder.IN, "a.xml") == bytes(1000)


async def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    place = open_place(FolderPlace(path=str(tmp_path / "bank")))
    await place.names(Folder.IN)
    os.mkfifo(tmp_path / "bank" / "in" / "pipe")
    assert list(await place.names(Folder.IN)) == []
    async with asyncio.timeout(60):
        with pytest.raises(FileRefused):
            await place.read(Folder.IN, "pipe")


async def test_links_and_folders_are_no_files(tmp_path: Path) -> None:
    place = open_place(FolderPlace(path=str(tmp_path / "bank")))
    (tmp_path / "secret").write_text("secret")
    await place.write(Folder.IN, "a.xml", b"one")
    (tmp_path / "bank" / "in" / "link").symlink_to(tmp_path / "secret")
    assert await place.names(Folder.IN) == ["a.xml"]
    with pytest.raises(Unavailable):
        await place.read(Folder.IN, "link")


async def test_a_folder_that_can_not_be_written_is_away(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = open_place(FolderPlace(path=str(tmp_path / "file")))
    with pytest.raises(Unavailable) as away:
        await place.write(Folder.OUT, "a.xml", b"")
    assert str(tmp_path) not in str(away.value)


async def test_folders_may_have_the_names_of_the_bank(tmp_path: Path) -> None:
    place = open_place(FolderPlace(path=str(tmp_path), folders={"out": "to_bank/payments"}))
    await place.write(Folder.OUT, "a.xml", b"one")
    assert (tmp_path / "to_bank" / "payments" / "a.xml").read_bytes() == b"one"


async def test_a_server_takes_our_key(served: Served) -> None:
    told = msgspec.structs.replace(
        served.told, password=None, private_key=KEY.export_private_key().decode()
    )
    assert check_keys(told) is None
    await open_place(told).write(Folder.OUT, "a.xml", b"one")
    assert (served.root / "out" / "a.xml").read_bytes() == b"one"


@pytest.mark.parametrize("wrong", ["host_key", "password", "private_key", "port"])
async def test_a_server_that_is_not_the_one_gets_nothing(served: Served, wrong: str) -> None:
    other = _new_key()
    changes = {
        "host_key": {"host_key": other.export_public_key().decode().strip()},
        "password": {"password": "wrong"},
        "private_key": {"password": None, "private_key": other.export_private_key().decode()},
        "port": {"port": 1},
    }
    place = open_place(msgspec.structs.replace(served.told, **changes[wrong]))
    with pytest.raises(Unavailable) as away:
        await place.write(Folder.OUT, "a.xml", b"one")
    assert not (served.root / "out").exists()
    assert PASSWORD not in str(away.value)


def test_keys_are_looked_at_when_they_are_set() -> None:
    told = SftpPlace(host=HOST, user=USER, host_key="nonsense", password="p")
    assert "host_key" in (check_keys(told) or "")
    key = HOST_KEY.export_public_key().decode()
    told = SftpPlace(host=HOST, user=USER, host_key=key, private_key="nonsense")
    assert "private_key" in (check_keys(told) or "")


async def test_payments_go_to_a_server(served: Served, database: Database, tmp_path: Path) -> None:
    bank = await make_bank(database, tmp_path)
    told = funding(USD, tmp_path, place=served.told)
    await bank.accounts.set(bank.org_id, told, actor="test", at=bank.clock.stamp())
    other = connect_bank(database, bank.org_id, bank.clock, served.root)
    await other.rails.pay(by_ach(bank.org_id))
    (file,) = await other.write(is_early=True)
    assert list(other.out()) == [file.name]
    assert other.reports()[file.name]["count"] == 1
    assert await other.write() == []
