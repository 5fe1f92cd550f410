"""From how a place was set to the place."""

import posixpath
from collections.abc import Mapping
from os.path import realpath
from pathlib import Path

from landbridge.bank_files.funding import FolderPlace as FolderTold
from landbridge.bank_files.funding import PlaceTold, SftpPlace
from landbridge.bank_files.places.folder import FolderPlace
from landbridge.bank_files.places.port import Folder, Place


def paths_of(told: PlaceTold) -> Mapping[Folder, str]:
    """Where each of its folders is: the same for two places that share it."""
    paths = {each: posixpath.join(told.path, _path(told, each)) for each in Folder}
    match told:
        case FolderTold():
            return {folder: realpath(path) for folder, path in paths.items()}
        case SftpPlace():
            server = f"sftp://{told.user}@{told.host.lower()}:{told.port}"
            return {
                folder: f"{server}/{posixpath.normpath(path).lstrip('/')}"
                for folder, path in paths.items()
            }


def open_place(told: PlaceTold) -> Place:
    """The place; nothing is reached before it is used."""

    def path(folder: Folder) -> str:
        return _path(told, folder)

    match told:
        case FolderTold():
            return FolderPlace(Path(told.path), path)
        case SftpPlace():
            # Imported when first needed: it costs a fifth of a second.
            from landbridge.bank_files.places.sftp import SftpPlace as Sftp  # noqa: PLC0415

            return Sftp(told, path)


def _path(told: PlaceTold, folder: Folder) -> str:
    return told.folders.get(folder.name.lower(), folder.value)
