"""Publication: checkpoints leave the database for a folder that a restore does not take back.

    <folder>/<organisation>/<epoch>/<size>.txt
    <folder>/<organisation>/<epoch>/<size>.growth

The second file has the proof that the checkpoint continues the one published before it, and again
the checkpoint: a request to a witness (C2SP tlog-witness). A file is written whole or not at all,
and never changed in what it signs. The folder is to be synchronised to a place that the operator of
the database can't rewrite.
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

# Names sort as their numbers do.
_DIGITS = 16
_NUMBER = re.compile(r"[0-9]{16}")
# A checkpoint has some hundred bytes, and one more line for each witness.
_TEXT_BYTES_MAX = 64 * 1024


class BooksForked(LandbridgeError):
    """The published checkpoints are not those of this database: a backup was restored."""


class CheckpointUnreadable(LandbridgeError):
    """A published file is no text, or much longer than a checkpoint."""


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
        """Return the checkpoint after the proof that it continues the one before it, if any.

        Raises `CheckpointUnreadable`.
        """
        file = self.file.with_suffix(".growth")
        return _read(file) if file.is_file() else None


@dataclass(frozen=True, slots=True)
class CheckpointFolder:
    """Folder of published checkpoints; without a path nothing is published."""

    path: Path | None

    def last(self, org_id: UUID) -> PublishedHead | None:
        """Return the latest published checkpoint of an organisation."""
        if self.path is None:
            return None
        files = sorted((self.path / str(org_id)).glob("*/*.txt"))
        if not files:
            return None
        note = files[-1].read_text(encoding="utf-8")
        return PublishedHead(int(files[-1].parent.name), read_head(note))

    def checkpoints(self) -> list[PublishedFile]:
        """Return all published checkpoints by organisation, epoch and size; other files are none.

        Their signatures are not verified.
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
        """Write a checkpoint, unless it is there; one that got cosignatures replaces it."""
        if self.path is None:
            return
        folder = self.path / str(org_id) / f"{checkpoint.epoch:0{_DIGITS}}"
        file = folder / f"{checkpoint.size:0{_DIGITS}}.txt"
        with suppress(FileNotFoundError):
            if file.read_text(encoding="utf-8") == checkpoint.note:
                return
        folder.mkdir(parents=True, exist_ok=True)
        # Before the checkpoint, since a published one is not published again.
        if growth is not None:
            _write(file.with_suffix(".growth"), growth)
        _write(file, checkpoint.note)


def _is_checkpoint(file: Path) -> bool:
    """Return whether a file has a name and a place that `publish` gives."""
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
    """Write a file whole or not at all."""
    draft = file.parent / f".{file.name}.{os.getpid()}"
    with draft.open("w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    draft.replace(file)
