"""A server of the bank's, by SFTP.

The server must show the key that was set for it: nobody else gets a file, or gives us one. Each
verb has a connection of its own, for files come and go some times a day.
"""

import asyncio
import posixpath
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import cast

from asyncssh import (
    Error,
    SFTPClient,
    SFTPClientFile,
    SFTPError,
    SFTPFailure,
    SFTPNoSuchFile,
    SFTPOpUnsupported,
    connect,
    import_private_key,
    import_public_key,
)
from asyncssh.constants import FILEXFER_TYPE_REGULAR

from landbridge.bank_files.errors import FileRefused
from landbridge.bank_files.funding import SftpPlace as Told
from landbridge.bank_files.places.folder import checked_name, listed_name
from landbridge.bank_files.places.port import (
    NAMES_MAX,
    SIZE_MAX,
    TEMPORARY,
    Folder,
    is_listed,
)
from landbridge.core.errors import Unavailable
from landbridge.core.ids import new_id

# A bank's server that takes longer than this for a login has a bad day.
_LOGIN_S = 20
# And for any one verb: 50 MB at four megabits a second.
_VERB_S = 120


class SftpPlace:
    """Files on a server; folders that are not there are made where the bank allows it."""

    def __init__(self, told: Told, paths: Callable[[Folder], str]) -> None:
        self._told = told
        self._paths = paths

    async def names(self, folder: Folder) -> Sequence[str]:
        """Names of files; see the port."""
        async with self._session() as sftp:
            try:
                found = await sftp.readdir(self._path(folder))
            except SFTPNoSuchFile:
                return []
        names = [
            cast("str", each.filename) for each in found if each.attrs.type == FILEXFER_TYPE_REGULAR
        ]
        return sorted(each for each in names if is_listed(each))[:NAMES_MAX]

    async def read(self, folder: Folder, name: str) -> bytes | None:
        """The content of a file; see the port."""
        path = self._path(folder, checked_name(name))
        async with self._session() as sftp:
            return await _read(sftp, path)

    async def write(self, folder: Folder, name: str, content: bytes) -> None:
        """Write a file whole; see the port. On the disk there, where the server can say so."""
        path = self._path(folder, checked_name(name))
        temporary = posixpath.join(self._path(folder), f"{TEMPORARY}{new_id().hex}")
        async with self._session() as sftp:
            await _make(sftp, self._path(folder))
            try:
                async with await sftp.open(temporary, "xb") as file:
                    await file.write(content)
                    await _sync(file)
                await _replace(sftp, temporary, path)
            except SFTPError:
                await _remove(sftp, temporary)
                raise

    async def move(self, source: Folder, name: str, destination: Folder, new_name: str) -> bool:
        """Move a file on; see the port."""
        path = self._path(source, listed_name(name))
        new_path = self._path(destination, checked_name(new_name))
        async with self._session() as sftp:
            await _make(sftp, self._path(destination))
            try:
                # Every server has this one: it refuses a name that is there, and none is.
                await sftp.rename(path, new_path)
            except SFTPError:
                # Somebody was faster, in the words of whatever server.
                if await sftp.lexists(path):
                    raise
                return False
            return True

    def _path(self, folder: Folder, name: str = "") -> str:
        return posixpath.join(self._told.path, self._paths(folder), name).rstrip("/") or "/"

    @asynccontextmanager
    async def _session(self) -> AsyncGenerator[SFTPClient]:
        told = self._told
        try:
            async with (
                asyncio.timeout(_VERB_S),
                connect(
                    told.host,
                    told.port,
                    username=told.user,
                    # No files of whoever runs us: neither their keys nor hosts that they know.
                    config=None,
                    agent_path=None,
                    client_keys=_keys(told),
                    password=told.password,
                    known_hosts=([import_public_key(told.host_key)], [], []),
                    login_timeout=_LOGIN_S,
                    connect_timeout=_LOGIN_S,
                    keepalive_interval=_LOGIN_S,
                ) as connection,
                # A name that is no UTF-8 is listed like any other.
                connection.start_sftp_client(path_errors="surrogateescape") as sftp,
            ):
                yield sftp
        except (OSError, Error, SFTPError, ValueError, TimeoutError) as error:
            # What a server says may name a customer: its kind alone is told.
            raise Unavailable(f"the bank's server: {type(error).__name__}") from error


def check_keys(told: Told) -> str | None:
    """What is wrong with the keys of a place; None if nothing is."""
    try:
        import_public_key(told.host_key)
    except (Error, ValueError):
        return "place.host_key must be a public key, as in ssh-ed25519 AAAA"
    try:
        _keys(told)
    except (Error, ValueError):
        return "place.private_key must be a private key without a passphrase"
    return None


def _keys(told: Told) -> list[object] | None:
    """Our key; None tells the library to use none."""
    return None if told.private_key is None else [import_private_key(told.private_key)]


async def _read(sftp: SFTPClient, path: str) -> bytes | None:
    try:
        file = await sftp.open(path, "rb")
    except SFTPNoSuchFile:
        return None
    try:
        # One byte more than may be: what is larger is not fetched whole.
        content = cast("bytes", await file.read(SIZE_MAX + 1))
    finally:
        await file.close()
    if len(content) > SIZE_MAX:
        raise FileRefused(f"The file has more than {SIZE_MAX} bytes.")
    return content


async def _make(sftp: SFTPClient, path: str) -> None:
    if not await sftp.isdir(path):
        await sftp.makedirs(path, exist_ok=True)


async def _replace(sftp: SFTPClient, source: str, destination: str) -> None:
    """In one moment, over what is there; in two where the server can't."""
    try:
        await sftp.posix_rename(source, destination)
    except SFTPOpUnsupported:
        await _remove(sftp, destination)
        await sftp.rename(source, destination)


async def _sync(file: SFTPClientFile) -> None:
    try:
        await file.fsync()
    except SFTPOpUnsupported:
        return


async def _remove(sftp: SFTPClient, path: str) -> None:
    try:
        await sftp.remove(path)
    except (SFTPNoSuchFile, SFTPFailure):
        return
