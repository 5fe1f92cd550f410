"""Publication: checkpoints are written to a folder that restoring a backup does not change.

    <folder>/<organisation>/<epoch>/<size>.txt
    <folder>/<organisation>/<epoch>/<size>.growth

The second file has the proof that the checkpoint continues the one published before it, followed by
the checkpoint: this is a request to a witness (C2SP tlog-witness). Files are written atomically,
and their signed content never changes. The folder should be synchronised to storage that the
operator of the database can't rewrite.
"""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.core.ids import as_uuid
from landbridge.reporting.proofs.checkpoints import read_head
from landbridge.reporting.proofs.model import StoredCheckpoint
from landbridge.reporting.proofs.verifier import TreeHead

# Digits of a file name, padded with zeros so that names sort like numbers.
_DIGITS = 16
_NUMBER = re.compile(r"[0-9]{16}")
# Most bytes of a file: a checkpoint has some hundred, and a line for each witness.
_TEXT_BYTES_MAX = 64 * 1024


class BooksForked(LandbridgeError):
    """The published checkpoints are not those of this database: a backup was restored."""


class CheckpointUnreadable(LandbridgeError):
    """A published file is not a text, or is much longer than a checkpoint."""


@dataclass(frozen=True, slots=True)
class PublishedHead:
    """Latest published checkpoint of an organisation."""

    epoch: int
    head: TreeHead


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """File of a published checkpoint. It may be replaced between two reads."""

    org_id: UUID
    epoch: int
    file: Path

    def read_note(self) -> str:
        """Return the checkpoint; raises `CheckpointUnreadable`."""
        return _read(self.file)

    def read_growth(self) -> str | None:
        """Return the checkpoint with the proof that it continues the previous one; else None.

        Raises `CheckpointUnreadable`.
        """
        file = self.file.with_suffix(".growth")
        return _read(file) if file.is_file() else None


@dataclass(frozen=True, slots=True)
class CheckpointFolder:
    """Folder of published checkpoints; without a path nothing is published."""

    path: Path | None

    def last(self, org_id: UUID) -> PublishedHead | None:
        """Return the latest published checkpoint of an organisation; None without one."""
        if self.path is None:
            return None
        files = sorted((self.path / str(org_id)).glob("*/*.txt"))
        if not files:
            return None
        note = files[-1].read_text(encoding="utf-8")
        return PublishedHead(int(files[-1].parent.name), read_head(note))

    def checkpoints(self) -> list[PublishedFile]:
        """Return all published checkpoints, sorted by organisation, epoch and size.

        Other files are ignored. Signatures are not verified.
        """
        if self.path is None:
            return []
        return [
            PublishedFile(UUID(file.parent.parent.name), int(file.parent.name), file)
            for file in sorted(self.path.glob("*/*/*.txt"))
            if _is_checkpoint(file)
        ]

    def publish(
        self, org_id: UUID, checkpoint: StoredCheckpoint, growth: str | None = None
    ) -> None:
        """Write a checkpoint, unless it is published already without the new cosignatures."""
        if self.path is None:
            return
        folder = self.path / str(org_id) / f"{checkpoint.epoch:0{_DIGITS}}"
        file = folder / f"{checkpoint.size:0{_DIGITS}}.txt"
        with suppress(FileNotFoundError):
            if file.read_text(encoding="utf-8") == checkpoint.note:
                return
        folder.mkdir(parents=True, exist_ok=True)
        # Write the proof first: once the checkpoint is there, it is not published again.
        if growth is not None:
            _write(file.with_suffix(".growth"), growth)
        _write(file, checkpoint.note)


def _is_checkpoint(file: Path) -> bool:
    """Return whether a path has the form that `publish` uses."""
    org_id = as_uuid(file.parent.parent.name)
    return (
        org_id is not None
        and str(org_id) == file.parent.parent.name
        and _NUMBER.fullmatch(file.parent.name) is not None
        and _NUMBER.fullmatch(file.stem) is not None
        and file.is_file()
    )


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(_TEXT_BYTES_MAX + 1)
        text = content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointUnreadable(f"{file} can't be read ({type(error).__name__})") from error
    if len(content) > _TEXT_BYTES_MAX:
        raise CheckpointUnreadable(f"{file} is longer than a checkpoint")
    return text


def _write(file: Path, text: str) -> None:
    """Write a file atomically."""
    draft = file.parent / f".{file.name}.{os.getpid()}"
    with draft.open("w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    draft.replace(file)
