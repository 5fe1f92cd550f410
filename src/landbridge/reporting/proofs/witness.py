"""Witness: verifies, keeps and cosigns the published checkpoints of other people's books.

An auditor runs it on a machine of their own, on a synchronised folder of checkpoints. It needs no
database and no key of Landbridge. Its guarantees are those of add-checkpoint in C2SP tlog-witness:

- A checkpoint is cosigned only if a known key has signed it, and if it continues the last one
  cosigned for its origin. The first checkpoint of an organisation is trusted.
- The first checkpoint of a later epoch must name the last one cosigned in the previous epoch, which
  has ended then.
- A published file is read once: only verified content is cosigned, even if the file is replaced.
- A cosigned checkpoint is stored before its cosignature is published, so that two histories are
  never cosigned. A lock ensures that only one witness uses a folder of kept checkpoints.
- An invalid checkpoint is refused and reported, and does not affect other organisations.

A cosignature (C2SP tlog-cosignature, cosignature/v1, with Ed25519) is a line that is added to a
checkpoint:

    — auditor.example/landbridge 8Xw2...=

It says that the witness has seen, at a time, that the checkpoint continues all those that it has
cosigned before.
"""

import base64
import fcntl
import os
from base64 import b64encode
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from landbridge.platform.core.errors import LandbridgeError
from landbridge.reporting.proofs.checkpoints import head_text
from landbridge.reporting.proofs.model import StoredCheckpoint
from landbridge.reporting.proofs.publication import (
    CheckpointFolder,
    CheckpointUnreadable,
    PublishedFile,
)
from landbridge.reporting.proofs.verifier import (
    BooksInvalid,
    TreeHead,
    check_growth,
    fixed,
    open_note,
)

# Algorithm byte of cosignatures in key ids and keys.
_COSIGNATURE = b"\x04"
_KEY_ID_BYTES, _TIME_BYTES = 4, 8

_KEY_FILE, _LOCK_FILE = "witness.key", "witness.lock"
_EXTENSION = "previous-head "


@dataclass(frozen=True, slots=True)
class Cosigner:
    """Key of a witness, with its name."""

    name: str
    key: Ed25519PrivateKey

    @property
    def verifier_key(self) -> str:
        """Return the text of the public key (signed-note): name, key id and key."""
        shown = base64.b64encode(_COSIGNATURE + self._public).decode()
        return f"{self.name}+{self._key_id.hex()}+{shown}"

    def cosign(self, note: str, at_s: int) -> str:
        """Return a checkpoint with a cosignature added; `at_s` is the time in seconds since 1970.

        The caller has verified that the checkpoint continues those before it.
        """
        text = note.rpartition("\n\n")[0] + "\n"
        signed = self.key.sign(f"cosignature/v1\ntime {at_s}\n{text}".encode())
        found = self._key_id + at_s.to_bytes(_TIME_BYTES, "big") + signed
        return f"{note}\u2014 {self.name} {base64.b64encode(found).decode()}\n"

    @property
    def _public(self) -> bytes:
        return self.key.public_key().public_bytes_raw()

    @property
    def _key_id(self) -> bytes:
        text = self.name.encode() + b"\n" + _COSIGNATURE + self._public
        return sha256(text).digest()[:_KEY_ID_BYTES]


class CheckpointRefused(LandbridgeError):
    """A published checkpoint does not continue what the witness has cosigned."""


@dataclass(frozen=True, slots=True)
class OpenedCheckpoint:
    """Published checkpoint with its verified text and tree head."""

    published: PublishedFile
    note: str
    head: TreeHead


@dataclass(frozen=True, slots=True)
class WitnessReport:
    """Checkpoints that a run has cosigned, and reasons for refusing others."""

    cosigned: list[str]
    refused: list[str]


@dataclass(frozen=True, slots=True)
class Witness:
    """Witness with its folder of kept checkpoints; `keys` are the public keys of the books."""

    kept: CheckpointFolder
    keys: str
    cosigner: Cosigner

    def run(self, published: CheckpointFolder, at: datetime) -> WitnessReport:
        """Cosign the published checkpoints that are newer than the kept ones."""
        report = WitnessReport([], [])
        for _, files in groupby(published.checkpoints(), key=lambda each: each.org_id):
            try:
                for head in self._follow(list(files), at):
                    report.cosigned.append(head_text(head))
            except (BooksInvalid, CheckpointRefused, CheckpointUnreadable) as error:
                report.refused.append(str(error))
        report.refused.extend(self._missing(published))
        return report

    def _follow(self, files: list[PublishedFile], at: datetime) -> Iterator[TreeHead]:
        """Cosign the new checkpoints of an organisation, epoch by epoch."""
        for epoch, group in groupby(files, key=lambda each: each.epoch):
            of_epoch = list(group)
            kept = {
                each.file.name: each
                for each in self.kept.checkpoints()
                if (each.org_id, each.epoch) == (files[0].org_id, epoch)
            }
            for each in of_epoch:
                self._check_same(each, kept.get(each.file.name))
            if not kept:
                first = self._open(of_epoch[-1])
                self._check_first(first)
                yield self._cosign(first, at)
                continue
            last_name = max(kept)
            last = self._open(kept[last_name]).head
            for each in (file for file in of_epoch if file.file.name > last_name):
                opened = self._open(each)
                self._check_open(opened)
                _check_continues(last, opened.head, each.read_growth())
                last = self._cosign(opened, at)
                yield last

    def _open(self, published: PublishedFile) -> OpenedCheckpoint:
        """Read a checkpoint; check its signature, and that origin and size match its path."""
        note = published.read_note()
        try:
            head = open_note(note, self.keys)
        except (ValueError, IndexError) as error:
            raise CheckpointRefused(f"{published.file} is no checkpoint: {error}") from error
        place = f"landbridge/{published.org_id}/{published.epoch}", int(published.file.stem)
        if (head.origin, head.size) != place:
            raise CheckpointRefused(f"{published.file} is {head_text(head)}")
        return OpenedCheckpoint(published, note, head)

    def _check_same(self, published: PublishedFile, kept: PublishedFile | None) -> None:
        """Raise if a kept checkpoint was replaced by a different one of the same size."""
        if kept is None or _body(kept.read_note()) == _body(published.read_note()):
            return
        head, known = self._open(published).head, self._open(kept).head
        if head != known:
            raise _forked(known, head)

    def _check_open(self, opened: OpenedCheckpoint) -> None:
        """Raise if a later epoch was cosigned already, because this one has ended then."""
        last = self.kept.last(opened.published.org_id)
        if last is not None and last.epoch > opened.published.epoch:
            raise CheckpointRefused(
                f"FORK: {head_text(opened.head)} continues an epoch after {last.head.origin} began"
            )

    def _check_first(self, first: OpenedCheckpoint) -> None:
        """Raise unless an epoch's first checkpoint continues the kept one of the epoch before."""
        head, published = first.head, first.published
        last = self.kept.last(published.org_id)
        if last is None:
            return
        if last.epoch > published.epoch:
            raise CheckpointRefused(f"FORK: {head.origin} appears after {last.head.origin}")
        named = first.note.split("\n")[3].removeprefix(_EXTENSION)
        if named != head_text(last.head):
            raise CheckpointRefused(
                f"FORK: {head.origin} does not continue {last.head.size} changes of "
                f"{last.head.origin} that were cosigned; it names {named or 'nothing'}"
            )

    def _cosign(self, opened: OpenedCheckpoint, at: datetime) -> TreeHead:
        """Store a verified checkpoint with a cosignature, and publish it."""
        published, head = opened.published, opened.head
        note = self.cosigner.cosign(opened.note, int(at.timestamp()))
        self.kept.publish(
            published.org_id, StoredCheckpoint(published.epoch, head.size, head.root, note, at)
        )
        return head

    def _missing(self, published: CheckpointFolder) -> Iterator[str]:
        """Yield a message per organisation if its latest kept checkpoint is no longer published."""
        found = {(each.org_id, each.epoch, each.file.name) for each in published.checkpoints()}
        for _, kept in groupby(self.kept.checkpoints(), key=lambda each: each.org_id):
            last = list(kept)[-1]
            if (last.org_id, last.epoch, last.file.name) not in found:
                head = open_note(last.read_note(), self.keys)
                yield f"MISSING: {head_text(head)} was cosigned, and is published no more"


@contextmanager
def opened_witness(state: Path, keys: str, name: str) -> Generator[Witness]:
    """Open and lock the folder of a witness; its key is created on first use."""
    state.mkdir(parents=True, exist_ok=True)
    with (state / _LOCK_FILE).open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CheckpointRefused(f"another witness uses {state}") from error
        yield Witness(CheckpointFolder(state), keys, Cosigner(name, _read_key(state / _KEY_FILE)))


def _read_key(file: Path) -> Ed25519PrivateKey:
    if not file.exists():
        draft = file.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
            opened.write(b64encode(Ed25519PrivateKey.generate().private_bytes_raw()))
            opened.flush()
            os.fsync(opened.fileno())
        draft.replace(file)
    return Ed25519PrivateKey.from_private_bytes(fixed(file.read_text(encoding="utf-8")))


def _check_continues(kept: TreeHead, head: TreeHead, growth: str | None) -> None:
    """Raise unless a proof shows that a checkpoint continues a kept one."""
    top = (growth or "").partition("\n\n")[0].split("\n")
    if top[0] != f"old {kept.size}":
        raise CheckpointRefused(
            f"NO PROOF: {head_text(head)} is published without the proof that it continues the "
            f"{kept.size} changes that were cosigned"
        )
    try:
        check_growth(kept, head, [fixed(each) for each in top[1:]])
    except (BooksInvalid, ValueError, IndexError) as error:
        raise _forked(kept, head) from error


def _body(note: str) -> str:
    """Return the signed text of a checkpoint, without its signatures."""
    return note.rpartition("\n\n")[0]


def _forked(kept: TreeHead, head: TreeHead) -> CheckpointRefused:
    return CheckpointRefused(f"FORK: {head_text(head)} does not continue {head_text(kept)}")
