"""Transport over an SFTP server of the bank.

The server must present the configured host key, or no file is exchanged with it.
Each call opens its own connection, because files are exchanged only a few times a day.
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

from landbridge.payments.bank_files.funding_account import SftpSettings
from landbridge.payments.bank_files.transports.folder import checked_name, listed_name
from landbridge.payments.bank_files.transports.port import (
    NAMES_MAX,
    SIZE_MAX,
    TEMPORARY,
    TransportFolder,
    is_complete,
)
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.ids import new_id
from landbridge.platform.formats.file_errors import FileRejected

# Login timeout in seconds; a slower server counts as unreachable.
_LOGIN_S = 20
# Timeout of one call in seconds: 50 MB at four megabits a second.
_VERB_S = 120


class SftpTransport:
    """Files on a server; missing folders are created where the bank allows it."""

    def __init__(self, settings: SftpSettings, paths: Callable[[TransportFolder], str]) -> None:
        self._settings = settings
        self._paths = paths

    async def names(self, folder: TransportFolder) -> Sequence[str]:
        """List file names; see the port."""
        async with self._session() as sftp:
            try:
                found = await sftp.readdir(self._path(folder))
            except SFTPNoSuchFile:
                return []
        names = [
            cast("str", each.filename) for each in found if each.attrs.type == FILEXFER_TYPE_REGULAR
        ]
        return sorted(each for each in names if is_complete(each))[:NAMES_MAX]

    async def read(self, folder: TransportFolder, name: str) -> bytes | None:
        """Return the content of a file; see the port."""
        path = self._path(folder, checked_name(name))
        async with self._session() as sftp:
            return await _read(sftp, path)

    async def write(self, folder: TransportFolder, name: str, content: bytes) -> None:
        """Write a file atomically; see the port. Flushed to disk if the server supports it."""
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

    async def move(
        self, source: TransportFolder, name: str, destination: TransportFolder, new_name: str
    ) -> bool:
        """Move a file; see the port."""
        path = self._path(source, listed_name(name))
        new_path = self._path(destination, checked_name(new_name))
        async with self._session() as sftp:
            await _make(sftp, self._path(destination))
            try:
                # Every server supports `rename`. It fails if the new name exists, but it is unique.
                await sftp.rename(path, new_path)
            except SFTPError:
                # Another worker was faster; servers report this with different errors.
                if await sftp.lexists(path):
                    raise
                return False
            return True

    def _path(self, folder: TransportFolder, name: str = "") -> str:
        return posixpath.join(self._settings.path, self._paths(folder), name).rstrip("/") or "/"

    @asynccontextmanager
    async def _session(self) -> AsyncGenerator[SFTPClient]:
        settings = self._settings
        try:
            async with (
                asyncio.timeout(_VERB_S),
                connect(
                    settings.host,
                    settings.port,
                    username=settings.user,
                    # Ignore the local user's SSH files: neither keys nor known hosts apply.
                    config=None,
                    agent_path=None,
                    client_keys=_keys(settings),
                    password=settings.password,
                    known_hosts=([import_public_key(settings.host_key)], [], []),
                    login_timeout=_LOGIN_S,
                    connect_timeout=_LOGIN_S,
                    keepalive_interval=_LOGIN_S,
                ) as connection,
                # A name that is not UTF-8 is listed like any other.
                connection.start_sftp_client(path_errors="surrogateescape") as sftp,
            ):
                yield sftp
        except (OSError, Error, SFTPError, ValueError, TimeoutError) as error:
            # A server's message may name a customer: only the error type is reported.
            raise Unavailable(f"the bank's server: {type(error).__name__}") from error


def check_keys(settings: SftpSettings) -> str | None:
    """Return the fault of a transport's keys; None if they are valid."""
    try:
        import_public_key(settings.host_key)
    except (Error, ValueError):
        return "transport.host_key must be a public key, as in ssh-ed25519 AAAA"
    try:
        _keys(settings)
    except (Error, ValueError):
        return "transport.private_key must be a private key without a passphrase"
    return None


def _keys(settings: SftpSettings) -> list[object] | None:
    """Return the client keys for the login; None if the settings have a password instead."""
    return None if settings.private_key is None else [import_private_key(settings.private_key)]


async def _read(sftp: SFTPClient, path: str) -> bytes | None:
    try:
        file = await sftp.open(path, "rb")
    except SFTPNoSuchFile:
        return None
    try:
        # Reads one byte beyond the limit: an oversized file is not fetched in full.
        content = cast("bytes", await file.read(SIZE_MAX + 1))
    finally:
        await file.close()
    if len(content) > SIZE_MAX:
        raise FileRejected(f"The file has more than {SIZE_MAX} bytes.")
    return content


async def _make(sftp: SFTPClient, path: str) -> None:
    if not await sftp.isdir(path):
        await sftp.makedirs(path, exist_ok=True)


async def _replace(sftp: SFTPClient, source: str, destination: str) -> None:
    """Replace an existing file atomically; in two steps where the server can't."""
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
