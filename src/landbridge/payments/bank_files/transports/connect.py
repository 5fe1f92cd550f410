"""Creates a file transport from its settings."""

import posixpath
from collections.abc import Mapping
from os.path import realpath
from pathlib import Path

from landbridge.payments.bank_files.funding_account import (
    FolderSettings,
    SftpSettings,
    TransportSettings,
)
from landbridge.payments.bank_files.transports.folder import FolderTransport
from landbridge.payments.bank_files.transports.port import FileTransport, TransportFolder
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.extras import Extra, missing


def folder_paths(settings: TransportSettings) -> Mapping[TransportFolder, str]:
    """Return the normalised location of each folder, so that equal folders have equal locations."""
    paths = {each: posixpath.join(settings.path, _path(settings, each)) for each in TransportFolder}
    match settings:
        case FolderSettings():
            return {folder: realpath(path) for folder, path in paths.items()}
        case SftpSettings():
            server = f"sftp://{settings.user}@{settings.host.lower()}:{settings.port}"
            return {
                folder: f"{server}/{posixpath.normpath(path).lstrip('/')}"
                for folder, path in paths.items()
            }


def inbox_path(settings: TransportSettings) -> str:
    """Return the location of inbound files, which is equal for accounts that share a transport."""
    return folder_paths(settings)[TransportFolder.IN]


def open_transport(settings: TransportSettings) -> FileTransport:
    """Return the transport; it connects on first use."""

    def path(folder: TransportFolder) -> str:
        return _path(settings, folder)

    match settings:
        case FolderSettings():
            return FolderTransport(Path(settings.path), path)
        case SftpSettings():
            if reason := missing(Extra.SFTP):
                raise Unavailable(f"SFTP {reason}")
            # Imported on first use: importing the SFTP library takes a fifth of a second.
            from landbridge.payments.bank_files.transports.sftp import SftpTransport  # noqa: PLC0415

            return SftpTransport(settings, path)


def _path(settings: TransportSettings, folder: TransportFolder) -> str:
    return settings.folders.get(folder.name.lower(), folder.value)
